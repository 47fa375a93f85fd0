// travel.js - undo and redo, with the version that belongs to each step

import { desk, view } from './desk.js';
import { setCompared } from './split.js';
import { exclusive, hasAfter, refresh } from './state.js';
import { loadThumbs } from './strip.js';

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
export async function travel(step, back) {
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
