// mend.js - the first tab: open, paint, mend, look, save

import { getBlob, getBytes, getJson, post, postForJson, remove, watch } from './api.js';
import { History } from './history.js';
import { Mask } from './mask.js';
import { Pointer } from './pointer.js';
import { $, attempt, chooseFiles, chosen, count, duration, progressText, saveBlob, showMessage } from './ui.js';
import { View } from './view.js';

const HEARTBEAT = 20000;      // milliseconds
const SMALLEST_BRUSH = 1, LARGEST_BRUSH = 2000;

let limits = { max_upload: Infinity };
let photo = null;             // what the server said
let mask = null;
let history = null;
let version = 0;
let unsaved = false;
let job = 0;                  // number of the one that runs, or 0
let waiting = 0;              // actions whose result is on its way
let tool = 'brush';
let from = null;              // where the pointer was, while it is down
let drawn = null;             // area of the rectangle so far
let brush = 24;               // diameter in pixels of the picture

const view = new View($('stage'), $('below'), $('above'));

// ---- painting ----

const tools = {
  get active() {
    return photo !== null && !isBusy();
  },
  get diameter() {
    return tool === 'brush' || tool === 'eraser' ? brush : 0;
  },
  get moves() {
    return tool === 'move';
  },
  begin(point) {
    history.begin();
    from = point;
    drawn = null;
    if (tool === 'rectangle')
      $('frame').hidden = false;
    tools.move(point);
  },
  move(point) {
    if (tool === 'rectangle')
      return showFrame(from, point);
    view.redrawMask(mask.stroke(from, point, brush / 2, tool === 'brush' ? 1 : 0));
    from = point;
  },
  end() {
    if (tool === 'rectangle' && drawn)
      view.redrawMask(mask.rectangle(drawn[0], drawn[1], 1));
    $('frame').hidden = true;
    history.end();
    refresh();
  },
  abandon() {
    $('frame').hidden = true;
    history.abandon();
    view.redraw();
    refresh();
  }
};

new Pointer($('stage'), view, tools, $('cursor'));

function showFrame(a, b) {
  const { x, y } = view.origin, frame = $('frame').style, scale = view.scale;

  drawn = [a, b];
  frame.left = `${Math.min(a.x, b.x) * scale + x}px`;
  frame.top = `${Math.min(a.y, b.y) * scale + y}px`;
  frame.width = `${Math.abs(a.x - b.x) * scale}px`;
  frame.height = `${Math.abs(a.y - b.y) * scale}px`;
}

export function setTool(name) {
  tool = name;
  for (const button of document.querySelectorAll('[data-tool]'))
    button.setAttribute('aria-pressed', String(button.dataset.tool === name));
  $('stage').dataset.using = name;
  $('stage').classList.toggle('moving', name === 'move');
}

export function setBrush(diameter) {
  brush = Math.round(Math.min(Math.max(diameter, SMALLEST_BRUSH), LARGEST_BRUSH));
  // The slider is logarithmic: each step is as much more.
  $('size').value = String(Math.log(brush) / Math.log(LARGEST_BRUSH) * 100);
  $('size').setAttribute('aria-valuetext', `${brush} pixels`);
  $('size-text').textContent = `${brush} px`;
}

export function growBrush(factor) {
  setBrush(factor > 1 ? Math.max(brush + 1, brush * factor) : Math.min(brush - 1, brush * factor));
}

function changeMask(change) {
  history.begin();
  const area = change();
  history.end();
  view.redrawMask(area);
  view.redraw();
  refresh();
}

function isBusy() {
  return job !== 0 || waiting > 0;
}

// Runs an action during which nobody may change or save the picture: what is
// on the screen is not what the page will show next.
async function occupy(action) {
  waiting++;
  refresh();
  try {
    return await action();
  } finally {
    waiting--;
    $('progress').hidden = waiting === 0;
    refresh();
  }
}

const undoOne = attempt(async () => {
  if (photo && !isBusy() && history.canUndo)
    await occupy(() => travel(() => history.undo(), () => history.redo()));
});

const redoOne = attempt(async () => {
  if (photo && !isBusy() && history.canRedo)
    await occupy(() => travel(() => history.redo(), () => history.undo()));
});

// One after the other, however fast the keys come.
let trip = Promise.resolve();

export function undo() {
  return trip = trip.then(undoOne);
}

export function redo() {
  return trip = trip.then(redoOne);
}

// Goes a step and shows its version; if the server has that no more, it goes
// back again.
async function travel(step, back) {
  const to = step();

  view.redraw();
  refresh();
  try {
    if (to !== null)
      await view.showVersion(to);
    version = to ?? version;
  } catch (error) {
    back();
    await view.showVersion(version);
    throw error;
  } finally {
    setCompared(view.compared && version !== 0);
    view.redraw();
    refresh();
  }
}

// ---- what the page shows of its state ----

