// main.js - connects the page to the server, and buttons and keys to what
// they do

import { connect } from './api.js';
import { addPictures, beginCompare, showCompare } from './compare.js';
import { toggleCrop } from './crop.js';
import { view } from './desk.js';
import * as files from './files.js';
import { find, findAgain, findAll, showFindStrength } from './finding.js';
import { beginKinds } from './kinds.js';
import { dropMark, resizeMarks, stepMark } from './marks.js';
import * as mend from './mend.js';
import { askToClose, choosePhotos, openFiles, openGiven, stepPicture } from './opening.js';
import { growBrush, setTool, slideBrush } from './painting.js';
import { applyPreset, beginPresets, removePreset, savePreset } from './presets.js';
import { changeLook, changeTask, listenToSplit, showOriginal, toggleCompared } from './split.js';
import { refresh } from './state.js';
import { redo, undo } from './travel.js';
import { $, attempt, showMessage } from './ui.js';
import { cancel } from './work.js';

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
    open: choosePhotos, 'open-first': choosePhotos, close: () => askToClose(),
    undo, redo,
    find, 'find-all': findAll, 'noise-zoom': () => view.zoom(1 / view.scale),
    'load-mask': files.loadMask, 'save-mask': files.saveMask, 'clear-mask': files.clearMask,
    start: mend.start, 'try-again': mend.tryAgain, cancel, download: files.download,
    'mend-all': mend.mendAll, 'download-all': files.downloadAll, 'show-keys': showKeys,
    'compare-toggle': toggleCompared,
    'mark-back': () => stepMark(-1), 'mark-next': () => stepMark(1), 'drop-mark': dropMark,
    crop: toggleCrop,
    'preset-save': attempt(savePreset), 'preset-remove': attempt(removePreset),
    narrower: () => resizeMarks(-1), wider: () => resizeMarks(1),
    dismiss: () => showMessage(''),
    'zoom-in': () => view.zoom(1.5), 'zoom-out': () => view.zoom(1 / 1.5),
    'zoom-fit': () => view.fit()
  };

  for (const [id, action] of Object.entries(actions))
    $(id).addEventListener('click', action);
  for (const button of document.querySelectorAll('[data-tool]'))
    button.addEventListener('click', () => setTool(button.dataset.tool));
  for (const radio of document.querySelectorAll('input[name=task]'))
    radio.addEventListener('change', changeTask);
  for (const radio of document.querySelectorAll('input[name=look]'))
    radio.addEventListener('change', changeLook);
  $('find-strength').addEventListener('input', showFindStrength);
  $('find-strength').addEventListener('change', findAgain);
  $('preset').addEventListener('change', applyPreset);
  $('show-filled').addEventListener('change', refresh);
  $('size').addEventListener('input', () => slideBrush($('size').value));
  $('hold').addEventListener('pointerdown', () => showOriginal(true));
  $('hold').addEventListener('keydown', event => {
    if (event.key === 'Enter' || event.key === ' ')
      showOriginal(true);
  });
  for (const event of ['pointerup', 'pointerleave', 'pointercancel', 'keyup', 'blur'])
    $('hold').addEventListener(event, () => showOriginal(false));
  $('show-settings').addEventListener('click', () => {
    const open = document.body.classList.toggle('settings-open');

    $('show-settings').setAttribute('aria-expanded', String(open));
  });
  listenToSplit();
}

// A narrow window has more room for undo and redo beside the file's name, and
// for what is done to all pictures in the panel, whose settings are folded
// away: most of the window is for the picture.
function placeButtons() {
  const narrow = matchMedia('(max-width: 820px)');
  const place = () => {
    if (narrow.matches) {
      $('close').before($('undo'), $('redo'));
      $('tasks').after($('all'));
      $('start').after($('mend-all'));
    } else {
      $('undo-gap').after($('undo'), $('redo'));
      $('strip').append($('all'));
      $('find-all').after($('mend-all'));
    }
  };

  narrow.addEventListener('change', place);
  place();
}

// ---- keys ----

