// restore.mjs - all in one go, and the marks of what is found, on the page of
// "tessera serve"
//
// usage: TESSERA=program ROOT=folder node restore.mjs [TEST...]

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ok } from './lib.mjs';
import { give, idle, openPicture, paint, painted, run, saved, scene, toWindow, visit } from './page.mjs';
import { makePng, readPng } from './png.mjs';

const size = [160, 120], task = 'restore';

// Two black blocks, and perhaps noise.
const isBlock = (x, y) => y > 30 && y < 43 && (x > 20 && x < 33 || x > 100 && x < 113);
const blocks = makePng (...size, 8, (x, y, c) => isBlock (x, y) ? 0 : 40 + 180 * scene (x / 2, y / 2, c));
const clean = makePng (...size, 8, (x, y, c) => 40 + 180 * scene (x / 2, y / 2, c));

// What the program makes of a file.
function restored (bytes, ...options) {
  const folder = mkdtempSync (join (tmpdir (), 'tessera-test-'));

  try {
    writeFileSync (join (folder, 'in.png'), bytes);
    execFileSync (process.env.TESSERA, ['restore', '-q', join (folder, 'in.png'), '-o', join (folder, 'out.png'),
                                        ...options]);
    return readFileSync (join (folder, 'out.png'));
  } finally {
    rmSync (folder, { recursive: true });
  }
}

async function only (page, ...kinds) {
  for (const kind of await page.$$eval ('#kinds input', inputs => inputs.map (({ value }) => value)))
    await page.setChecked (`#kinds input[value=${kind}]`, kinds.includes (kind), { force: true });
}

// ---- one picture ----

async function testRestoring (server) {
  const page = await visit (server.address, { task });

  await openPicture (page, 'scan.png', blocks);
  await idle (page);
  await only (page, 'blocks');
  ok ('one button is all it needs', await page.textContent ('#start') === 'Restore'
    && !await page.locator ('#start').isDisabled ());
  await page.click ('#start');
  await page.waitForSelector ('#split:not([hidden])');
  await idle (page);
  ok ('what was done is said', /^Filled 2 blacked-out blocks \(288 pixels\)\./.test (await page.textContent ('#outcome-text')),
      await page.textContent ('#outcome-text'));
  ok ('the result is that of the command', (await saved (page, '#download')).bytes
    .equals (restored (blocks, '--find', 'blocks')));
  await testTraces (page);
  await page.keyboard.press ('Control+z');
  await idle (page);
  ok ('undo goes back to the marks', await painted (page) === 288
    && await page.textContent ('#found') === 'Found 2 blacked-out blocks.');
  ok ('on the picture as it was', await page.locator ('#download').isDisabled ());
  const before = page.requests.length;

  await page.click ('#start');
  await page.waitForSelector ('#split:not([hidden])');
  await idle (page);
  ok ('which are filled without looking for them again', page.requests.slice (before)
    .some (url => url.includes ('task=restore') && url.includes ('kinds=&'))
    && (await saved (page, '#download')).bytes.equals (restored (blocks, '--find', 'blocks')));
  await page.close ();
}

// How many pixels of the upper canvas have a colour.
const coloured = page => page.evaluate (() => {
  const canvas = document.getElementById ('above');
  const { data } = canvas.getContext ('2d').getImageData (0, 0, canvas.width, canvas.height);
  let count = 0;

  for (let i = 3; i < data.length; i += 4)
    count += data[i] > 0 ? 1 : 0;
  return count;
});

async function testTraces (page) {
  ok ('the result is shown without marks', await coloured (page) === 0);
  await page.check ('#show-filled');
  await page.waitForTimeout (200);
  ok ('what was filled can be seen', await coloured (page) > 0);
  await page.uncheck ('#show-filled');
  await page.waitForTimeout (200);
  ok ('or not', await coloured (page) === 0);
}

