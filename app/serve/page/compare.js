// compare.js - the second tab: dictionaries seen, learned and compared

import { getBlob, post, postForJson, remove, watch } from './api.js';
import { listDictionaries } from './mend.js';
import { $, announce, announceNothing, attempt, chooseFiles, chosen, count, progressText, saveBlob, sentence,
  showMessage, showShare } from './ui.js';

let pictures = 0;             // that the server has to learn from
let learned = 0;
const mosaics = new Map();    // number of a dictionary -> address of its picture

// ---- dictionaries ----

async function mosaic(number) {
  if (!mosaics.has(number))
    mosaics.set(number, URL.createObjectURL(await getBlob(`/api/dictionaries/${number}/mosaic`)));
  return mosaics.get(number);
}

async function card({ number, name, about }) {
  const item = document.createElement('li');
  const image = document.createElement('img');
  const title = document.createElement('strong');
  const facts = document.createElement('span');
  const save = document.createElement('button');

  image.alt = `The patches of ${name}`;
  image.src = await mosaic(number);
  title.textContent = name;
  facts.textContent = about;
  facts.className = 'quiet';
  save.textContent = 'Save';
  save.setAttribute('aria-label', `Save ${name}`);
  save.addEventListener('click', attempt(async () => {
    saveBlob(await getBlob(`/api/dictionaries/${number}/file`), `${fileName(name)}.safetensors`);
  }));
  item.append(image, title, facts, save);
  return item;
}

function fileName(name) {
  return name.replace(/\.(safetensors|npy)$/, '').replace(/[^\w.-]+/g, '-').toLowerCase();
}

export const showCompare = attempt(async () => {
  const list = await listDictionaries();

  $('dictionaries').replaceChildren(...await Promise.all(list.map(card)));
});

const loadDictionary = attempt(async () => {
  const [file] = await chooseFiles($('choose-dictionary'));

  if (!file)
    return;
  await post('/api/dictionaries', file, { query: { name: file.name } });
  await showCompare();
});

// ---- pictures to learn from ----

function refresh() {
  $('picture-count').textContent = pictures === 0 ? 'Choose pictures, or drop them here'
    : `${count(pictures, 'picture')}. Choose more, or drop them here`;
  $('source-hint').textContent = chosen('source') !== 'training' ? ''
    : pictures > 0 ? `The ${count(pictures, 'picture')} to learn from.`
      : 'First choose pictures under "Learn from your pictures".';
  $('learn').disabled = pictures === 0 || !$('learn-work').hidden;
  $('clear-pictures').disabled = pictures === 0 || !$('learn-work').hidden;
  $('run-compare').disabled = !$('compare-work').hidden || chosen('source') === 'training' && pictures === 0;
  $('folder-row').hidden = chosen('source') !== 'folder';
}

export const addPictures = attempt(async files => {
  const refused = [];

  for (const file of files) {
    try {
      ({ pictures } = await postForJson('/api/training', file));
    } catch (error) {
      refused.push(`${file.name}: ${error.message}`);
    }
    refresh();
  }
  if (refused.length > 0)
    showMessage(sentence(refused[0]) + (refused.length > 1 ? ` And ${refused.length - 1} more.` : ''), 'error');
});

const clearPictures = attempt(async () => {
  await remove('/api/training');
  pictures = 0;
  refresh();
});

// ---- work ----

// Starts a job and shows it in the box named by its prefix; null if it was
// cancelled.
async function work(prefix, start, doing) {
  const box = $(`${prefix}-work`);

  box.hidden = false;
  refresh();
  try {
    const { job } = await start();

    $(`${prefix}-cancel`).onclick = attempt(() => remove(`/api/jobs/${job}`));
    const state = await watch(job, now => {
      $(`${prefix}-text`).textContent = now.state === 'waiting' ? progressText(now)
        : `${sentence(now.stage ?? doing).slice(0, -1)} · ${progressText(now)}`;
      showShare(box.querySelector('progress'), now);
      announce(now.stage ?? doing, now.done);
    });

    if (state.state === 'failed')
      throw new Error(state.error);
    return state.state === 'done' ? state : null;
  } finally {
    box.hidden = true;
    $(`${prefix}-text`).textContent = '';
    announceNothing();
    refresh();
  }
}

const learn = attempt(async () => {
  const algorithm = $('algorithm').value;
  const query = { algorithm, seconds: $('learn-seconds').value, name: `Learned here ${learned + 1}, ${algorithm}` };
  const done = await work('learn', () => postForJson('/api/learning', null, { query }), 'Learning');

  if (!done)
    return showMessage('Cancelled.');
  learned++;
  await showCompare();
  showMessage('Learned. Choose it under "More" on the Mend tab.');
});

const compare = attempt(async () => {
  const query = { source: chosen('source'), folder: $('folder').value, seconds: $('compare-seconds').value };
  const done = await work('compare', () => postForJson('/api/comparison', null, { query }), 'Comparing');

  if (!done)
    return showMessage('Cancelled.');
  const address = `/report/${done.report}/index.html`;

  $('report-frame').src = $('report-link').href = address;
  $('report').hidden = false;
  $('report').scrollIntoView();
});

export function beginCompare(about) {
  $('algorithm').replaceChildren(...about.algorithms.map(name => new Option(name)));
  $('load-dictionary').addEventListener('click', loadDictionary);
  $('add-pictures').addEventListener('click', async () => addPictures(await chooseFiles($('choose-pictures'))));
  $('clear-pictures').addEventListener('click', clearPictures);
  $('learn').addEventListener('click', learn);
  $('run-compare').addEventListener('click', compare);
  for (const radio of document.querySelectorAll('input[name=source]'))
    radio.addEventListener('change', refresh);
  $('folder').replaceChildren(...about.folders.map(path => new Option(path)));
  if (about.folders.length === 0) {
    const radio = document.querySelector('input[name=source][value=folder]');

    radio.disabled = true;
    radio.parentElement.title = 'Start the program with "tessera serve --folder DIR" to compare on a folder.';
  }
  if (!about.bundled) {
    document.querySelector('input[name=source][value=bundled]').disabled = true;
    document.querySelector('input[name=source][value=training]').checked = true;
  }
  refresh();
}
