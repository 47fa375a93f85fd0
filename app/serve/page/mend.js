// mend.js - the first tab: what is done to the picture on the screen

import { getJson, remove } from './api.js';
import { desk, view } from './desk.js';
import { maskQuery } from './files.js';
import { findQuery, isFoundNow, markFound, showFindStrength } from './finding.js';
import { addKinds, kindsInWords } from './kinds.js';
import { beginNoise, noiseQuery, noiseStep } from './noise.js';
import { askToClose, beginOpening, choosePicture, show } from './opening.js';
import { beginPainting } from './painting.js';
import { setCompared } from './split.js';
import { exclusive, refresh, refreshWords, toMend } from './state.js';
import { beginStrip, loadThumbs } from './strip.js';
import { travel } from './travel.js';
import { $, chosen, count, duration, showMessage } from './ui.js';
import { showNear, work } from './work.js';

const HEARTBEAT = 20000;      // milliseconds

// ---- the picture on the screen ----

const doing = { restore: 'Restoring', fill: 'Mending', denoise: 'Removing noise' };

function commonQuery(picture) {
  return {
    quality: chosen('quality'), dictionary: $('dictionary').value || 0, thick: $('thick').value, ...maskQuery(picture)
  };
}

// The same, where marks are filled.
function fillQuery(picture) {
  return { grow: $('grow').value || 0, ...commonQuery(picture) };
}

// Makes the result of a job a step of the history and shows it.
async function keepResult(picture, done, versions) {
  const { history } = picture, filled = picture.mask.empty ? null : picture.mask.toRuns();

  showNear(1, 'Showing the result');
  history.begin();
  picture.mask.clear();
  picture.found = null;
  history.end({ before: picture.version, after: done.version, filled, ...versions });
  picture.version = done.version;
  await view.showVersion(picture.version);
  await loadThumbs();
}

// What was done, for people.
function outcome({ kinds = {}, masked_pixels: pixels, noise, faded }) {
  const found = kindsInWords(kinds);
  const filled = found ? `Filled ${found} (${count(pixels, 'pixel')}).`
    : pixels > 0 ? `Filled ${count(pixels, 'pixel')}.` : '';

  return [filled, noise ? `Removed ${noise.replace('levels', 'of 255 levels')}.` : '',
    faded ? `Brought back ${faded}.` : ''].filter(Boolean).join(' ');
}

// What was found of each kind, if all of it was filled: not where people have
// taken marks away.
function kindsFilled({ found }, { masked_pixels: pixels }) {
  const kinds = found?.kinds ?? {}, sum = Object.values(kinds).reduce((all, kind) => all + kind.pixels, 0);

  return sum <= pixels ? kinds : {};
}

// Damage that was looked for with the settings of now is not looked for again:
// what people made of the marks counts.  Marks are shown as soon as they are
// known, and are a step of their own, to which undo goes back.
async function restoreCurrent(label, seed = 0) {
  const picture = desk.current, query = findQuery();
  const search = $('fill-damage').checked && query.kinds !== '' && !isFoundNow();
  let marking = null;
  const mark = state => {
    if (search && state.kinds)
      marking ??= markFound(picture, query, state);
  };
  const done = await work({
    task: 'restore', kinds: search ? query.kinds : '', find_strength: query.strength,
    noise: Number($('remove-noise').checked), ...$('undo-fading').checked && { fading: 'auto' }, seed,
    ...fillQuery(picture)
  }, picture.mask.toRuns(), label, mark);

  if (done)
    mark(done);
  await marking;
  if (!done)
    return null;
  const kinds = kindsFilled(picture, done);

  if (done.changed)
    await keepResult(picture, done, { task: 'restore', seed, words: outcome({ ...done, kinds }) });
  return { ...done, kinds };
}

async function mendCurrent(label, seed = 0) {
  const picture = desk.current;
  const done = await work({
    task: 'fill', see_through: Number($('see-through').checked), seed, ...fillQuery(picture)
  }, picture.mask.toRuns(), label);

  if (done)
    await keepResult(picture, done, { task: 'fill', seed, words: outcome({ ...done, kinds: kindsFilled(picture, done) }) });
  return done;
}

