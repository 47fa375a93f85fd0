// serve.mjs - the page of "tessera serve" in a browser
//
// usage: TESSERA=program ROOT=folder node serve.mjs [TEST...]
// Runs the tests of these names ("testDropping"), or all.

import { createServer } from 'node:http';
import { readFileSync } from 'node:fs';
import { deflateSync } from 'node:zlib';
import { ok, open } from './lib.mjs';
import { give, holdBack, mend, openPicture, paint, painted, run, saved, scene, shown, toWindow, visit } from './page.mjs';
import { exifOf, makePng, pngChunks, readPng } from './png.mjs';

const root = process.env.ROOT;

// ---- a photograph of 16 bits, with a profile and EXIF ----

// No colours in it, but its length is right.
function makeProfile () {
  const profile = Buffer.alloc (400, 7);

  profile.writeUInt32BE (profile.length, 0);
  return profile;
}

async function testWholeWay (server) {
  const size = [160, 120], [width, height] = size;
  const profile = Buffer.concat ([Buffer.from ('a profile\0\0', 'latin1'), deflateSync (makeProfile ())]);
  const original = makePng (width, height, 16, (x, y, c) => 65535 * scene (x, y, c),
                            [['iCCP', profile], ['eXIf', exifOf (1)], ['pHYs', Buffer.from ([0, 0, 11, 19, 0, 0, 11, 19, 1])]]);
  const page = await visit (server.address, { width: 1440 });

  ok ('the token does not stay in the address', page.url () === server.base);
  // Whatever the program was built with, the page says and offers.
  const formats = await page.textContent ('#formats');
  const accept = await page.getAttribute ('#choose-photo', 'accept');
  ok ('the formats are those of the program', /^PNG, JPEG|^PNG or JPEG/.test (formats) && accept.includes ('.png')
      && formats.includes ('TIFF') === accept.includes ('.tif')
      && formats.includes ('WebP') === accept.includes ('.webp'), { formats, accept });
  await openPicture (page, 'scene.png', original);
  ok ('the picture is described', (await page.textContent ('#file-facts')).includes ('160 × 120 · PNG · 16 bit'));
  await paint (page, size, [0.2, 0.2], [0.4, 0.3]);
  await paint (page, size, [0.5, 0.5], [0.7, 0.5]);
  const two = await painted (page);
  await paint (page, size, [0.3, 0.8], [0.6, 0.7]);
  ok ('three strokes are painted', two > 0 && await painted (page) > two);
  await page.keyboard.press ('Control+z');
  ok ('undo takes the third back', await painted (page) === two);
  await page.keyboard.press ('Control+Shift+Z');
  ok ('redo brings it again', await painted (page) > two);
  await page.click ('#undo');
  const mask = readPng ((await saved (page, '#save-mask')).bytes);

  await mend (page);
  await testSlider (page);
  const { name, bytes } = await saved (page, '#download');
  ok ('the file gets a name of its own', name === 'scene-mended.png');
  compareFiles (original, bytes, mask);
  await testGoingOn (page, size);
  await page.close ();
}

function compareFiles (original, mended, mask) {
  const before = readPng (original), after = readPng (mended);
  let changed = 0, strayed = 0, marked = 0;

  for (let y = 0; y < before.height; y++)
    for (let x = 0; x < before.width; x++) {
      const same = [0, 1, 2].every (c => before.sample (x, y, c) === after.sample (x, y, c));

      marked += mask.sample (x, y, 0);
      changed += same ? 0 : 1;
      strayed += !same && !mask.sample (x, y, 0) ? 1 : 0;
    }
  ok ('the size and depth are the same',
      before.width === after.width && before.height === after.height && before.depth === after.depth);
  ok ('pixels differ under the mask', changed > marked / 2, { changed, marked });
  ok ('and nowhere else', strayed === 0, strayed);
  for (const name of ['iCCP', 'eXIf', 'pHYs']) {
    const [a, b] = [original, mended].map (file => pngChunks (file).find (([each]) => each === name)?.[1]);

    ok (`${name} is the same`, b !== undefined && a.equals (b));
  }
}

