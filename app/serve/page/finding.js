// finding.js - damage that is found, in one picture or in all of them

import { getBytes } from './api.js';
import { desk } from './desk.js';
import { addKinds, kindsFound, kindsInWords, searchedKinds } from './kinds.js';
import { show } from './opening.js';
import { changeMask } from './painting.js';
import { exclusive } from './state.js';
import { union } from './mask.js';
import { $, count, showMessage } from './ui.js';
import { work } from './work.js';

export function findQuery() {
  return { kinds: searchedKinds().join(), strength: findStrength().toFixed(3) };
}

// Marks what a job has found, for people to see, and to change before it is
// mended.  Found again, with another strength or for other kinds, it takes the
// place of what was found before; what people painted themselves stays.
// Returns whether there was anything.
export async function markFound(picture, query, { found, kinds }) {
  const runs = found > 0 ? await getBytes(`${picture.address}/found`) : null;

  changeMask(mask => {
    const old = picture.found?.runs ? mask.removeRuns(picture.found.runs) : null;

    picture.found = { runs: runs && mask.newIn(runs), query: JSON.stringify(query), kinds, words: kindsFound(kinds) };
    return runs ? union(old, mask.addRuns(runs)) : old;
  });
  return runs !== null;
}

// What was found, as the server says it; null if it was cancelled.
async function search(label = 'Looking for damage') {
  const picture = desk.current, query = findQuery();
  const done = await work({ task: 'find', ...query }, null, label);

  if (done)
    await markFound(picture, query, done);
  return done;
}

function report(done) {
  showMessage(!done ? 'Cancelled.'
    : done.found > 0 ? 'What was found is marked. Erase the marks on anything that should stay, then restore.'
      : 'No damage of these kinds was found. Try a higher strength, or paint over it.');
}

// Whether what is marked was found with the settings of now.
export function isFoundNow() {
  return Boolean(desk.current?.found) && desk.current.found.query === JSON.stringify(findQuery());
}

function isOutdated() {
  return desk.current?.found && searchedKinds().length > 0 && !isFoundNow();
}

async function searchUntilCurrent() {
  let done = null;

  do
    done = await search();
  while (done && isOutdated());
  report(done);
}

export const find = exclusive(async () => {
  await searchUntilCurrent();
  $('stage').focus({ preventScroll: true });
});

// Once something was looked for, the slider and the kinds move the border of
// what is found: each change searches again.  Those that come in the meantime
// count as one.
export const findAgain = exclusive(async () => {
  if (isOutdated())
    await searchUntilCurrent();
});

export const findAll = exclusive(async () => {
  const first = desk.current, { pictures } = desk, sum = {};
  let damaged = 0;

  for (const [i, picture] of [...pictures].entries()) {
    await show(picture);
    const done = await search(`Looking for damage, ${i + 1} of ${pictures.length}`);

    if (!done)
      return showMessage(`Cancelled after ${count(i, 'picture')}.`);
    damaged += done.found > 0 ? 1 : 0;
    addKinds(sum, done.kinds);
  }
  await show(first);
  showMessage(damaged === 0 ? 'No damage of these kinds was found.'
    : `Found ${kindsInWords(sum)} in ${damaged} of ${count(pictures.length, 'picture')}.`);
});

export function findStrength() {
  return 2 ** Number($('find-strength').value);
}

export function showFindStrength() {
  const value = Number($('find-strength').value);

  $('find-strength-text').textContent = value < -0.5 ? 'only what is certain' : value > 0.5 ? 'also what is doubtful'
    : 'normal';
}
