// hand.mjs - strokes, keys, small windows and settings, on the page of
// "tessera serve"
//
// usage: TESSERA=program ROOT=folder node hand.mjs [TEST...]

import { ok } from './lib.mjs';
import { drawn, give, holdBack, idle, mend, openPicture, paint, painted, run, saved, scene, startServer, toWindow, visit }
  from './page.mjs';
import { makePng, readPng } from './png.mjs';

const size = [160, 120];
const picture = (shift = 0) => makePng (...size, 8, (x, y, c) => 255 * scene (x + shift, y, c));

async function openSeveral (page, ...files) {
  await give (page, 'drop', ...files.map ((name, i) => [name, picture (10 * i)]));
  await page.waitForFunction (count => document.querySelectorAll ('#thumbs img[src]').length === count, files.length);
  await idle (page);
}

async function begin (server, options) {
  const page = await visit (server.address, options);

  await openPicture (page, 'a.png', picture ());
  await idle (page);
  return page;
}

// ---- strokes ----

async function click (page, x, y, options) {
  const at = await toWindow (page, ...size, x, y);

  await page.mouse.click (at.x, at.y, options);
}

async function testLine (server) {
  const page = await begin (server);

  await click (page, 0.2, 0.5);
  const dot = await painted (page);
  await page.keyboard.down ('Shift');
  await click (page, 0.8, 0.5);
  await page.keyboard.up ('Shift');
  const mask = readPng ((await saved (page, '#save-mask')).bytes);
  ok ('Shift and a click paint a line from the last stroke', mask.sample (80, 60, 0) === 1
    && await painted (page) > 5 * dot, await painted (page));
  await click (page, 0.5, 0.2);
  ok ('a click alone does not', readPng ((await saved (page, '#save-mask')).bytes).sample (104, 42, 0) === 0);
  await page.close ();
}

async function testRightButton (server) {
  const page = await begin (server);

  await paint (page, size, [0.2, 0.5], [0.8, 0.5]);
  const line = await painted (page);
  const at = await toWindow (page, ...size, 0.5, 0.5);

  await page.mouse.move (at.x, at.y);
  await page.mouse.down ({ button: 'right' });
  await page.mouse.up ({ button: 'right' });
  ok ('the right button erases', await painted (page) > 0 && await painted (page) < line, await painted (page));
  await page.keyboard.press ('Control+z');
  await idle (page);
  ok ('as a step that can be undone', await painted (page) === line);
  await page.click ('[data-tool=rectangle]');
  const from = await toWindow (page, ...size, 0.1, 0.1), to = await toWindow (page, ...size, 0.9, 0.9);

  await page.mouse.move (from.x, from.y);
  await page.mouse.down ({ button: 'right' });
  await page.mouse.move (to.x, to.y, { steps: 4 });
  await page.mouse.up ({ button: 'right' });
  ok ('with a rectangle too', await painted (page) === 0, await painted (page));
  await page.close ();
}

async function testEscape (server) {
  const page = await begin (server);
  const from = await toWindow (page, ...size, 0.2, 0.2), to = await toWindow (page, ...size, 0.8, 0.8);

  await page.mouse.move (from.x, from.y);
  await page.mouse.down ();
  await page.mouse.move (to.x, to.y, { steps: 4 });
  await page.keyboard.press ('Escape');
  await page.mouse.move (from.x, to.y, { steps: 4 });
  await page.mouse.up ();
  ok ('Escape drops the stroke', await painted (page) === 0 && await page.locator ('#undo').isDisabled ());
  await paint (page, size, [0.2, 0.5], [0.8, 0.5]);
  ok ('and the next one is painted', await painted (page) > 0);
  await page.close ();
}

// One paints on what is there now, wherever the slider is.
async function testBefore (server) {
  const page = await begin (server);

  await paint (page, size, [0.2, 0.3], [0.4, 0.3]);
  await mend (page);
  await idle (page);
  await paint (page, size, [0.1, 0.7], [0.3, 0.7]);
  ok ('a stroke on the half "Before" ends the comparison', await page.locator ('#split').isHidden ());
  ok ('and is painted', await painted (page) > 0);
  await page.close ();
}

async function testSaving (server) {
  const page = await begin (server);

  await paint (page, size, [0.2, 0.3], [0.4, 0.3]);
  await mend (page);
  await idle (page);
  const [download] = await Promise.all ([page.waitForEvent ('download'), page.keyboard.press ('Control+s')]);

  ok ('Ctrl+S saves the result', download.suggestedFilename () === 'a-mended.png');
  await page.close ();
}

// ---- settings ----