async function testSlider (page) {
  const split = page.locator ('#split');
  const value = async () => Number (await split.getAttribute ('aria-valuenow'));
  const box = await split.boundingBox ();

  ok ('the slider begins in the middle', await value () === 50);
  await page.mouse.move (box.x + box.width / 2, box.y + 100);
  await page.mouse.down ();
  await page.mouse.move (box.x + box.width / 2 - 300, box.y + 100, { steps: 4 });
  await page.mouse.up ();
  ok ('the pointer moves it', await value () < 40);
  await split.focus ();
  await page.keyboard.press ('End');
  ok ('and so do keys', await value () === 100);
  await page.keyboard.down ('o');
  ok ('holding a key shows the original', await page.locator ('.badge').isVisible ());
  await page.keyboard.up ('o');
  ok ('until it is let go', !await page.locator ('.badge').isVisible ());
  await page.mouse.move (0, 0);
  await page.locator ('#hold').focus ();
  for (const key of ['Enter', 'Space']) {
    await page.keyboard.down (key);
    ok (`so does the button, with ${key}`, await page.locator ('.badge').isVisible ());
    await page.keyboard.up (key);
    ok ('until that is let go', !await page.locator ('.badge').isVisible ());
  }
}

async function testGoingOn (page, size) {
  ok ('after mending nothing is painted', await painted (page) === 0);
  await page.keyboard.press ('c');
  await paint (page, size, [0.8, 0.2], [0.8, 0.6]);
  await testShowing (page);
  const second = await saved (page, '#download');
  await page.keyboard.press ('Control+z');
  ok ('undo takes the mending back, not the stroke', await painted (page) > 0);
  const first = await saved (page, '#download');
  ok ('and the picture is the one before', !first.bytes.equals (second.bytes));
  await page.keyboard.press ('Control+Shift+Z');
  ok ('redo mends again', (await saved (page, '#download')).bytes.equals (second.bytes));
}

// While the result is on its way, the old picture cannot be mended again.
async function testShowing (page) {
  const views = await holdBack (page, '/view');

  await page.click ('#start');
  await views.held;
  ok ('until the result is shown, there is no mending and no saving',
      await page.locator ('#start').isDisabled () && await page.locator ('#download').isDisabled ()
      && await page.locator ('#progress').isVisible ());
  await views.release ();
  await page.waitForSelector ('#split:not([hidden])');
}

// ---- the eight orientations ----

// Where a file stores pixel (x, y) of an upright picture of w x h.
const stored = {
  1: (x, y) => [x, y], 2: (x, y, w) => [w - 1 - x, y], 3: (x, y, w, h) => [w - 1 - x, h - 1 - y],
  4: (x, y, w, h) => [x, h - 1 - y], 5: (x, y) => [y, x], 6: (x, y, w) => [y, w - 1 - x],
  7: (x, y, w, h) => [h - 1 - y, w - 1 - x], 8: (x, y, w, h) => [h - 1 - y, x]
};

