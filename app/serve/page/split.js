// split.js - before and after, side by side or one in place of the other

import { desk, view } from './desk.js';
import { exclusive, hasAfter, refresh } from './state.js';
import { $, chosen, showMessage } from './ui.js';

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

function setSplit(share) {
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
