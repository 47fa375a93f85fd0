// mend.js - the first tab: open, mark, mend, look, save

import { getBlob, getBytes, getJson, post, postForJson, remove, watch } from './api.js';
import { desk, Picture, view } from './desk.js';
import { kindsFound, searchedKinds } from './kinds.js';
import { beginNoise, noiseQuery, noiseStep, refreshNoise } from './noise.js';
import { beginPainting, changeMask, setBrush } from './painting.js';
import { beginStrip, loadThumbs, refreshStrip, showCurrentThumb } from './strip.js';
import { union } from './mask.js';
import { $, ask, attempt, chooseFiles, chosen, count, duration, progressText, saveBlob, showMessage, showShare } from './ui.js';

const HEARTBEAT = 20000;      // milliseconds

let limits = { max_upload: Infinity };

// ---- one thing at a time ----

// Runs an action during which nobody may change or save the picture: what is
// on the screen is not what the page will show next.
async function occupy(action) {
  desk.waiting++;
  refresh();
  try {
    return await action();
  } finally {
    desk.waiting--;
    if (desk.waiting === 0)
      $('progress').hidden = true;
    refresh();
  }
}

// The same, for buttons: does nothing while something else is going on.
function exclusive(action) {
  return attempt(async (...values) => {
    if (!desk.busy)
      await occupy(() => action(...values));
  });
}

// ---- undo and redo ----

const undoOne = exclusive(async () => {
  const history = desk.current?.history;

  if (history?.canUndo)
    await travel(() => history.undo(), () => history.redo());
});