async function testOrientation (page, orientation) {
  const [w, h] = [120, 80], turned = orientation >= 5;
  const isSpot = (x, y) => Math.abs (x - 30) < 3 && Math.abs (y - 20) < 3;
  const upright = new Map ();

  for (let y = 0; y < h; y++)
    for (let x = 0; x < w; x++)
      upright.set (String (stored[orientation] (x, y, w, h)), [x, y]);
  const file = makePng (turned ? h : w, turned ? w : h, 8, (x, y, c) => {
    const at = upright.get (String ([x, y]));

    return isSpot (...at) ? [255, 0, 0][c] : 255 * scene (...at, c);
  }, [['eXIf', exifOf (orientation)]]);

  await openPicture (page, `turned-${orientation}.png`, file);
  const spot = await toWindow (page, w, h, 30 / w, 20 / h);
  const colour = await page.evaluate (({ x, y }) => {
    const canvas = document.getElementById ('below'), box = canvas.getBoundingClientRect ();
    const scale = canvas.width / box.width;

    return [...canvas.getContext ('2d').getImageData ((x - box.left) * scale, (y - box.top) * scale, 1, 1).data];
  }, spot);
  ok (`orientation ${orientation} is shown upright`, colour[0] > 200 && colour[1] < 80, colour);

  await page.keyboard.press ('b');
  await paint (page, [w, h], [27 / w, 20 / h], [33 / w, 20 / h]);
  const mask = readPng ((await saved (page, '#save-mask')).bytes);
  await mend (page);
  const before = readPng (file), after = readPng ((await saved (page, '#download')).bytes);
  let mended = 0, strayed = 0, spots = 0;

  for (const [at, [x, y]] of upright) {
    const [sx, sy] = at.split (',').map (Number);
    const same = [0, 1, 2].every (c => before.sample (sx, sy, c) === after.sample (sx, sy, c));

    strayed += !same && !mask.sample (x, y, 0) ? 1 : 0;
    spots += isSpot (x, y) ? 1 : 0;
    mended += isSpot (x, y) && !same ? 1 : 0;
  }
  ok ('... what was painted over is mended', mask.width === w && mended === spots, { mended, spots });
  ok ('... and only that, turned as the file was', strayed === 0 && before.width === after.width, strayed);
}

async function testOrientations (server) {
  const page = await visit (server.address);

  for (let orientation = 1; orientation <= 8; orientation++)
    await testOrientation (page, orientation);
  await page.close ();
}

// ---- JPEG ----

async function testJpeg (server) {
  const page = await visit (server.address);
  const file = readFileSync (`${root}/data/photos/forest4.jpg`);

  await openPicture (page, 'forest4.jpg', file);
  await page.keyboard.press ('r');
  await paint (page, [720, 480], [0.4, 0.4], [0.42, 0.42]);
  ok ('a rectangle is painted', await painted (page) > 20);
  await page.click ('input[value=fast] + span');
  await mend (page);
  const { name, bytes } = await saved (page, '#download');
  ok ('a JPEG stays a JPEG', name === 'forest4-mended.jpg' && bytes.readUInt16BE (0) === 0xffd8);
  // Written anew, at quality 95, it would have another length by far.
  ok ('and keeps the blocks that need not change', Math.abs (bytes.length - file.length) < 0.01 * file.length,
      [file.length, bytes.length]);
  await page.close ();
}

// ---- cancelling ----

function cpuTicks (pid) {
  const fields = readFileSync (`/proc/${pid}/stat`, 'latin1').replace (/.*\) /, '').split (' ');

  return Number (fields[11]) + Number (fields[12]);
}

async function testCancel (server) {
  const page = await visit (server.address);
  const size = [900, 700];

  await openPicture (page, 'long.png', makePng (...size, 8, (x, y, c) => 255 * scene (x, y, c)));
  await page.keyboard.press ('r');
  for (let i = 0; i < 6; i++)
    await paint (page, size, [0.05 + i * 0.15, 0.05], [0.15 + i * 0.15, 0.95]);
  await page.click ('input[value=best] + span');
  await page.click ('#start');
  await page.waitForFunction (() => document.getElementById ('progress-bar').value > 0.03, null, { timeout: 120000 });
  ok ('progress is shown', await page.locator ('#progress').isVisible ());
  await page.click ('#cancel');
  await page.waitForSelector ('#progress', { state: 'hidden' });
  ok ('cancel says that nothing has changed', (await page.textContent ('#message-text')).startsWith ('Cancelled'));
  let used = Infinity;

  for (let i = 0; i < 30 && used >= 20; i++) {
    const before = cpuTicks (server.pid);

    await page.waitForTimeout (1000);
    used = cpuTicks (server.pid) - before;
  }
  ok ('and frees the processor', used < 20, `${used} of 100 ticks`);
  ok ('the strokes are still there', await painted (page) > 0);
  await page.close ();
}

// ---- fingers, keys ----