async function testNoiseOfEach (server) {
  const page = await visit (server.address, { task: 'denoise' });
  const jobs = () => page.requests.filter (url => url.includes ('task=denoise'))
    .map (url => new URL (url).searchParams.get ('sigma'));

  await openSeveral (page, 'a.png', 'b.png');
  await page.click ('summary:has-text("More")');
  await page.fill ('#sigma', '40');
  await page.keyboard.press ('Tab');
  await page.click ('input[value=fast] + span');
  const held = await holdBack (page, '/api/jobs/');

  await page.click ('#mend-all');
  await held.held;
  await page.setViewportSize ({ width: 390, height: 844 });
  await drawn (page);
  const label = page.locator ('#progress-label');
  ok ('how many there are is seen, in a narrow window too', await label.textContent () === 'Removing noise 1 of 2'
    && await label.evaluate (each => each.scrollWidth <= each.clientWidth + 1
      && getComputedStyle (each).textOverflow !== 'ellipsis'));
  await held.release ();
  await page.waitForFunction (() => /^Restored/.test (document.getElementById ('message-text').textContent));
  await idle (page);
  ok ('a noise level that was set for one picture is not that of the others', jobs ().join () === '40,', jobs ());
  await page.close ();
}

async function testTryingAgain (server) {
  const page = await visit (server.address);
  const texture = makePng (...size, 8, (x, y) => 128 + 90 * Math.sin (x * 12.9898 + y * 78.233) % 1
    + 60 * Math.sin (x * 1.7) * Math.sin (y * 1.3));
  const seeds = () => page.requests.filter (url => url.includes ('task=fill'))
    .map (url => new URL (url).searchParams.get ('seed'));

  await openPicture (page, 'a.png', texture);
  await idle (page);
  await page.keyboard.press ('r');
  await paint (page, size, [0.3, 0.3], [0.7, 0.7]);
  await page.click ('summary:has-text("More")');
  await page.selectOption ('#thick', 'texture');
  await mend (page);
  await idle (page);
  const first = (await saved (page, '#download')).bytes;

  await page.click ('#try-again');
  await page.waitForFunction (() => document.body.matches ('.busy'));
  await idle (page);
  const second = (await saved (page, '#download')).bytes;

  ok ('a second try has another seed', seeds ().join () === '0,1', seeds ());
  ok ('and another result', !first.equals (second));
  await page.selectOption ('#thick', 'smooth');
  await page.click ('#try-again');
  await page.waitForFunction (() => document.body.matches ('.busy'));
  await idle (page);
  ok ('or another kind of fill', page.requests.filter (url => url.includes ('thick=smooth')).length === 1
    && !second.equals ((await saved (page, '#download')).bytes));
  await page.keyboard.press ('Control+z');
  await idle (page);
  ok ('each takes the place of the last', await painted (page) > 0 && await page.locator ('#download').isDisabled ());
  await page.close ();
}

// ---- a phone ----

async function testPhone (server) {
  const page = await visit (server.address, { width: 390, height: 844, touch: true, task: 'restore' });

  await openSeveral (page, 'a.png', 'b.png');
  const { height } = await page.locator ('#stage').boundingBox ();
  ok ('half of a phone is for the picture, with two of them open', height >= 422, height);
  ok ('the button for one and that for all are there', await page.locator ('#start').isVisible ()
    && await page.locator ('#mend-all').isVisible ());
  await page.click ('#show-settings');
  ok ('settings unfold', await page.locator ('input[value=denoise] + span').isVisible ()
    && await page.getAttribute ('#show-settings', 'aria-expanded') === 'true');
  ok ('with what is done to all', await page.locator ('#find-all').isVisible ()
    && await page.locator ('#download-all').isVisible ());
  await page.click ('#show-settings');
  ok ('and fold', await page.locator ('#find-all').isHidden ());
  ok ('the second tab says what it is about', await page.textContent ('#tab-compare') === 'Dictionaries');
  await page.close ();
}

// ---- settings ----

// Each start has another port, and cookies know none.
async function testPresets (server) {
  const page = await visit (server.address, { task: 'restore' });
  const other = await startServer ();

  await page.click ('aside details:not(.finder) summary');
  ok ('nothing is kept at first', await page.locator ('#preset-row').isHidden ());
  await page.uncheck ('#remove-noise');
  await page.fill ('#grow', '2');
  await page.click ('input[value=best] + span');
  await page.uncheck ('#kinds input[value=dust]', { force: true });
  await page.fill ('#preset-name', 'Aunt Mary; 1950');
  await page.click ('#preset-save');
  const again = await page.context ().newPage ();

  await again.goto (other.address);
  await again.waitForSelector ('body.ready');
  await again.click ('aside details:not(.finder) summary');
  ok ('settings are as usual', await again.isChecked ('#remove-noise') && await again.inputValue ('#grow') === '0');
  await again.selectOption ('#preset', 'Aunt Mary; 1950');
  ok ('until those that were kept are chosen', !await again.isChecked ('#remove-noise')
    && await again.inputValue ('#grow') === '2' && await again.isChecked ('input[value=best]')
    && !await again.isChecked ('#kinds input[value=dust]') && await again.isChecked ('#kinds input[value=scratches]'));
  await again.click ('#preset-remove');
  ok ('they can be removed', await again.locator ('#preset-row').isHidden ());
  await other.stop ();
  await page.close ();
}

await run ([testLine, testRightButton, testEscape, testBefore, testSaving, testNoiseOfEach, testTryingAgain, testPresets, testPhone]);
