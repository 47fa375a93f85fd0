// opening.js - pictures are opened, chosen and closed

import { getJson, postForJson, remove } from './api.js';
import { desk, Picture, view } from './desk.js';
import { showNoiseSettings } from './noise.js';
import { setBrush } from './painting.js';
import { setCompared } from './split.js';
import { exclusive, hasAfter, occupy, refresh } from './state.js';
import { loadThumbs, showCurrentThumb } from './strip.js';
import { $, announce, ask, attempt, chooseFiles } from './ui.js';

let largestUpload = Infinity; // bytes

// ---- one of them on the screen ----

function describe({ name, width, height, format, depth }) {
  $('file-name').textContent = name;
  $('file-facts').textContent = `${width} × ${height} · ${format}${depth > 8 ? ` · ${depth} bit` : ''}`;
  $('file').hidden = false;
  $('stage').setAttribute('aria-label', `${name}, ${width} by ${height} pixels. ` +
    'Arrow keys move the brush, Enter starts and ends a stroke.');
}

// Puts one of the pictures on the screen.
export async function show(picture) {
  const { compared } = picture;

  desk.current = picture;
  describe(picture.info);
  setBrush(picture.brush);
  showNoiseSettings();
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

// ---- opening ----

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
      const picture = await openOne(file).catch(error => void refused.push(named(file, error.message)));

      if (picture && !first)
        await show(first = picture);
    }
    await loadThumbs();
  } finally {
    document.body.classList.remove('loading');
  }
  if (refused.length > 0)
    throw new Error(refusals(refused, files.length));
}

function named({ name }, reason) {
  return !name || reason.includes(name) ? reason : `${name}: ${reason}`;
}

// Why each file is not open: a line for each, in the order of the files.
function refusals(reasons, total) {
  return reasons.length === 1 ? reasons[0]
    : [`${reasons.length} of ${total} files could not be opened:`, ...reasons].join('\n');
}

// A file of this machine, or one that the program was given.
async function upload(file) {
  const name = file.name || 'pasted.png';

  if (file.given !== undefined)
    return postForJson(`/api/given/${file.given}`);
  if (file.size > largestUpload)
    throw new Error(`${name} is larger than ${Math.floor(largestUpload / 2 ** 20)} MB`);
  return postForJson('/api/photos', file, { query: { name } });
}

async function openOne(file) {
  const picture = new Picture(await upload(file));

  desk.pictures.push(picture);
  refresh();
  return picture;
}

function showOpening(name, i, total) {
  $('progress').hidden = false;
  $('progress-label').textContent = `Opening ${name || 'a picture'}`;
  $('progress-text').textContent = total > 1 ? `${i + 1} of ${total}` : '';
  $('progress-bar').removeAttribute('value');
  announce($('progress-label').textContent, 0);
  document.title = 'Opening · Tessera';
}

// Pictures that the program was given when it was started.
export async function openGiven() {
  const { names } = await getJson('/api/given');

  await openFiles(names.map((name, given) => ({ name, given })));
}

export const choosePhotos = attempt(async () => {
  if (!desk.busy)
    await openFiles(await chooseFiles($('choose-photo')));
});

// ---- closing ----

async function mayClose({ info, mask, unsaved }) {
  if (mask.empty && !unsaved)
    return true;
  const lost = unsaved ? 'The restored picture has not been downloaded.' : 'What is marked on it will be lost.';

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

export function beginOpening({ max_upload: most }) {
  largestUpload = most;
}