// The marks are there while the holes are filled.
async function testOnTheWay (server) {
  const page = await visit (server.address, { task });

  await openPicture (page, 'scan.png', makePng (500, 400, 8, (x, y, c) =>
    x % 100 > 40 && x % 100 < 60 && y % 80 > 20 && y % 80 < 60 ? 0 : 40 + 180 * scene (x / 2, y / 2, c)));
  await idle (page);
  await only (page, 'blocks');
  await page.click ('input[value=best] + span');
  await page.click ('#start');
  await page.waitForFunction (() => /^Found 25/.test (document.getElementById ('found').textContent));
  ok ('what was found is shown while it is filled', await painted (page) > 0
    && await page.locator ('#progress').isVisible ());
  await page.click ('#cancel');
  await idle (page);
  await page.waitForFunction (() => document.getElementById ('download').disabled
    && parseInt (document.getElementById ('painted').textContent, 10) > 0);
  ok ('a cancelled restoration leaves the marks, and the picture as it was', true);
  await page.close ();
}

async function testNothing (server) {
  const page = await visit (server.address, { task });

  await openPicture (page, 'clean.png', clean);
  await idle (page);
  await only (page, 'blocks');
  await page.uncheck ('#remove-noise');
  await page.click ('#start');
  await page.waitForFunction (() => document.getElementById ('message-text').textContent.startsWith ('Found nothing'));
  await idle (page);
  ok ('a picture with nothing to do stays as it is', await page.locator ('#download').isDisabled ()
    && await page.locator ('#undo').isDisabled ());
  await page.close ();
}

// Paler, and no black.
const faded = makePng (...size, 8, (x, y, c) => 70 + 100 * scene (x / 2, y / 2, c));

async function testFading (server) {
  const page = await visit (server.address, { task });

  await openPicture (page, 'faded.png', faded);
  await idle (page);
  await only (page, 'blocks');
  await page.uncheck ('#remove-noise');
  ok ('faded colors are not changed unasked', !await page.isChecked ('#undo-fading'));
  await page.check ('#undo-fading');
  await page.click ('#start');
  await page.waitForSelector ('#split:not([hidden])');
  await idle (page);
  ok ('faded colors come back, which is said', /^Brought back contrast and colors\./
    .test (await page.textContent ('#outcome-text')), await page.textContent ('#outcome-text'));
  ok ('as by the command', (await saved (page, '#download')).bytes
    .equals (restored (faded, '--find', 'blocks', '--no-noise', '--fading')));
  await page.close ();
}

// ---- marks one by one ----

async function testMarks (server) {
  const page = await visit (server.address, { task });
  const said = () => page.textContent ('#mark-text');

  await openPicture (page, 'scan.png', blocks);
  await idle (page);
  ok ('without marks there is nothing to choose', await page.locator ('#marks').isHidden ());
  await only (page, 'blocks');
  await page.click ('#find');
  await page.waitForFunction (() => /^Found 2/.test (document.getElementById ('found').textContent));
  await idle (page);
  ok ('marks are counted', await said () === '2 marks', await said ());
  await page.click ('#wider');
  ok ('all are widened', await painted (page) === 2 * 14 * 14, await painted (page));
  await page.click ('#narrower');
  ok ('or narrowed', await painted (page) === 288, await painted (page));
  await page.keyboard.press ('n');
  ok ('one is looked at', await said () === 'Mark 1 of 2' && await page.locator ('#mark-ring').isVisible ());
  await page.click ('#wider');
  ok ('and widened alone', await painted (page) === 144 + 14 * 14 && await said () === 'Mark 1 of 2', await painted (page));
  await page.click ('#mark-next');
  ok ('then the next', await said () === 'Mark 2 of 2', await said ());
  await page.keyboard.press ('x');
  ok ('it is dropped', await painted (page) === 14 * 14 && await said () === 'Mark 1 of 1', await painted (page));
  await page.keyboard.press ('Control+z');
  await idle (page);
  ok ('which can be undone', await painted (page) === 144 + 14 * 14 && await said () === '2 marks', await said ());
  await page.keyboard.press ('0');
  await page.click ('[data-tool=drop]');
  await clickAt (page, 0.5, 0.5);
  ok ('a click beside the marks does nothing', await said () === '2 marks');
  await clickAt (page, 26 / 160, 36 / 120);
  ok ('a click on one drops it', await painted (page) === 144, await painted (page));
  await page.click ('#start');
  await page.waitForSelector ('#split:not([hidden])');
  await idle (page);
  ok ('and it stays as it is when the others are filled', /^Filled 144 pixels\./
    .test (await page.textContent ('#outcome-text')), await page.textContent ('#outcome-text'));
  const result = readPng ((await saved (page, '#download')).bytes);

  ok ('in the file', result.sample (26, 36, 0) === 0 && result.sample (106, 36, 0) > 0);
  await page.close ();
}

