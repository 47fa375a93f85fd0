// marks.js - marks one by one: looked at, dropped, widened and narrowed
//
// A mark is what hangs together of the mask.  One of them may be chosen; it is
// no longer once the mask has changed in another way.

import { desk, view } from './desk.js';
import { countIn, union } from './mask.js';
import { changeMask } from './painting.js';
import { $, count } from './ui.js';

let chosen = null;            // { mask, changes, index }, or null

function marks() {
  return desk.current ? desk.current.mask.marks() : [];
}

function choose(index) {
  const { mask } = desk.current;

  chosen = index < 0 ? null : { mask, changes: mask.changes, index };
}

function chosenIndex() {
  const mask = desk.current?.mask;

  return chosen && chosen.mask === mask && chosen.changes === mask.changes ? chosen.index : -1;
}

function chosenMark() {
  return marks()[chosenIndex()] ?? null;
}

// ---- what is shown ----

export function refreshMarks(hidden) {
  const all = hidden ? [] : marks(), mark = hidden ? null : chosenMark(), off = desk.busy || all.length === 0;

  $('marks').hidden = all.length === 0;
  $('mark-text').textContent = mark ? `Mark ${chosenIndex() + 1} of ${all.length.toLocaleString('en')}`
    : count(all.length, 'mark');
  for (const id of ['mark-back', 'mark-next', 'narrower', 'wider'])
    $(id).disabled = off;
  $('drop-mark').disabled = off || !mark;
  placeRing(mark);
}

function placeRing(mark) {
  const ring = $('mark-ring');

  ring.hidden = !mark;
  if (!mark)
    return;
  const { x, y } = view.origin, { scale } = view, gap = 8;

  ring.style.left = `${mark.x0 * scale + x - gap}px`;
  ring.style.top = `${mark.y0 * scale + y - gap}px`;
  ring.style.width = `${(mark.x1 - mark.x0) * scale + 2 * gap}px`;
  ring.style.height = `${(mark.y1 - mark.y0) * scale + 2 * gap}px`;
}

// ---- what can be done ----

// Another one, the next for 1 and the one before for -1.
export function stepMark(step) {
  const { length } = marks(), from = chosenIndex();

  if (desk.busy || length === 0)
    return;
  choose(from < 0 ? step > 0 ? 0 : length - 1 : (from + step + length) % length);
  view.look(chosenMark());
}

// Marks that were found are still known as such when they have changed, and
// take another shape.
function change(action) {
  const picture = desk.current, { found, mask } = picture;
  const isFound = found?.runs && countIn(found.runs, mask) === mask.count;

  changeMask(() => {
    const area = action(mask);

    if (isFound)
      picture.found = { ...found, runs: mask.toRuns() };
    return area;
  });
}

// The one that is chosen; then the next is.
export function dropMark() {
  const index = chosenIndex(), mark = chosenMark();

  if (desk.busy || !mark)
    return;
  change(mask => mask.eraseMark(mark));
  choose(Math.min(index, marks().length - 1));
  if (chosenMark())
    view.look(chosenMark());
  refreshMarks(false);
}

// The chosen one, or all; by a pixel on each side.
export function resizeMarks(by) {
  const mark = chosenMark(), all = mark ? [mark] : marks();

  if (desk.busy || all.length === 0)
    return;
  change(mask => all.reduce((area, each) => union(area, by > 0 ? mask.widenMark(each) : mask.narrowMark(each)), null));
  if (mark) {
    choose(desk.current.mask.markNear({ x: mark.spans[0][1], y: mark.spans[0][0] }, 4));
    refreshMarks(false);
  }
}
