// presets.js - settings that are kept in the browser under a name
//
// They are in a cookie: what else a browser keeps belongs to the port as well,
// which is another one each time the program is started.

import { $ } from './ui.js';

const NAME = 'tessera-presets', YEAR = 365 * 24 * 3600, MOST_BYTES = 3800;

// By what is kept, the settings of the panel; those of noise belong to each
// picture.
function settings() {
  return [...document.querySelectorAll('#fill-damage, #remove-noise, #undo-fading, #kinds input, #find-strength, ' +
    '#see-through, #on-release, #thick, #grow, .panel input[name=quality]')];
}

const isSwitch = input => input.type === 'checkbox' || input.type === 'radio';

function read() {
  const [, text] = document.cookie.match(new RegExp(`(?:^|; )${NAME}=([^;]*)`)) ?? [];

  try {
    return new Map(JSON.parse(decodeURIComponent(text ?? '[]')));
  } catch {
    return new Map();
  }
}

function write(presets) {
  const text = encodeURIComponent(JSON.stringify([...presets]));

  if (text.length > MOST_BYTES)
    throw new Error('There is no room for more presets; remove one first');
  document.cookie = `${NAME}=${text}; Max-Age=${YEAR}; Path=/; SameSite=Strict`;
}

// One text: switches are 0 or 1.
function now() {
  return settings().map(input => isSwitch(input) ? Number(input.checked) : input.value).join(' ');
}

function list(chosen = '') {
  $('preset').replaceChildren(new Option('Choose …', ''), ...[...read().keys()].map(name => new Option(name, name)));
  $('preset').value = chosen;
  $('preset-remove').disabled = chosen === '';
  $('preset-row').hidden = $('preset').options.length === 1;
}

export function applyPreset() {
  const values = read().get($('preset').value)?.split(' ') ?? [], inputs = settings();

  $('preset-remove').disabled = $('preset').value === '';
  if (values.length !== inputs.length)
    return;
  for (const [i, input] of inputs.entries()) {
    if (isSwitch(input))
      input.checked = values[i] === '1';
    else
      input.value = values[i];
    if (input.type !== 'radio' || input.checked)
      input.dispatchEvent(new Event('input'));
  }
  for (const id of ['find-strength', 'grow'])
    $(id).dispatchEvent(new Event('change'));
}

export function savePreset() {
  const name = $('preset-name').value.trim(), presets = read();

  if (name === '')
    return $('preset-name').focus();
  write(presets.set(name, now()));
  $('preset-name').value = '';
  list(name);
}

export function removePreset() {
  const presets = read();

  presets.delete($('preset').value);
  write(presets);
  list();
}

export function beginPresets() {
  list();
}
