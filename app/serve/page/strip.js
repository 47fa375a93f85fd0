// strip.js - the open pictures as a row of small ones, when there are several

import { getBlob } from './api.js';
import { desk } from './desk.js';
import { $ } from './ui.js';

const SIDE = 160;

let choose = () => {}, close = () => {};

function icon(name) {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  const use = document.createElementNS('http://www.w3.org/2000/svg', 'use');

  use.setAttribute('href', `#i-${name}`);
  svg.append(use);
  return svg;
}

function button(className, label, action) {
  const made = document.createElement('button');

  made.className = className;
  made.setAttribute('aria-label', label);
  made.title = label;
  made.addEventListener('click', action);
  return made;
}

function item(picture) {
  const { name } = picture.info;
  const made = document.createElement('li'), image = document.createElement('img');
  const shown = button('thumb', name, () => choose(picture));
  const cross = button('cross', `Close ${name}`, () => close(picture));

  image.alt = '';
  image.draggable = false;
  shown.append(image);
  cross.append(icon('close'));
  made.append(shown, cross);
  return made;
}

// In words what the dot says.
function stateOf(picture) {
  if (!picture.mask.empty)
    return 'painted';
  return !picture.isChanged ? '' : picture.unsaved ? 'restored' : 'saved';
}

const items = new Map();      // by picture

// Brings the row up to date with the desk.
export function refreshStrip() {
  const several = desk.pictures.length > 1;

  $('strip').hidden = $('all').hidden = $('mend-all').hidden = !several;
  for (const picture of items.keys())
    if (!desk.pictures.includes(picture))
      items.delete(picture);
  for (const picture of desk.pictures)
    if (!items.has(picture))
      items.set(picture, item(picture));
  const rows = desk.pictures.map(picture => items.get(picture));

  if (rows.some((row, i) => row !== $('thumbs').children[i]) || rows.length !== $('thumbs').children.length)
    $('thumbs').replaceChildren(...rows);
  for (const [picture, row] of items)
    refreshItem(picture, row);
}

function refreshItem(picture, row) {
  const [thumb, cross] = row.children, state = stateOf(picture);
  const label = picture.info.name + (state ? `, ${state}` : '');

  row.dataset.state = state;
  thumb.setAttribute('aria-current', String(picture === desk.current));
  thumb.setAttribute('aria-label', label);
  thumb.title = label;
  thumb.disabled = cross.disabled = desk.busy;
  if (picture.thumb.address && thumb.firstChild.src !== picture.thumb.address)
    thumb.firstChild.src = picture.thumb.address;
}

// Fetches the small pictures that are missing or old.
export async function loadThumbs() {
  if (desk.pictures.length < 2)
    return;
  for (const picture of desk.pictures)
    if (picture.thumb.version !== picture.version) {
      const blob = await getBlob(`${picture.address}/view`, { query: { version: picture.version, side: SIDE } });

      URL.revokeObjectURL(picture.thumb.address);
      picture.thumb = { version: picture.version, address: URL.createObjectURL(blob) };
      refreshStrip();
    }
}

export function showCurrentThumb() {
  items.get(desk.current)?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
}

// The actions get a picture.
export function beginStrip(onchoose, onclose) {
  choose = onchoose;
  close = onclose;
}
