// state.js - which controls can be used and what they say, and one action at a
// time

import { refreshCrop } from './crop.js';
import { desk, view } from './desk.js';
import { searchedKinds } from './kinds.js';
import { refreshMarks } from './marks.js';
import { refreshNoise } from './noise.js';
import { refreshStrip } from './strip.js';
import { $, announceNothing, attempt, chosen, count, showMessage } from './ui.js';

// ---- one thing at a time ----

// Runs an action during which nobody may change or save the picture: what is
// on the screen is not what the page will show next.
export async function occupy(action) {
  // What was said before is over, and would hide the progress.
  showMessage('');
  desk.waiting++;
  refresh();
  try {
    return await action();
  } finally {
    desk.waiting--;
    if (desk.waiting === 0) {
      $('progress').hidden = true;
      announceNothing();
    }
    refresh();
  }
}

// The same, for buttons: does nothing while something else is going on.
export function exclusive(action) {
  return attempt(async (...values) => {
    if (!desk.busy)
      await occupy(() => action(...values));
  });
}

// ---- what the page shows of its state ----

// Pictures that "all" means.
export function toMend() {
  const task = chosen('task');

  return desk.pictures.filter(({ mask, version }) => task === 'denoise' || !mask.empty
    || task === 'restore' && version === 0);
}

export function refresh() {
  const { busy, current } = desk, off = !current || busy;

  document.body.classList.toggle('has-photo', current !== null);
  document.body.classList.toggle('busy', busy);
  $('load-mask').disabled = $('close').disabled = off;
  $('download').disabled = off || !current.isChanged;
  $('find').disabled = $('find-all').disabled = off || searchedKinds().length === 0;
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
  $('download-all').disabled = off || !desk.pictures.some(({ isChanged }) => isChanged);
  refreshWords();
  refreshOutcome();
  refreshStrip();
  refreshNoise();
}

// What the last restoration has done to the picture on the screen.
function refreshOutcome() {
  const { current } = desk, last = current?.history.lastVersions;
  const shown = last && last.after === current.version && !desk.busy ? last : {};

  $('outcome').hidden = !shown.words;
  $('outcome-text').textContent = shown.words ?? '';
  $('filled-row').hidden = $('try-again').hidden = !shown.filled;
  view.showTraces($('show-filled').checked && shown.filled || null);
}

// Whether there is something to compare the original with.
export function hasAfter() {
  return desk.current !== null && (desk.current.version !== 0 || chosen('task') === 'denoise');
}

const starts = {
  restore: ['Restore', 'Restore all'], fill: ['Mend', 'Mend all'], denoise: ['Remove noise', 'Remove noise from all']
};

export function refreshWords() {
  const { current } = desk, task = chosen('task');
  const share = current ? current.mask.count / (current.info.width * current.info.height) : 0;

  $('painted').textContent = !current || current.mask.empty ? 'Nothing is painted over.'
    : `${count(current.mask.count, 'pixel')} painted over (${percent(share)}).`;
  $('found').textContent = current?.found?.words ?? '';
  $('zoom-text').textContent = current ? `${Math.round(view.scale * 100)} %` : '';
  $('noise').hidden = $('noise-row').hidden = task !== 'denoise';
  $('grow-row').hidden = task === 'denoise';
  $('damage').hidden = task !== 'fill';
  $('restoration').hidden = task !== 'restore';
  $('finder').hidden = $('find-all').hidden = task === 'denoise';
  refreshCrop();
  refreshMarks(task === 'denoise');
  [$('start-text').textContent, $('mend-all').textContent] = starts[task];
  if (!desk.busy)
    document.title = current ? `${current.info.name} · Tessera` : 'Tessera';
}

function percent(share) {
  const value = share * 100;

  return value > 0 && value < 0.1 ? 'less than 0.1 %' : `${value.toFixed(1)} %`;
}
