// main.js - connects the page to the server, and buttons and keys to what
// they do

import { connect } from './api.js';
import { addPictures, beginCompare, showCompare } from './compare.js';
import * as mend from './mend.js';
import { $, showMessage, sentence } from './ui.js';

// ---- tabs ----

function showTab(name) {
  for (const tab of document.querySelectorAll('[role=tab]')) {
    const on = tab.id === `tab-${name}`;

    tab.setAttribute('aria-selected', String(on));
    tab.tabIndex = on ? 0 : -1;
    $(tab.getAttribute('aria-controls')).hidden = !on;
  }
  document.body.dataset.tab = name;
  showMessage('');
  if (name === 'compare')
    showCompare();
}

function listenToTabs() {
  const tabs = [...document.querySelectorAll('[role=tab]')];

  tabs.forEach((tab, i) => {
    tab.addEventListener('click', () => showTab(tab.id.replace('tab-', '')));
    tab.addEventListener('keydown', event => {
      if (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight')
        return;
      const next = tabs[(i + 1) % tabs.length];

      next.focus();
      next.click();
    });
  });
}

// ---- buttons ----

function listenToButtons() {
  const actions = {
    open: mend.choosePhoto, 'open-first': mend.choosePhoto, close: mend.askToClose,
    undo: mend.undo, redo: mend.redo,
    'find-blocks': () => mend.find('find-blocks', 'blacked-out blocks'),
    'find-dead': () => mend.find('find-dead', 'dead pixels'),
    'load-mask': mend.loadMask, 'save-mask': mend.saveMask, 'clear-mask': mend.clearMask,
    start: mend.start, cancel: mend.cancel, download: mend.download,
    'compare-toggle': mend.toggleCompared,
    dismiss: () => showMessage(''),
    'zoom-in': () => mend.view.zoom(1.5), 'zoom-out': () => mend.view.zoom(1 / 1.5),
    'zoom-fit': () => mend.view.fit()
  };

  for (const [id, action] of Object.entries(actions))
    $(id).addEventListener('click', action);
  for (const button of document.querySelectorAll('[data-tool]'))
    button.addEventListener('click', () => mend.setTool(button.dataset.tool));
  for (const radio of document.querySelectorAll('input[name=task]'))
    radio.addEventListener('change', mend.refresh);
  $('size').addEventListener('input', () => mend.setBrush(2000 ** ($('size').value / 100)));
  $('hold').addEventListener('pointerdown', () => mend.showOriginal(true));
  for (const event of ['pointerup', 'pointerleave', 'pointercancel'])
    $('hold').addEventListener(event, () => mend.showOriginal(false));
  mend.listenToSplit();
}

// ---- keys ----

const keys = {
  b: () => mend.setTool('brush'), e: () => mend.setTool('eraser'),
  r: () => mend.setTool('rectangle'), h: () => mend.setTool('move'),
  '[': () => mend.growBrush(1 / 1.25), ']': () => mend.growBrush(1.25),
  c: () => mend.toggleCompared(), o: () => mend.showOriginal(true),
  '+': () => zoomIfOpen(1.5), '=': () => zoomIfOpen(1.5), '-': () => zoomIfOpen(1 / 1.5),
  0: () => mend.view.photo && mend.view.fit(),
  1: () => zoomIfOpen(1 / mend.view.scale)
};

function zoomIfOpen(factor) {
  if (mend.view.photo)
    mend.view.zoom(factor);
}

function onKey(event) {
  const command = event.ctrlKey || event.metaKey, key = event.key.toLowerCase();

  if (document.body.dataset.tab !== 'mend' || event.target.closest('input[type=text], input[type=number], select'))
    return;
  if (command && key === 'z') {
    event.preventDefault();
    (event.shiftKey ? mend.redo : mend.undo)();
  } else if (command && key === 'y') {
    event.preventDefault();
    mend.redo();
  } else if (command && key === 'o') {
    event.preventDefault();
    mend.choosePhoto();
  } else if (!command && !event.altKey && key in keys && mend.view.photo)
    keys[key]();
}

// ---- dropping and pasting ----

function listenToDrops() {
  let depth = 0;

  const mark = () => document.body.classList.toggle('dropping', depth > 0);
  window.addEventListener('dragenter', event => {
    event.preventDefault();
    depth++;
    mark();
  });
  window.addEventListener('dragleave', () => {
    depth--;
    mark();
  });
  window.addEventListener('dragover', event => event.preventDefault());
  window.addEventListener('drop', event => {
    event.preventDefault();
    depth = 0;
    mark();
    if (document.body.dataset.tab === 'mend')
      mend.openFile(event.dataTransfer.files[0]);
    else
      addPictures([...event.dataTransfer.files]);
  });
  window.addEventListener('paste', event => {
    const file = [...event.clipboardData.files].find(({ type }) => /^image\/(png|jpeg)$/.test(type));

    if (file && document.body.dataset.tab === 'mend')
      mend.openFile(file);
  });
}

// ---- the start ----

async function start() {
  listenToTabs();
  listenToButtons();
  listenToDrops();
  window.addEventListener('keydown', onKey);
  window.addEventListener('keyup', event => {
    if (event.key.toLowerCase() === 'o')
      mend.showOriginal(false);
  });
  try {
    const about = await connect();

    mend.begin(about);
    beginCompare(about);
    await mend.listDictionaries();
    document.body.classList.add('ready');
  } catch (error) {
    document.body.classList.add('refused');
    showMessage(sentence(error.message), 'error');
  }
}

start();