export function refresh() {
  const busy = isBusy(), share = photo ? mask.count / (photo.width * photo.height) : 0;

  document.body.classList.toggle('has-photo', photo !== null);
  document.body.classList.toggle('busy', busy);
  for (const id of ['find-blocks', 'find-dead', 'load-mask', 'close'])
    $(id).disabled = !photo || busy;
  $('open').disabled = busy;
  for (const button of document.querySelectorAll('[data-tool]'))
    button.disabled = !photo || busy;
  // These wait for each other, and keep the focus of somebody who repeats them.
  $('undo').disabled = !photo || job !== 0 || !history.canUndo;
  $('redo').disabled = !photo || job !== 0 || !history.canRedo;
  $('save-mask').disabled = $('clear-mask').disabled = !photo || busy || mask.empty;
  $('start').disabled = !photo || busy || chosen('task') === 'fill' && mask.empty;
  $('download').disabled = !photo || busy;
  $('cancel').disabled = job === 0;
  $('compare-toggle').disabled = $('hold').disabled = !photo || version === 0;
  $('painted').textContent = !photo || mask.empty ? 'Nothing is painted over yet.'
    : `${count(mask.count, 'pixel')} painted over (${percent(share)}).`;
  $('zoom-text').textContent = photo ? `${Math.round(view.scale * 100)} %` : '';
  $('noise-row').hidden = chosen('task') !== 'denoise';
  document.title = photo ? `${photo.name} · Tessera` : 'Tessera';
  $('start-text').textContent = chosen('task') === 'fill' ? 'Mend' : 'Remove noise';
}

function percent(share) {
  const value = share * 100;

  return value > 0 && value < 0.1 ? 'less than 0.1 %' : `${value.toFixed(1)} %`;
}

function describe() {
  const depth = photo.depth > 8 ? ` · ${photo.depth} bit` : '';

  $('file-name').textContent = photo.name;
  $('file-facts').textContent = `${photo.width} × ${photo.height} · ${photo.format}${depth}`;
  $('file').hidden = false;
  $('stage').setAttribute('aria-label', `${photo.name}, ${photo.width} by ${photo.height} pixels. ` +
    'Arrow keys move the brush, Enter starts and ends a stroke.');
}

// ---- opening and closing ----

// One after the other, however fast they are dropped.
let opening = Promise.resolve();

export function openFile(file) {
  return opening = opening.then(() => openOne(file));
}

const openOne = attempt(async file => {
  if (!file || isBusy())
    return;
  if (!mayForget())
    return;
  if (file.size > limits.max_upload)
    throw new Error(`${file.name} is larger than ${Math.floor(limits.max_upload / 2 ** 20)} MB.`);
  showMessage('');
  document.body.classList.add('loading');
  try {
    const opened = await postForJson('/api/photos', file, { query: { name: file.name || 'pasted.png' } });

    await closePhoto();
    photo = opened;
    mask = new Mask(photo.width, photo.height);
    history = new History(mask);
    version = 0;
    describe();
    setBrush(Math.max(8, Math.max(photo.width, photo.height) / 50));
    setCompared(false);
    document.body.classList.add('has-photo');
    await view.show(photo, mask);
    $('stage').focus({ preventScroll: true });
  } finally {
    document.body.classList.remove('loading');
    refresh();
  }
});

function mayForget() {
  return !unsaved || confirm('The restored picture has not been downloaded. Discard it?');
}

export const askToClose = attempt(async () => {
  if (job === 0 && mayForget())
    await closePhoto();
});

async function closePhoto() {
  const old = photo;

  photo = null;
  unsaved = false;
  view.forget();
  $('file').hidden = true;
  setCompared(false);
  refresh();
  if (old)
    await remove(`/api/photos/${old.id}`).catch(() => {});
}

export const choosePhoto = attempt(async () => {
  const [file] = await chooseFiles($('choose-photo'));

  await openFile(file);
});

// ---- work ----

function showProgress(state, label) {
  $('progress').hidden = false;
  $('progress-label').textContent = label;
  $('progress-text').textContent = progressText(state);
  document.title = `${progressText(state)} · Tessera`;
  if (state.done > 0.02)
    $('progress-bar').value = state.done;
  else
    $('progress-bar').removeAttribute('value');
}

// Runs a job to its end; null if it was cancelled.
async function work(query, body, label) {
  const started = await postForJson(`/api/photos/${photo.id}/jobs`, body, { query: { version, ...query } });

  job = started.job;
  refresh();
  showProgress({ state: 'running', done: 0, seconds: 0, seconds_left: null }, label);
  $('cancel').focus({ preventScroll: true });
  try {
    const state = await watch(job, now => showProgress(now, label));

    if (state.state === 'failed')
      throw new Error(state.error);
    return state.state === 'done' ? state : null;
  } finally {
    job = 0;
    refresh();
  }
}

export const cancel = attempt(async () => {
  if (job !== 0)
    await remove(`/api/jobs/${job}`);
});