// ---- what is outside the print ----

// A white margin of 20 pixels at the left, and of 10 at the top and below.
const isMargin = (x, y) => x < 20 || y < 10 || y >= 110;
const scanned = makePng (...size, 8, (x, y, c) => isMargin (x, y) ? 255 : 20 + 150 * scene (x / 2, y / 2, c));

async function testCropping (server) {
  const page = await visit (server.address, { task });

  await openPicture (page, 'scan.png', scanned);
  await idle (page);
  ok ('nothing is cropped unasked', await page.locator ('#margins').isHidden ());
  await page.click ('[data-tool=rectangle]');
  for (const [a, b] of [[[0, 0], [20 / 160, 1]], [[0, 0], [1, 10 / 120]], [[0, 110 / 120], [1, 1]]])
    await paint (page, size, a, b);
  const before = await painted (page);

  ok ('blank margins can be cropped', before > 4500 && await page.textContent ('#crop') === 'Crop to 140 × 100',
      [before, await page.textContent ('#crop')]);
  await page.click ('#crop');
  ok ('their marks are gone', await painted (page) === 0);
  ok ('what is outside is dimmed', await page.locator ('#outside').count () === 1
    && await page.textContent ('#margins-text') === 'Cropped to 140 × 100 pixels.');
  const cropped = readPng ((await saved (page, '#download')).bytes), whole = readPng (scanned);

  ok ('the file is the part that is left', cropped.width === 140 && cropped.height === 100
    && cropped.sample (5, 7, 1) === whole.sample (25, 17, 1));
  await page.click ('#crop');
  ok ('which can be taken back', await page.locator ('#download').isDisabled ()
    && await page.locator ('#margins').isHidden ());
  await page.close ();
}

async function clickAt (page, x, y) {
  const at = await toWindow (page, ...size, x, y);

  await page.mouse.click (at.x, at.y);
}

// ---- all of them ----

async function testAll (server) {
  const page = await visit (server.address, { task });

  await give (page, 'drop', ['a.png', blocks], ['b.png', clean], ['c.png', blocks]);
  await page.waitForFunction (() => document.querySelectorAll ('#thumbs img[src]').length === 3);
  await idle (page);
  await only (page, 'blocks');
  await page.uncheck ('#remove-noise');
  await page.click ('#find-all');
  await page.waitForFunction (() => document.getElementById ('message-text').textContent.startsWith ('Found'));
  await idle (page);
  ok ('damage is found in all', await page.textContent ('#message-text')
    === 'Found 4 blacked-out blocks in 2 of 3 pictures.', await page.textContent ('#message-text'));
  const names = () => page.$$eval ('#thumbs .thumb', thumbs => thumbs.map (({ title }) => title).join ());

  ok ('and marked', await names () === 'a.png, painted,b.png,c.png, painted', await names ());
  await page.click ('#mend-all');
  await page.waitForFunction (() => document.getElementById ('message-text').textContent.startsWith ('Restored'));
  await idle (page);
  ok ('all are restored', await names () === 'a.png, restored,b.png,c.png, restored', await names ());
  ok ('and it is said what was done', await page.textContent ('#message-text')
    === 'Restored 2 pictures: filled 4 blacked-out blocks. 1 picture had nothing to restore.',
      await page.textContent ('#message-text'));
  await page.close ();
}

await run ([testRestoring, testOnTheWay, testNothing, testFading, testMarks, testCropping, testAll]);
