// noise.js - what noise there is, and what removing it would do to the part
// that is seen

import { getJson } from './api.js';
import { desk, view } from './desk.js';
import { $, chosen } from './ui.js';

// A part of so many pixels is ready within half a second.
const PART_PIXELS = 150000;

// On the screen, a preview of the part is too small below this scale.
const LEAST_SCALE = 0.5;

let asked = '';               // what the last request was about
let asking = new AbortController();

// The slider goes by octaves: gentler to the left, harder to the right.
function strength({ noiseSettings }) {
  return 2 ** Number(noiseSettings.strength);
}

// What is asked of the server, apart from the part.  Each picture has settings
// of its own, since each has noise of its own.
export function noiseQuery(picture) {
  return { strength: strength(picture).toFixed(3), sigma: picture.noiseSettings.sigma };
}

// Noise that was removed in the last step can be removed again, harder or
// gentler, from the version before: { base, done }, where done says whether
// the picture on the screen is the result of just this.
export function noiseStep(picture) {
  const { history, version } = picture;
  const last = history.lastVersions, again = last?.noise !== undefined && last.after === version;

  return {
    base: again ? last.before : version,
    done: again && last.noise === JSON.stringify(noiseQuery(picture))
  };
}

function words({ kind, sure, words: said }) {
  if (kind === 'none')
    return 'No noise was found. If you see some, set its level under More.';
  const found = said.replace('levels', 'of 255 levels');

  return sure ? `Found ${found}.`
    : `Found ${found}. It may also be fine texture: look closely before you keep the result.`;
}

// The part that can be seen, or the middle of it.
function part() {
  const area = view.visible(), share = Math.min(1, Math.sqrt(PART_PIXELS / (area.w * area.h)));
  const w = Math.max(1, Math.floor(area.w * share)), h = Math.max(1, Math.floor(area.h * share));

  return { x: area.x + Math.floor((area.w - w) / 2), y: area.y + Math.floor((area.h - h) / 2), w, h };
}

// ---- asking ----

async function describe(picture, version) {
  if (picture.noise?.version !== version) {
    $('noise-found').textContent = 'Looking for noise …';
    picture.noise = {
      version,
      found: await getJson(`${picture.address}/noise`, { query: { version }, signal: asking.signal })
    };
  }
  $('noise-found').textContent = words(picture.noise.found);
}

async function preview(query, signal) {
  $('noise-state').textContent = 'Making a preview …';
  await view.showPart(query, signal);
  $('noise-state').textContent = '';
}

function stop() {
  asking.abort();
  asking = new AbortController();
  asked = '';
  view.forgetPart();
  $('noise-state').textContent = '';
}

// Brings the words and the preview up to date with all that they depend on.
export function refreshNoise() {
  const picture = desk.current, wanted = chosen('task') === 'denoise' && picture !== null && !desk.busy;

  $('noise-zoom').hidden = !wanted || view.scale >= LEAST_SCALE;
  $('noise-hint').textContent = wanted && !noiseStep(picture).done ? 'The part in the frame is a preview.' : '';
  if (!wanted)
    return asked === '' ? undefined : stop();
  const { base, done } = noiseStep(picture);
  const query = { version: base, show: chosen('look'), ...noiseQuery(picture), ...part() };
  const about = JSON.stringify([picture.info.id, done, query]);

  if (about === asked)
    return undefined;
  asking.abort();
  asking = new AbortController();
  asked = about;
  const { signal } = asking;

  if (done)
    view.forgetPart();
  return Promise.all([describe(picture, base), done ? null : preview(query, signal)]).catch(error => {
    if (!signal.aborted)
      $('noise-state').textContent = error.message;
  });
}

// Shows the settings of the picture on the screen.
export function showNoiseSettings() {
  if (!desk.current)
    return;
  const { noiseSettings } = desk.current, value = strength(desk.current);

  $('strength').value = noiseSettings.strength;
  $('sigma').value = noiseSettings.sigma;

  $('strength-text').textContent = `${value.toFixed(value < 1 ? 2 : 1)} ×`;
  $('strength').setAttribute('aria-valuetext', `${value.toFixed(1)} times the noise that was found`);
}

export function beginNoise() {
  for (const name of ['strength', 'sigma']) {
    $(name).addEventListener('input', () => {
      if (!desk.current)
        return;
      desk.current.noiseSettings[name] = $(name).value;
      showNoiseSettings();
    });
    $(name).addEventListener('change', refreshNoise);
  }
  view.onrest = refreshNoise;
}