async function mendOnce() {
  const task = chosen('task');
  const done = await work({
    task,
    quality: chosen('quality'),
    dictionary: $('dictionary').value || 0,
    sigma: task === 'denoise' ? $('sigma').value : ''
  }, mask.toRuns(), task === 'fill' ? 'Mending' : 'Removing noise');

  if (!done)
    return showMessage('Cancelled. The picture was not changed.');
  showProgress({ state: 'running', done: 1, seconds: 0, seconds_left: null }, 'Showing the result');
  history.begin();
  mask.clear();
  history.end({ before: version, after: done.version });
  version = done.version;
  unsaved = true;
  await view.showVersion(version);
  setCompared(true);
  refresh();
  showMessage(!done.changed ? 'Found nothing to restore.'
    : (task === 'fill' ? `Mended ${count(done.masked_pixels, 'pixel')}` : 'Done') +
      ` in ${duration(done.seconds)}. Drag the slider to compare, or keep painting.`);
  $('stage').focus({ preventScroll: true });
}

export const start = attempt(async () => {
  if (photo && !$('start').disabled)
    await occupy(mendOnce);
});

async function findOnce(task, what) {
  const done = await work({ task }, null, `Looking for ${what}`);

  if (!done)
    return showMessage('Cancelled.');
  if (done.found === 0)
    return showMessage(`Found no ${what}.`);
  const runs = await getBytes(`/api/photos/${photo.id}/found`);

  changeMask(() => mask.addRuns(runs));
  showMessage(`Found ${what}: ${count(done.found, 'pixel')}. Check the mask, then press Mend.`);
}

export const find = attempt(async (task, what) => {
  if (photo && !isBusy())
    await occupy(() => findOnce(task, what));
});

// ---- masks and files ----

export const loadMask = attempt(async () => {
  const [file] = await chooseFiles($('choose-mask'));

  if (!file)
    return;
  const response = await post(`/api/photos/${photo.id}/mask/picture`, file);
  const runs = new Uint8Array(await response.arrayBuffer());

  changeMask(() => mask.addRuns(runs));
});

export const saveMask = attempt(async () => {
  const response = await post(`/api/photos/${photo.id}/mask/runs`, mask.toRuns());

  saveBlob(await response.blob(), photo.name.replace(/\.[^.]*$/, '') + '-mask.png');
});

export function clearMask() {
  changeMask(() => mask.clear());
}

export const download = attempt(async () => {
  const blob = await getBlob(`/api/photos/${photo.id}/picture`, { query: { version } });

  saveBlob(blob, photo.mended_name);
  unsaved = false;
});

// ---- before and after ----

export function setCompared(on) {
  view.compared = on;
  $('split').hidden = !on;
  $('compare-toggle').setAttribute('aria-pressed', String(on));
  setSplit(view.split);
}

export function toggleCompared() {
  if (photo && version !== 0)
    setCompared(!view.compared);
}

export function setSplit(share) {
  view.split = Math.min(Math.max(share, 0), 1);
  $('split').style.left = `${view.split * 100}%`;
  $('split').setAttribute('aria-valuenow', String(Math.round(view.split * 100)));
  view.redraw();
}

export function showOriginal(on) {
  if (!photo || version === 0 || view.original === on)
    return;
  view.original = on;
  document.body.classList.toggle('showing-original', on);
  $('above').hidden = on;
  view.redraw();
}

function followSplit(event) {
  const box = $('stage').getBoundingClientRect();

  setSplit((event.clientX - box.left) / box.width);
}

export function listenToSplit() {
  const split = $('split');

  split.addEventListener('pointerdown', event => {
    event.stopPropagation();
    split.setPointerCapture(event.pointerId);
  });
  split.addEventListener('pointermove', event => {
    event.stopPropagation();
    if (split.hasPointerCapture(event.pointerId))
      followSplit(event);
  });
  split.addEventListener('keydown', event => {
    const steps = { ArrowLeft: -0.02, ArrowRight: 0.02, PageDown: -0.1, PageUp: 0.1, Home: -1, End: 1 };

    if (!(event.key in steps))
      return;
    event.preventDefault();
    event.stopPropagation();
    setSplit(view.split + steps[event.key]);
  });
}

// ---- dictionaries ----

export async function listDictionaries() {
  const { dictionaries } = await getJson('/api/dictionaries');
  const select = $('dictionary'), old = select.value;

  select.replaceChildren(...dictionaries.map(({ number, name }) => new Option(name, String(number))));
  select.value = old || '0';
  return dictionaries;
}

// ---- as long as the page is open ----

export function begin(about) {
  limits = about;
  setTool('brush');
  setBrush(brush);
  view.onchange = refresh;
  setInterval(() => {
    if (photo)
      getJson(`/api/photos/${photo.id}`).catch(error => {
        if (error.status === 422)
          showMessage('The server has closed this picture because it was not used. Open it again.', 'error');
      });
  }, HEARTBEAT);
  window.addEventListener('beforeunload', event => {
    if (unsaved)
      event.preventDefault();
  });
  // Frees the memory at once; without it, the server does so after a while.
  window.addEventListener('pagehide', () => {
    if (photo)
      remove(`/api/photos/${photo.id}`, { keepalive: true }).catch(() => {});
  });
  refresh();
}

export { view };
