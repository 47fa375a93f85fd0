// mend.js - the first tab: what is done to the picture on the screen

import { getBlob, getBytes, getJson, post, postForJson, remove, watch } from './api.js';
import { desk, view } from './desk.js';
import { kindsFound, searchedKinds } from './kinds.js';
import { beginNoise, noiseQuery, noiseStep } from './noise.js';
import { askToClose, beginOpening, choosePicture, show } from './opening.js';
import { beginPainting, changeMask } from './painting.js';
import { setCompared } from './split.js';
import { exclusive, hasAfter, occupy, refresh, refreshWords, toMend } from './state.js';
import { beginStrip, loadThumbs } from './strip.js';
import { union } from './mask.js';
import { $, announce, ask, attempt, chooseFiles, chosen, count, duration, progressText, saveBlob,
  showMessage, showShare } from './ui.js';

const HEARTBEAT = 20000;      // milliseconds

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

// ---- work ----

function showProgress(state, label) {
  $('progress').hidden = false;
  $('progress-label').textContent = label;
  $('progress-text').textContent = progressText(state);
  document.title = `${progressText(state)} · Tessera`;
  showShare($('progress-bar'), state);
  announce(label, state.done);
}

// Runs a job on the current picture to its end; null if it was cancelled.
async function work(query, body, label) {
  const { address, version } = desk.current;
  const started = await postForJson(`${address}/jobs`, body, { query: { version, ...query } });

  desk.job = started.job;
  refresh();
  showProgress({ state: 'running', done: 0, seconds: 0, seconds_left: null }, label);
  // Not away from what somebody who searches is moving to and fro.
  if (!document.activeElement.matches('.finder input'))
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
    see_through: Number(task === 'fill' && $('see-through').checked),
    found: Number(Boolean(picture.found?.runs)),
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
      : chosen('task') === 'fill'
        ? `Mended ${count(done.masked_pixels, 'pixel')} in ${duration(done.seconds)}. ` +
          'Drag the slider to compare, or keep painting.'
        : `Done in ${duration(done.seconds)}. Drag the slider to compare.`);
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

function findQuery() {
  return { kinds: searchedKinds().join(), strength: findStrength().toFixed(3) };
}

// What is found becomes the mask, for people to change before it is mended.
// Found again, with another strength or for other kinds, it takes the place
// of what was found before; what people painted themselves stays.  Returns
// whether it was not cancelled.
async function search() {
  const picture = desk.current, query = findQuery();
  const done = await work({ task: 'find', ...query }, null, 'Looking for damage');

  if (!done) {
    showMessage('Cancelled.');
    return false;
  }
  const runs = done.found > 0 ? await getBytes(`${picture.address}/found`) : null;

  changeMask(mask => {
    const old = picture.found?.runs ? mask.removeRuns(picture.found.runs) : null;

    picture.found = { runs: runs && mask.newIn(runs), query: JSON.stringify(query), words: kindsFound(done.kinds) };
    return runs ? union(old, mask.addRuns(runs)) : old;
  });
  showMessage(runs ? 'What was found is marked. Erase the marks on anything that should stay, then press Mend.'
    : 'No damage of these kinds was found. Try a higher strength, or paint over it.');
  return true;
}

// Whether what is marked was found with other settings than are set now.
function isOutdated() {
  const found = desk.current?.found;

  return found && searchedKinds().length > 0 && found.query !== JSON.stringify(findQuery());
}

export const find = exclusive(async () => {
  while (await search() && isOutdated())
    ;
  $('stage').focus({ preventScroll: true });
});

// Once something was looked for, the slider and the kinds move the border of
// what is found: each change searches again.  Those that come in the meantime
// count as one.
export const findAgain = exclusive(async () => {
  while (isOutdated() && await search())
    ;
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
  return ask('Load a mask', 'Part of the picture is painted over already. Replace that, or add to it?',
             [['', 'Cancel'], ['replace', 'Replace'], ['add', 'Add']]);
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
  changeMask(mask => {
    desk.current.found = null;
    return mask.clear();
  });
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
  beginOpening(about);
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
