// kinds.js - the kinds of damage that can be found

import { $ } from './ui.js';

// By their names for the server: what the button says, and one of them.  Those
// that are looked for most come first.
const kinds = {
  scratches: ['Scratches, cracks', 'scratch, crack or hair', 'scratches, cracks and hairs'],
  dust: ['Dust', 'speck of dust', 'specks of dust'],
  areas: ['Lost areas', 'lost area', 'lost areas'],
  stamp: ['Stamps, text', 'stamp or text', 'stamps and texts'],
  border: ['Corners, borders', 'blank corner or border', 'blank corners and borders'],
  blocks: ['Black blocks', 'blacked-out block', 'blacked-out blocks'],
  dead: ['Dead pixels', 'dead pixel', 'dead pixels']
};

function inputs() {
  return [...$('kinds').querySelectorAll('input')];
}

export function searchedKinds() {
  return inputs().filter(({ checked }) => checked).map(({ value }) => value);
}

// How much there is of each kind, as "9 specks of dust, 1 dead pixel"; '' for
// nothing.
export function kindsInWords(found) {
  return Object.entries(found).filter(([, { marks }]) => marks > 0).map(([name, { marks }]) => {
    const [, one, many] = kinds[name] ?? [name, name, name];

    return `${marks.toLocaleString('en')} ${marks === 1 ? one : many}`;
  }).join(', ');
}

export function kindsFound(found) {
  const words = kindsInWords(found);

  return words ? `Found ${words}.` : 'Found none of these.';
}

// Adds what was found in one more picture.
export function addKinds(sum, found) {
  for (const [name, { marks, pixels }] of Object.entries(found)) {
    sum[name] ??= { marks: 0, pixels: 0 };
    sum[name].marks += marks;
    sum[name].pixels += pixels;
  }
  return sum;
}

// names: the kinds that the server knows.
export function beginKinds(names, onchange) {
  const known = Object.keys(kinds).filter(name => names.includes(name));
  const others = names.filter(name => !(name in kinds));

  $('kinds').replaceChildren(...[...known, ...others].map(name => {
    const label = document.createElement('label'), input = document.createElement('input');
    const text = document.createElement('span');

    label.className = 'chip';
    input.type = 'checkbox';
    input.value = name;
    input.checked = true;
    input.addEventListener('change', onchange);
    text.textContent = kinds[name]?.[0] ?? name;
    label.append(input, text);
    return label;
  }));
}