// Noise that was removed in the last step is removed again from what was there
// before.
async function denoiseCurrent(label) {
  const picture = desk.current, { history } = picture, noise = noiseQuery(picture);
  const again = noiseStep(picture).base !== picture.version;

  if (again)
    await travel(() => history.undo(), () => history.redo());
  const done = await work({ task: 'denoise', ...commonQuery(picture), ...noise }, picture.mask.toRuns(), label);

  if (!done && again)
    await travel(() => history.redo(), () => history.undo());
  if (done)
    await keepResult(picture, done, { words: outcome(done), noise: JSON.stringify(noise) });
  return done;
}

// Each does its work on the current picture; null if that was cancelled.
const tasks = { restore: restoreCurrent, fill: mendCurrent, denoise: denoiseCurrent };

function report(done) {
  if (!done)
    return desk.current.mask.empty ? 'Cancelled. The picture was not changed.'
      : 'Cancelled. The picture was not changed; what is marked is still there.';
  if (!done.changed)
    return 'Found nothing to restore.';
  return `${outcome(done)} Done in ${duration(done.seconds)}. Drag the slider to compare.`.trim();
}

export const start = exclusive(async () => {
  const task = chosen('task');

  if (!desk.current || task === 'fill' && desk.current.mask.empty)
    return;
  const done = await tasks[task](doing[task]);

  if (done?.changed)
    setCompared(true);
  showMessage(report(done));
  $('stage').focus({ preventScroll: true });
});

// Another result in place of the last one: large holes are filled by texture
// from elsewhere, and another seed, or another kind of fill, chooses others.
export const tryAgain = exclusive(async () => {
  const { history } = desk.current, { task, seed } = history.lastVersions;

  await travel(() => history.undo(), () => history.redo());
  const done = await tasks[task](doing[task], seed + 1);

  if (!done)
    await travel(() => history.redo(), () => history.undo());
  showMessage(done ? '' : 'Cancelled. The picture is as it was.');
});

// What follows a stroke where people want no button.  The slider between
// before and after would be in the way of the next one.
const mendStroke = exclusive(async () => {
  const done = await mendCurrent(doing.fill);

  setCompared(false);
  showMessage(done ? '' : 'Cancelled. The picture was not changed.');
  $('stage').focus({ preventScroll: true });
});

// ---- all pictures ----

// Why each task leaves some pictures out.
const leftOut = {
  restore: many => `${many === 1 ? 'was' : 'were'} restored before`,
  fill: () => 'had nothing painted over'
};

function reportAll(task, { changed, same, kinds }, skipped) {
  const filled = kindsInWords(kinds);

  return `Restored ${count(changed, 'picture')}${filled ? `: filled ${filled}` : ''}.` +
    (same > 0 ? ` ${count(same, 'picture')} had nothing to restore.` : '') +
    (skipped > 0 ? ` ${count(skipped, 'picture')} ${leftOut[task](skipped)}.` : '');
}

export const mendAll = exclusive(async () => {
  const todo = toMend(), skipped = desk.pictures.length - todo.length, task = chosen('task');
  const tally = { changed: 0, same: 0, kinds: {} };

  for (const [i, picture] of todo.entries()) {
    await show(picture);
    const done = await tasks[task](`${doing[task]} ${i + 1} of ${todo.length}`);

    if (!done)
      break;
    picture.compared = done.changed;
    tally[done.changed ? 'changed' : 'same']++;
    addKinds(tally.kinds, done.kinds ?? {});
  }
  setCompared(desk.current.compared);
  showMessage(tally.changed + tally.same < todo.length
    ? `Cancelled after ${count(tally.changed + tally.same, 'picture')}.` : reportAll(task, tally, skipped));
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
  if (desk.pictures.length === 0)
    await getJson('/api/given').catch(() => {});
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