async function testTouch (server) {
  const page = await visit (server.address, { width: 390, height: 844, touch: true });
  const size = [160, 120];

  await openPicture (page, 'small.png', makePng (...size, 8, (x, y, c) => 255 * scene (x, y, c)));
  const session = await page.context ().newCDPSession (page);
  const send = (type, ...points) => session.send ('Input.dispatchTouchEvent', { type, touchPoints: points });
  const at = await toWindow (page, ...size, 0.3, 0.3);

  await send ('touchStart', at);
  for (let i = 1; i <= 8; i++)
    await send ('touchMove', { x: at.x + 8 * i, y: at.y });
  await send ('touchEnd');
  const one = await painted (page);
  ok ('a finger paints', one > 0);
  const scale = await page.textContent ('#zoom-text');
  const left = { ...at, id: 1 }, right = { x: at.x + 60, y: at.y, id: 2 };
  await send ('touchStart', left);
  await send ('touchStart', left, right);
  for (let i = 1; i <= 6; i++)
    await send ('touchMove', left, { ...right, x: right.x + 20 * i });
  await send ('touchEnd');
  ok ('two fingers zoom', parseInt (await page.textContent ('#zoom-text')) > 1.5 * parseInt (scale));
  ok ('and paint nothing', await painted (page) === one);
  ok ('no part is wider than the window',
      await page.evaluate (() => document.documentElement.scrollWidth <= innerWidth));
  await page.click ('#show-settings');
  for (const state of ['#mend', 'input[value=denoise] + span', '#tab-compare']) {
    if (state !== '#mend')
      await page.click (state);
    const small = await page.evaluate (() => [...document.querySelectorAll (
      'button, select, summary, [type=number], [type=range], .check, .segments span, .chip span')]
      .filter (each => each.checkVisibility ())
      .map (each => [each.id || each.textContent, each.getBoundingClientRect ()])
      .filter (([, { width, height }]) => width < 44 || height < 44)
      .map (([name, { width, height }]) => [name, width, height]));

    ok (`${state}: nothing is too small for a finger`, small.length === 0, small);
  }
  await page.close ();
}

async function testKeys (server) {
  const page = await visit (server.address);

  await openPicture (page, 'small.png', makePng (160, 120, 8, (x, y, c) => 255 * scene (x, y, c)));
  await page.locator ('#stage').focus ();
  await page.keyboard.press ('Enter');
  for (let i = 0; i < 5; i++)
    await page.keyboard.press ('ArrowRight');
  await page.keyboard.press ('Enter');
  const one = await painted (page);
  ok ('arrows and Enter paint', one > 0);
  const size = await page.textContent ('#size-text');
  await page.keyboard.press (']');
  ok ('] makes the brush larger', parseInt (await page.textContent ('#size-text')) > parseInt (size));
  await page.keyboard.press ('e');
  await page.keyboard.press ('Enter');
  await page.keyboard.press ('Enter');
  ok ('the eraser erases', await painted (page) < one);
  const nameless = await page.evaluate (() => [...document.querySelectorAll ('button, input, select, [role=slider], [tabindex]')]
    .filter (element => !(element.getAttribute ('aria-label') || element.labels?.length || element.textContent.trim ()
                          || element.type === 'file'))
    .map (element => element.outerHTML));
  ok ('everything has a name', nameless.length === 0, nameless);
  await page.close ();
}

// ---- dropping, zooming, leaving ----

async function testDropping (server) {
  const page = await visit (server.address);
  const bytes = makePng (160, 120, 8, (x, y, c) => 255 * scene (x, y, c));

  for (const kind of ['drop', 'paste']) {
    await give (page, kind, [`${kind}.png`, bytes]);
    await shown (page, `${kind}.png`);
    ok (`a picture can be opened by ${kind}`, true);
  }
  await testHurry (page, bytes);
  await testMoving (page);
  const key = await page.evaluate (() => localStorage.getItem ('tessera-key'));
  const id = /photos\/(\w+)\/view/.exec (page.requests.findLast (url => url.includes ('/view')))[1];
  const state = async () => (await fetch (`${server.base}api/photos/${id}`, { headers: { 'X-Tessera-Key': key } })).status;

  ok ('the picture is open', await state () === 200);
  await page.goto ('about:blank');
  for (let i = 0; i < 600 && await state () === 200; i++)
    await page.waitForTimeout (100);
  ok ('leaving the page closes it', await state () === 422);
  await page.close ();
}