const redoOne = exclusive(async () => {
  const history = desk.current?.history;

  if (history?.canRedo)
    await travel(() => history.redo(), () => history.undo());
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
  const picture = desk.current, to = step();

  view.redraw();
  refresh();
  try {
    if (to !== null)
      await view.showVersion(to);
    picture.version = to ?? picture.version;
  } catch (error) {
    back();
    await view.showVersion(picture.version);
    throw error;
  } finally {
    setCompared(view.compared && hasAfter());
    view.redraw();
  }
  await loadThumbs();
}

// ---- what the page shows of its state ----

// Pictures that "all" means.
function toMend() {
  return desk.pictures.filter(({ mask }) => chosen('task') === 'denoise' || !mask.empty);
}

export function refresh() {
  const { busy, current } = desk, off = !current || busy;

  document.body.classList.toggle('has-photo', current !== null);
  document.body.classList.toggle('busy', busy);
  for (const id of ['load-mask', 'close', 'download'])
    $(id).disabled = off;
  $('find').disabled = off || searchedKinds().length === 0;
  $('open').disabled = busy;
  for (const button of document.querySelectorAll('[data-tool]'))
    button.disabled = off;
  // These wait for each other, and keep the focus of somebody who repeats them.
  $('undo').disabled = !current || desk.job !== 0 || !current.history.canUndo;
  $('redo').disabled = !current || desk.job !== 0 || !current.history.canRedo;
  $('save-mask').disabled = $('clear-mask').disabled = off || current.mask.empty;
  $('start').disabled = off || chosen('task') === 'fill' && current.mask.empty;
  $('cancel').disabled = desk.job === 0;
  $('compare-toggle').disabled = !hasAfter();
  $('hold').disabled = !current || current.version === 0;
  $('mend-all').disabled = off || toMend().length === 0;
  $('download-all').disabled = off || !desk.pictures.some(({ version }) => version !== 0);
  refreshWords();
  refreshStrip();
  refreshNoise();
}

// Whether there is something to compare the original with.
function hasAfter() {
  return desk.current !== null && (desk.current.version !== 0 || chosen('task') === 'denoise');
}

function refreshWords() {
  const { current } = desk, fills = chosen('task') === 'fill';
  const share = current ? current.mask.count / (current.info.width * current.info.height) : 0;

  $('painted').textContent = !current || current.mask.empty ? 'Nothing is painted over yet.'
    : `${count(current.mask.count, 'pixel')} painted over (${percent(share)}).`;
  $('zoom-text').textContent = current ? `${Math.round(view.scale * 100)} %` : '';
  $('noise').hidden = $('noise-row').hidden = fills;
  $('damage').hidden = !fills;
  $('start-text').textContent = fills ? 'Mend' : 'Remove noise';
  $('mend-all').textContent = fills ? 'Mend all' : 'Remove noise from all';
  if (!desk.busy)
    document.title = current ? `${current.info.name} · Tessera` : 'Tessera';
}

function percent(share) {
  const value = share * 100;

  return value > 0 && value < 0.1 ? 'less than 0.1 %' : `${value.toFixed(1)} %`;
}

function describe({ name, width, height, format, depth }) {
  $('found').textContent = '';
  $('file-name').textContent = name;
  $('file-facts').textContent = `${width} × ${height} · ${format}${depth > 8 ? ` · ${depth} bit` : ''}`;
  $('file').hidden = false;
  $('stage').setAttribute('aria-label', `${name}, ${width} by ${height} pixels. ` +
    'Arrow keys move the brush, Enter starts and ends a stroke.');
}

// ---- opening and closing ----

// Puts one of the pictures on the screen.
async function show(picture) {
  const { compared } = picture;

  desk.current = picture;
  describe(picture.info);
  setBrush(picture.brush);
  setCompared(false);
  await view.show(picture.info, picture.mask, picture.version);
  setCompared(compared && hasAfter());
  refresh();
  showCurrentThumb();
}

export const choosePicture = exclusive(async picture => {
  if (picture === desk.current)
    return;
  await show(picture);
  $('stage').focus({ preventScroll: true });
});

export function stepPicture(step) {
  const { pictures, current } = desk;

  if (pictures.length > 1)
    choosePicture(pictures[(pictures.indexOf(current) + step + pictures.length) % pictures.length]);
}

// One after the other, however fast they are dropped.
let opening = Promise.resolve();

export function openFiles(files) {
  return opening = opening.then(() => openWhenFree([...files]));
}

const openWhenFree = attempt(async files => {
  if (files.length === 0)
    return;
  if (desk.busy)
    throw new Error('Wait for the work in progress to end, or cancel it');
  showMessage('');
  await occupy(() => openEach(files));
  $('stage').focus({ preventScroll: true });
});

async function openEach(files) {
  const refused = [];
  let first = null;

  document.body.classList.add('loading');
  try {
    for (const [i, file] of files.entries()) {
      showOpening(file.name, i, files.length);
      const picture = await openOne(file).catch(error => void refused.push(error.message));

      if (picture && !first)
        await show(first = picture);
    }
    await loadThumbs();
  } finally {
    document.body.classList.remove('loading');
  }
  if (refused.length > 0)
    throw new Error(refused[0] + (refused.length > 1 ? ` (and ${refused.length - 1} more)` : ''));
}

async function openOne(file) {
  const name = file.name || 'pasted.png';

  if (file.size > limits.max_upload)
    throw new Error(`${name} is larger than ${Math.floor(limits.max_upload / 2 ** 20)} MB`);
  const picture = new Picture(await postForJson('/api/photos', file, { query: { name } }));

  desk.pictures.push(picture);
  refresh();
  return picture;
}

function showOpening(name, i, total) {
  $('progress').hidden = false;
  $('progress-label').textContent = `Opening ${name || 'a picture'}`;
  $('progress-text').textContent = total > 1 ? `${i + 1} of ${total}` : '';
  $('progress-bar').removeAttribute('value');
  document.title = 'Opening · Tessera';
}

async function mayClose({ info, mask, unsaved }) {
  if (mask.empty && !unsaved)
    return true;
  const lost = unsaved ? 'The restored picture has not been downloaded.' : 'What you painted over will be lost.';

  return await ask(`Close ${info.name}?`, lost, [['close', 'Close it'], ['keep', 'Keep it open']]) === 'close';
}

export const askToClose = attempt(async (picture = desk.current) => {
  if (!desk.busy && picture && await mayClose(picture))
    await occupy(() => closePicture(picture));
});

async function closePicture(picture) {
  const at = desk.pictures.indexOf(picture);

  desk.pictures.splice(at, 1);
  URL.revokeObjectURL(picture.thumb.address);
  if (picture === desk.current) {
    desk.current = null;
    view.forget();
    $('file').hidden = true;
    setCompared(false);
  }
  refresh();
  await remove(picture.address).catch(() => {});
  if (!desk.current && desk.pictures.length > 0)
    await show(desk.pictures[Math.min(at, desk.pictures.length - 1)]);
}

export const choosePhotos = attempt(async () => {
  if (!desk.busy)
    await openFiles(await chooseFiles($('choose-photo')));
});

// ---- work ----

function showProgress(state, label) {
  $('progress').hidden = false;
  $('progress-label').textContent = label;
  $('progress-text').textContent = progressText(state);
  document.title = `${progressText(state)} · Tessera`;
  showShare($('progress-bar'), state);
}

// Runs a job on the current picture to its end; null if it was cancelled.
async function work(query, body, label) {
  const { address, version } = desk.current;
  const started = await postForJson(`${address}/jobs`, body, { query: { version, ...query } });

  desk.job = started.job;
  refresh();
  showProgress({ state: 'running', done: 0, seconds: 0, seconds_left: null }, label);
  $('cancel').focus({ preventScroll: true });
  try {
    const state = await watch(desk.job, now => showProgress(now, label));

    if (state.state === 'failed')
      throw new Error(state.error);
    return state.state === 'done' ? state : null;
  } finally {
    desk.job = 0;
    refresh();
  }
}

export const cancel = attempt(async () => {
  if (desk.job !== 0)
    await remove(`/api/jobs/${desk.job}`);
});

function doing() {
  return chosen('task') === 'fill' ? 'Mending' : 'Removing noise';
}

// Restores the current picture; null if that was cancelled.
async function mendCurrent(label) {
  const picture = desk.current, { history } = picture, task = chosen('task');
  const noise = task === 'denoise' ? noiseQuery() : {};
  const again = task === 'denoise' && noiseStep(picture).base !== picture.version;

  if (again)
    await travel(() => history.undo(), () => history.redo());
  const done = await work({
    task,
    quality: chosen('quality'),
    dictionary: $('dictionary').value || 0,
    ...noise
  }, picture.mask.toRuns(), label);

  if (!done && again)
    await travel(() => history.redo(), () => history.undo());
  if (!done)
    return null;
  showProgress({ state: 'running', done: 1, seconds: 0, seconds_left: null }, 'Showing the result');
  history.begin();
  picture.mask.clear();
  picture.found = null;
  history.end({
    before: picture.version, after: done.version,
    noise: task === 'denoise' ? JSON.stringify(noise) : undefined
  });
  picture.version = done.version;
  await view.showVersion(picture.version);
  await loadThumbs();
  return done;
}

export const start = exclusive(async () => {
  if (!desk.current || chosen('task') === 'fill' && desk.current.mask.empty)
    return;
  const done = await mendCurrent(doing());

  if (done)
    setCompared(true);
  showMessage(!done ? 'Cancelled. The picture was not changed.'
    : !done.changed ? 'Found nothing to restore.'
      : (chosen('task') === 'fill' ? `Mended ${count(done.masked_pixels, 'pixel')}` : 'Done') +
        ` in ${duration(done.seconds)}. Drag the slider to compare, or keep painting.`);
  $('stage').focus({ preventScroll: true });
});

// What follows a stroke where people want no button.  The slider between
// before and after would be in the way of the next one.
const mendStroke = exclusive(async () => {
  const done = await mendCurrent(doing());

  setCompared(false);
  showMessage(done ? '' : 'Cancelled. The picture was not changed.');
  $('stage').focus({ preventScroll: true });
});

export const mendAll = exclusive(async () => {
  const todo = toMend(), skipped = desk.pictures.length - todo.length;
  let mended = 0;

  for (const [i, picture] of todo.entries()) {
    await show(picture);
    if (!await mendCurrent(`${doing()} ${i + 1} of ${todo.length}`))
      break;
    picture.compared = true;
    mended++;
  }
  setCompared(desk.current.compared);
  showMessage(mended < todo.length ? `Cancelled after ${count(mended, 'picture')}.`
    : `Restored ${count(mended, 'picture')}.` +
      (skipped > 0 ? ` ${count(skipped, 'picture')} had nothing painted over.` : ''));
});

// ---- damage that is found ----

// What is found becomes the mask, for people to change before it is mended.
// Found again, with another strength or for other kinds, it takes the place
// of what was found before; what people painted themselves stays.
export const find = exclusive(async () => {
  const picture = desk.current;
  const done = await work({
    task: 'find', kinds: searchedKinds().join(), strength: findStrength().toFixed(3)
  }, null, 'Looking for damage');

  if (!done)
    return showMessage('Cancelled.');
  const runs = done.found > 0 ? await getBytes(`${picture.address}/found`) : null;

  changeMask(mask => {
    const old = picture.found ? mask.removeRuns(picture.found) : null;

    return runs ? union(old, mask.addRuns(runs)) : old;
  });
  picture.found = runs;
  $('found').textContent = kindsFound(done.kinds);
  showMessage(runs ? 'What was found is marked. Take the eraser to what should stay, then press Mend.'
    : 'No damage of these kinds was found. Try a higher strength, or paint over it.');
  $('stage').focus({ preventScroll: true });
});

function findStrength() {
  return 2 ** Number($('find-strength').value);
}

export function showFindStrength() {
  const value = Number($('find-strength').value);

  $('find-strength-text').textContent = value < -0.5 ? 'only what is certain' : value > 0.5 ? 'also what is doubtful'
    : 'normal';
}

// ---- masks and files ----

// What to do with what is painted over already: '' for nothing at all.
async function askForMask() {
  if (desk.current.mask.empty)
    return 'add';
  return ask('Load a mask', 'Something is painted over already.',
             [['', 'Cancel'], ['replace', 'Replace it'], ['add', 'Add to it']]);
}

export const loadMask = attempt(async () => {
  const [file] = await chooseFiles($('choose-mask'));

  if (!file || desk.busy)
    return;
  const runs = await occupy(async () => {
    const response = await post(`${desk.current.address}/mask/picture`, file);

    return new Uint8Array(await response.arrayBuffer());
  });
  const how = await askForMask();

  if (how === '' || desk.busy)
    return;
  changeMask(mask => {
    if (how === 'replace')
      mask.clear();
    return mask.addRuns(runs);
  });
  showMessage(how === 'replace' ? 'The mask was replaced.' : 'The mask was added.');
});

export const saveMask = exclusive(async () => {
  const { address, info, mask } = desk.current;
  const response = await post(`${address}/mask/runs`, mask.toRuns());

  saveBlob(await response.blob(), info.name.replace(/\.[^.]*$/, '') + '-mask.png');
});

export function clearMask() {
  desk.current.found = null;
  changeMask(mask => mask.clear());
}

async function save(picture) {
  saveBlob(await getBlob(`${picture.address}/picture`, { query: { version: picture.version } }),
           picture.info.mended_name);
  picture.saved = picture.version;
}

export const download = exclusive(() => save(desk.current));

export const downloadAll = exclusive(async () => {
  const restored = desk.pictures.filter(({ version }) => version !== 0);

  for (const [i, picture] of restored.entries()) {
    showProgress({ state: 'running', done: i / restored.length, seconds: 0, seconds_left: null },
                 `Saving ${picture.info.mended_name}`);
    await save(picture);
  }
  showMessage(`Saved ${count(restored.length, 'picture')}.`);
});

// ---- before and after ----

export function setCompared(on) {
  view.compared = on;
  if (desk.current)
    desk.current.compared = on;
  $('split').hidden = !on;
  $('compare-toggle').setAttribute('aria-pressed', String(on));
  setSplit(view.split);
}

export function toggleCompared() {
  if (hasAfter())
    setCompared(!view.compared);
}

// The other task has other previews.
export function changeTask() {
  showMessage('');
  setCompared(view.compared && hasAfter() || chosen('task') === 'denoise' && desk.current !== null);
  refresh();
}

export const changeLook = exclusive(async () => {
  const removed = chosen('look') === 'removed';

  if (desk.current)
    await view.showRemoved(removed);
  view.removed = removed;
});

export function setSplit(share) {
  view.split = Math.min(Math.max(share, 0), 1);
  $('split').style.left = `${view.split * 100}%`;
  $('split').setAttribute('aria-valuenow', String(Math.round(view.split * 100)));
  view.redraw();
}

export function showOriginal(on) {
  if (!desk.current || desk.current.version === 0 || view.original === on)
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

async function beat() {
  for (const { address, info } of [...desk.pictures])
    await getJson(address).catch(error => {
      if (error.status === 422)
        showMessage(`The server has closed ${info.name} because it was not used. Open it again.`, 'error');
    });
}

export function begin(about) {
  limits = about;
  beginPainting(refresh, () => {
    if ($('on-release').checked && chosen('task') === 'fill' && !desk.current.mask.empty)
      mendStroke();
  });
  beginStrip(choosePicture, askToClose);
  beginNoise();
  showFindStrength();
  view.onchange = refreshWords;
  setInterval(beat, HEARTBEAT);
  window.addEventListener('beforeunload', event => {
    if (desk.pictures.some(({ hasWork }) => hasWork))
      event.preventDefault();
  });
  // Frees the memory at once; without it, the server does so after a while.
  window.addEventListener('pagehide', () => {
    for (const { address } of desk.pictures)
      remove(address, { keepalive: true }).catch(() => {});
  });
  refresh();
}

export { view };