const keys = {
  b: () => setTool('brush'), e: () => setTool('eraser'), r: () => setTool('rectangle'),
  l: () => setTool('lasso'), h: () => setTool('move'),
  d: () => setTool('drop'), n: () => stepMark(1), p: () => stepMark(-1), x: dropMark,
  '[': () => growBrush(1 / 1.25), ']': () => growBrush(1.25),
  ',': () => stepPicture(-1), '.': () => stepPicture(1),
  c: () => toggleCompared(), o: () => showOriginal(true),
  '+': () => zoomIfOpen(1.5), '=': () => zoomIfOpen(1.5), '-': () => zoomIfOpen(1 / 1.5),
  0: () => view.photo && view.fit(),
  1: () => zoomIfOpen(1 / view.scale)
};

function zoomIfOpen(factor) {
  if (view.photo)
    view.zoom(factor);
}

function showKeys() {
  $('keys').showModal();
}

// Keys that count wherever the focus is.
function isAnywhere(event) {
  return event.key === 'Enter' && (event.ctrlKey || event.metaKey);
}

function onKey(event) {
  const command = event.ctrlKey || event.metaKey, key = event.key.toLowerCase();

  if (document.body.dataset.tab !== 'mend' || !document.body.matches('.ready') || document.querySelector('dialog[open]')
      || !isAnywhere(event) && event.target.closest('input[type=text], input[type=number], select'))
    return;
  if (command && key === 'enter') {
    event.preventDefault();
    mend.start();
  } else if (key === '?') {
    event.preventDefault();
    showKeys();
  } else if (command && key === 'z') {
    event.preventDefault();
    (event.shiftKey ? redo : undo)();
  } else if (command && key === 'y') {
    event.preventDefault();
    redo();
  } else if (command && key === 's') {
    event.preventDefault();
    if (!$('download').disabled)
      files.download();
  } else if (command && key === 'o') {
    event.preventDefault();
    choosePhotos();
  } else if (!command && !event.altKey && key in keys && view.photo)
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
    if (!document.body.matches('.ready'))
      return;
    if (document.body.dataset.tab === 'mend')
      openFiles(event.dataTransfer.files);
    else
      addPictures([...event.dataTransfer.files]);
  });
  window.addEventListener('paste', event => {
    const files = [...event.clipboardData.files].filter(({ type }) => type.startsWith('image/'));

    if (document.body.matches('.ready[data-tab=mend]'))
      openFiles(files);
  });
}

// ---- the start ----

// Why there is nothing to see: { title, text }.
function refusal({ status, spent }) {
  if (status === 0)
    return {
      title: 'The program is not running',
      text: 'Start "tessera serve" in a terminal and open the address that it prints.'
    };
  return spent ? {
    title: 'This address is in use in another browser',
    text: 'It works in one browser only, so that nobody else can see your pictures. Continue in the browser where ' +
      'you opened it first. To work in this one, end the program in the terminal with Ctrl+C, start ' +
      '"tessera serve" again and open the new address here.'
  } : {
    title: 'Part of the address is missing',
    text: 'Copy the whole address that "tessera serve" printed in the terminal, to the end of its last line.'
  };
}

// Nothing works from here on, and all that might look as if it did is hidden.
function refuse(error) {
  const { title, text } = refusal(error);

  document.body.classList.add('refused');
  $('refusal-title').textContent = title;
  $('refusal-text').textContent = text;
}

// The formats that the program was built with.
function showFormats({ formats, endings }) {
  $('formats').textContent = formats;
  for (const input of document.querySelectorAll('input.pictures'))
    input.accept = endings.map(ending => `.${ending}`).join();
}

// Opened on another machine, the page works on that of the program.
function showWhere() {
  if (location.protocol === 'https:')
    $('where').textContent = 'They go to the computer that runs Tessera, and nowhere else.';
}

async function start() {
  showWhere();
  listenToTabs();
  listenToButtons();
  listenToDrops();
  placeButtons();
  window.addEventListener('keydown', onKey);
  window.addEventListener('keyup', event => {
    if (event.key.toLowerCase() === 'o')
      showOriginal(false);
  });
  try {
    const about = await connect();

    showFormats(about);
    beginKinds(about.kinds, () => {
      refresh();
      findAgain();
    });
    beginPresets();
    mend.begin(about);
    beginCompare(about);
    await mend.listDictionaries();
    document.body.classList.add('ready');
  } catch (error) {
    return refuse(error);
  }
  await openGiven();
}

start();