// The next picture comes before the first is on the screen.
async function testHurry (page, bytes) {
  const views = await holdBack (page, '/view');

  await give (page, 'drop', ['first.png', bytes]);
  await views.held;
  await give (page, 'drop', ['second.png', bytes]);
  await views.release ();
  await shown (page, 'second.png');
  ok ('pictures that are dropped in a hurry are opened in turn', true);
}

async function testMoving (page) {
  const at = await toWindow (page, 160, 120, 0.5, 0.5), scale = async () => parseInt (await page.textContent ('#zoom-text'));
  const before = await scale ();

  await page.mouse.move (at.x, at.y);
  await page.mouse.wheel (0, -300);
  await page.waitForFunction (before => parseInt (document.getElementById ('zoom-text').textContent) > before, before);
  ok ('the wheel zooms', true);
  await page.locator ('[data-tool=brush]').focus ();
  await page.keyboard.down ('Space');
  await page.mouse.down ();
  await page.mouse.move (at.x + 60, at.y, { steps: 3 });
  await page.mouse.up ();
  await page.keyboard.up ('Space');
  ok ('Space and dragging paint nothing, even with the focus on a button', await painted (page) === 0);
  await page.keyboard.press ('0');
  ok ('0 shows all of it again', await scale () === before);
}

// ---- finding ----

async function testFinding (server) {
  const page = await visit (server.address);
  const isBlock = (x, y) => x > 50 && x < 63 && y > 30 && y < 43;

  await openPicture (page, 'block.png', makePng (160, 120, 8, (x, y, c) =>
    isBlock (x, y) ? 0 : 40 + 180 * scene (x, y, c)));
  for (const kind of await page.$$eval ('#kinds input', inputs => inputs.map (({ value }) => value)))
    if (kind !== 'blocks')
      await page.click (`#kinds input[value=${kind}] + span`);
  await page.click ('#find');
  await page.waitForFunction (() => !document.getElementById ('painted').textContent.startsWith ('Nothing'));
  ok ('blacked-out blocks are found', await painted (page) === 144);
  const mask = await saved (page, '#save-mask');
  await page.click ('#clear-mask');
  ok ('clear clears', await painted (page) === 0);
  const [chooser] = await Promise.all ([page.waitForEvent ('filechooser'), page.click ('#load-mask')]);
  await chooser.setFiles ({ name: mask.name, mimeType: 'image/png', buffer: mask.bytes });
  await page.waitForFunction (() => !document.getElementById ('painted').textContent.startsWith ('Nothing'));
  ok ('a mask is loaded', await painted (page) === 144);
  await page.close ();
}

// ---- strangers ----

async function testStrangers (server, page) {
  const stranger = createServer ((request, response) => {
    response.setHeader ('Content-Type', 'text/html');
    response.end ('<!doctype html><title>stranger</title>');
  });

  await new Promise (resolve => stranger.listen (0, '127.0.0.1', resolve));
  const key = await page.evaluate (() => localStorage.getItem ('tessera-key'));
  const other = await open (`http://127.0.0.1:${stranger.address ().port}/`);
  const results = await other.evaluate (async ({ base, key }) => {
    const attempt = async (path, options) => {
      try {
        const response = await fetch (base + path, options);

        return `${response.type} ${response.status}`;
      } catch {
        return 'refused';
      }
    };
    const element = (name, attributes) => new Promise (resolve => {
      const made = Object.assign (document.createElement (name), attributes);

      made.onload = () => resolve ('loaded');
      made.onerror = () => resolve ('refused');
      document.body.append (made);
    });

    return {
      read: await attempt ('api/about', { headers: { 'X-Tessera-Key': key } }),
      page: await attempt (''),
      session: await attempt ('api/session', { method: 'POST', body: key }),
      upload: await attempt ('api/photos', { method: 'POST', body: 'x', headers: { 'X-Tessera-Key': key } }),
      image: await element ('img', { src: `${base}icon.svg` }),
      script: await element ('script', { src: `${base}main.js` })
    };
  }, { base: server.base, key });

  for (const [what, result] of Object.entries (results))
    ok (`a page of another origin, even with the key: ${what}`, result === 'refused', result);
  await other.evaluate (base => {
    const frame = document.createElement ('iframe');

    frame.src = base;
    document.body.append (frame);
  }, server.base);
  await other.waitForTimeout (500);
  ok ('and it cannot frame the page', !other.frames ().some (frame => frame.url () === server.base
    && frame.parentFrame () !== null));
  await other.close ();
  stranger.close ();
}

async function testComingBack (server) {
  const page = await visit (server.address);

  await page.reload ();
  await page.waitForSelector ('body.ready');
  ok ('the page can be loaded again', true);
  const other = await open (server.address);
  await other.waitForSelector ('body.refused');
  ok ('the address is good for one browser', (await other.textContent ('#refusal')).includes ('in another browser'));
  ok ('which the other is told, and how to go on', (await other.textContent ('#refusal')).includes ('tessera serve'));
  ok ('where nothing looks as if it worked', await other.evaluate (() =>
    ![...document.querySelectorAll ('button, input, select, summary, [role=tab]')].some (each => each.checkVisibility ())));
  await other.evaluate (() => window.dispatchEvent (new DragEvent ('dragenter')));
  ok ('nor if something were welcome', await other.locator ('.curtain').isHidden ());
  await other.goto (server.base);
  await other.waitForSelector ('body.refused');
  ok ('an address without its end is called that', (await other.textContent ('#refusal')).includes ('the whole address'));
  await other.close ();
  await testStrangers (server, page);
  await page.close ();
}

// ---- the second tab ----

async function testCompare (server) {
  const page = await visit (server.address);

  await page.click ('#tab-compare');
  await page.waitForFunction (() => [...document.querySelectorAll ('#dictionaries img')]
    .filter (image => image.complete && image.naturalWidth > 100).length === 2);
  ok ('dictionaries are shown as mosaics', true);
  const [chooser] = await Promise.all ([page.waitForEvent ('filechooser'), page.click ('#add-pictures')]);
  await chooser.setFiles ({ name: 'a.png', mimeType: 'image/png',
                            buffer: makePng (64, 48, 8, (x, y, c) => 255 * scene (x, y, c)) });
  await page.selectOption ('#algorithm', 'mod');
  await page.fill ('#learn-seconds', '600');
  await page.click ('#learn');
  await page.waitForFunction (() => document.querySelectorAll ('#dictionaries li').length === 3, null,
                              { timeout: 120000 });
  ok ('one is learned from dropped pictures', true);
  await page.fill ('#compare-seconds', '2');
  await page.click ('#run-compare');
  await page.waitForFunction (() => /^Learning with \S+, [1-4] of 4 · \d+ % · \d+ (s|min) left$/
    .test (document.querySelector ('#compare-text').textContent), null, { timeout: 120000 });
  ok ('a comparison says who learns, how far it is and how long it takes', true);
  ok ('also as a bar', await page.evaluate (() => {
    const bar = document.querySelector ('#compare-work progress');

    return bar.hasAttribute ('value') && bar.value > 0 && bar.value < 1;
  }));
  await page.click ('#compare-cancel');
  await page.waitForSelector ('#compare-work', { state: 'hidden' });
  await page.click ('#tab-mend');
  ok ('what was learned can be chosen', await page.locator ('#dictionary option').count () === 3);
  await page.close ();
}

await run ([testWholeWay, testOrientations, testJpeg, testCancel, testTouch, testKeys, testDropping, testFinding,
            testComingBack, testCompare]);
