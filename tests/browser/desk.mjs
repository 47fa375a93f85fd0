// desk.mjs - several pictures, and what keeps work safe, on the page of
// "tessera serve"
//
// usage: TESSERA=program ROOT=folder node desk.mjs [TEST...]

import { ok } from './lib.mjs';
import { drawn, give, holdBack, idle, mend, openPicture, paint, painted, run, saved, scene, shown, toWindow, visit }
  from './page.mjs';
import { makePng, readPng } from './png.mjs';

const size = [160, 120];
const picture = (shift = 0) => makePng (...size, 8, (x, y, c) => 255 * scene (x + shift, y, c));
const names = page => page.$$eval ('#thumbs .thumb', thumbs => thumbs.map (({ title }) => title));

async function openSeveral (page, ...files) {
  await give (page, 'drop', ...files.map ((name, i) => [name, picture (10 * i)]));
  await page.waitForFunction (count => document.querySelectorAll ('#thumbs img[src]').length === count
    && !document.body.matches ('.busy'), files.length);
}

async function chooseThumb (page, name) {
  await page.click (`#thumbs [aria-label^="${name}"]`);
  await shown (page, name);
  await idle (page);
}

// Answers the question that is asked, and waits for what follows.
async function answer (page, value, expected) {
  await page.click (`#ask button[value=${value}]`);
  for (let i = 0; i < 300 && await painted (page) !== expected; i++)
    await page.waitForTimeout (100);
}

// ---- several pictures ----

async function testSeveral (server) {
  const page = await visit (server.address);

  await openPicture (page, 'alone.png', picture ());
  await idle (page);
  ok ('one picture needs no strip', await page.locator ('#strip').isHidden ());
  await paint (page, size, [0.2, 0.3], [0.5, 0.4]);
  const strokes = await painted (page);
  await openPicture (page, 'other.png', picture (20));
  await idle (page);
  ok ('the picture that comes next is shown, with nothing painted', await painted (page) === 0);
  ok ('both are in the strip', (await names (page)).join () === 'alone.png, painted,other.png', await names (page));
  await chooseThumb (page, 'alone.png');
  ok ('opening another has cost no stroke', strokes > 0 && await painted (page) === strokes);
  await page.keyboard.press ('Control+z');
  await idle (page);
  ok ('which can still be undone', await painted (page) === 0);
  await page.keyboard.press ('Control+Shift+Z');
  await idle (page);
  await page.keyboard.press ('.');
  await shown (page, 'other.png');
  ok ('a key goes to the next', true);
  await idle (page);
  await testMendingAll (page);
  await page.close ();
}

async function testMendingAll (page) {
  await give (page, 'drop', ['third.png', picture (40)], ['fourth.png', picture (60)]);
  await page.waitForFunction (() => document.querySelectorAll ('#thumbs img[src]').length === 4);
  await idle (page);
  ok ('several are dropped, the first of them is shown', await page.textContent ('#file-name') === 'third.png');
  await paint (page, size, [0.3, 0.3], [0.6, 0.5]);
  await page.click ('#mend-all');
  await page.waitForFunction (() => /^Restored/.test (document.getElementById ('message-text').textContent), null,
                              { timeout: 120000 });
  await idle (page);
  ok ('all that are painted over are mended',
      (await names (page)).join () === 'alone.png, restored,other.png,third.png, restored,fourth.png', await names (page));
  ok ('and it is said which were not',
      await page.textContent ('#message-text') === 'Restored 2 pictures. 2 pictures had nothing painted over.');
  const downloads = [];

  page.on ('download', download => downloads.push (download.suggestedFilename ()));
  await page.click ('#download-all');
  for (let i = 0; i < 300 && downloads.length < 2; i++)
    await page.waitForTimeout (100);
  await idle (page);
  ok ('all of these are saved', downloads.sort ().join () === 'alone-mended.png,third-mended.png', downloads);
  ok ('and known to be', (await names (page)).filter (name => name.endsWith (', saved')).length === 2);
}

// ---- nothing is lost unasked ----

async function testAsking (server) {
  const page = await visit (server.address);

  await openSeveral (page, 'a.png', 'b.png', 'c.png');
  await paint (page, size, [0.2, 0.3], [0.5, 0.4]);
  await page.click ('#close');
  await page.waitForSelector ('#ask[open]');
  ok ('closing a picture with strokes on it asks', (await page.textContent ('#ask-title')) === 'Close a.png?');
  await page.keyboard.press ('Escape');
  await page.waitForSelector ('#ask', { state: 'hidden' });
  ok ('Escape keeps it', await painted (page) > 0 && await page.textContent ('#file-name') === 'a.png');
  await page.click ('#close');
  await page.click ('#ask button[value=close]');
  await shown (page, 'b.png');
  await idle (page);
  ok ('closed, it makes place for the next', (await names (page)).join () === 'b.png,c.png');
  await page.hover ('#thumbs li:nth-child(2)');
  await page.click ('#thumbs li:nth-child(2) .cross');
  await page.waitForSelector ('#strip', { state: 'hidden' });
  ok ('one without work is closed unasked', await page.textContent ('#file-name') === 'b.png');
  await idle (page);
  await paint (page, size, [0.2, 0.3], [0.5, 0.4]);
  const leaving = page.waitForEvent ('dialog');

  // What people answer to the browser: they stay.
  page.reload ().catch (() => {});
  const dialog = await leaving;

  ok ('leaving the page asks too', dialog.type () === 'beforeunload');
  await dialog.dismiss ();
  await page.close ();
}

// ---- masks from files ----

async function loadMask (page, mask) {
  const [chooser] = await Promise.all ([page.waitForEvent ('filechooser'), page.click ('#load-mask')]);

  await chooser.setFiles ({ name: 'mask.png', mimeType: 'image/png', buffer: mask });
}

async function testLoadingMasks (server) {
  const page = await visit (server.address);
  const mask = makePng (...size, 8, (x, y) => x < 10 && y < 10 ? 255 : 0);

  await openPicture (page, 'a.png', picture ());
  await idle (page);
  await loadMask (page, mask);
  await page.waitForFunction (() => document.getElementById ('painted').textContent.startsWith ('100 '));
  ok ('where nothing is painted, a mask is loaded unasked', true);
  await page.click ('#clear-mask');
  await page.click ('[data-tool=rectangle]');
  await paint (page, size, [0.5, 0.5], [0.6, 0.6]);
  const one = await painted (page);
  await loadMask (page, mask);
  await answer (page, 'add', one + 100);
  ok ('else it is asked for: it may be added', await painted (page) === one + 100);
  await loadMask (page, mask);
  await answer (page, 'replace', 100);
  ok ('or replace what is there', await painted (page) === 100);
  await page.keyboard.press ('Control+z');
  await idle (page);
  ok ('which undo takes back in one step', await painted (page) === one + 100);
  await loadMask (page, mask);
  await page.waitForSelector ('#ask[open]');
  await page.keyboard.press ('Escape');
  await page.waitForSelector ('#ask', { state: 'hidden' });
  ok ('or nothing happens', await painted (page) === one + 100);
  await page.close ();
}

// ---- tools and keys ----

async function testLasso (server) {
  const page = await visit (server.address);
  const corners = [[0.2, 0.2], [0.6, 0.2], [0.6, 0.7], [0.2, 0.7]];

  await openPicture (page, 'a.png', picture ());
  await idle (page);
  await page.keyboard.press ('l');
  for (const [i, [x, y]] of corners.entries ()) {
    const at = await toWindow (page, ...size, x, y);

    await page.mouse.move (at.x, at.y, { steps: 4 });
    if (i === 0)
      await page.mouse.down ();
  }
  ok ('the lasso is drawn', await page.locator ('#lasso polygon').isVisible ());
  await page.mouse.up ();
  ok ('and gone when it is let go', await page.locator ('#lasso polygon').isHidden ());
  const area = 0.4 * 0.5 * size[0] * size[1];
  ok ('it paints what it goes around', Math.abs (await painted (page) - area) < 0.03 * area, await painted (page));
  const mask = readPng ((await saved (page, '#save-mask')).bytes);
  ok ('inside and not outside', mask.sample (64, 54, 0) === 1 && mask.sample (10, 54, 0) === 0);
  await page.close ();
}

async function testRelease (server) {
  const page = await visit (server.address);

  await openPicture (page, 'a.png', picture ());
  await idle (page);
  await page.check ('#on-release');
  for (const y of [0.3, 0.6]) {
    await paint (page, size, [0.2, y], [0.4, y]);
    await page.waitForFunction (() => !document.body.matches ('.busy')
      && document.getElementById ('painted').textContent.startsWith ('Nothing'), null, { timeout: 120000 });
  }
  ok ('each stroke is mended when the pointer is let go', !await page.locator ('#compare-toggle').isDisabled ());
  ok ('and the slider stays out of the way', await page.locator ('#split').isHidden ());
  await page.keyboard.press ('Control+z');
  await idle (page);
  ok ('undo brings the last stroke back', await painted (page) > 0);
  await page.close ();
}

async function testShortcuts (server) {
  const page = await visit (server.address);

  await page.keyboard.press ('?');
  ok ('? shows the keys', await page.locator ('#keys').isVisible ());
  await page.keyboard.press ('Escape');
  await page.waitForSelector ('#keys', { state: 'hidden' });
  await openPicture (page, 'a.png', picture ());
  await idle (page);
  await paint (page, size, [0.2, 0.3], [0.5, 0.4]);
  await page.keyboard.press ('Control+Enter');
  await page.waitForSelector ('#split:not([hidden])', { timeout: 120000 });
  ok ('Ctrl+Enter mends', await painted (page) === 0);
  await page.close ();
}

// ---- damage that is found ----

// A bright line from edge to edge, and a black block.
function damaged (x, y, c) {
  if (x > 20 && x < 33 && y > 80 && y < 93)
    return 0;
  return Math.abs (y - 40 - 0.2 * x) < 1 ? 250 : 40 + 100 * scene (x / 3, y / 3, c);
}

async function testFinder (server) {
  const page = await visit (server.address);
  const only = async (...kinds) => {
    for (const kind of await page.$$eval ('#kinds input', inputs => inputs.map (({ value }) => value)))
      await page.setChecked (`#kinds input[value=${kind}]`, kinds.includes (kind), { force: true });
  };

  await openPicture (page, 'a.png', makePng (...size, 8, damaged));
  await idle (page);
  await only ();
  ok ('without a kind there is nothing to find', await page.locator ('#find').isDisabled ());
  // Own strokes over what is going to be found.
  await page.click ('[data-tool=rectangle]');
  await paint (page, size, [0.1, 0.6], [0.18, 0.74]);
  const covering = await painted (page);
  await only ('blocks');
  await page.click ('#find');
  await page.waitForFunction (() => document.getElementById ('found').textContent !== '');
  await idle (page);
  ok ('what is found adds to what is painted', await painted (page) > covering && await painted (page) < covering + 144);
  await only ('border');
  await page.waitForFunction (() => document.getElementById ('found').textContent === 'Found none of these.');
  await idle (page);
  ok ('and takes nothing of that with it', await painted (page) === covering, await painted (page));
  await page.click ('#clear-mask');
  await only ('blocks');
  await page.click ('#find');
  await page.waitForFunction (() => document.getElementById ('found').textContent !== '');
  await idle (page);
  ok ('what is found is counted', await page.textContent ('#found') === 'Found 1 blacked-out block.',
      await page.textContent ('#found'));
  ok ('and is in the mask, to be changed', await painted (page) === 144);
  await page.click ('[data-tool=rectangle]');
  await paint (page, size, [0.8, 0.8], [0.9, 0.9]);
  const own = await painted (page) - 144;
  const words = async text => {
    await page.waitForFunction (text => document.getElementById ('found').textContent === text, text);
    await idle (page);
  };
  const searches = () => page.requests.filter (url => url.includes ('task=find')).map (url => new URL (url).searchParams);
  const searched = async strength => {
    for (let i = 0; i < 300 && searches ().at (-1).get ('strength') !== strength; i++)
      await page.waitForTimeout (100);
    await idle (page);
  };

  await page.focus ('#find-strength');
  await page.keyboard.press ('Home');
  await searched ('0.250');
  ok ('the slider says what it means', await page.textContent ('#find-strength-text') === 'only what is certain');
  ok ('and searches again by itself', searches ().at (-1).get ('strength') === '0.250'
    && await painted (page) >= own);
  ok ('without taking the focus', await page.evaluate (() => document.activeElement.id) === 'find-strength');
  const before = searches ().length;

  /* All in one turn of the page, however slow the machine is. */
  await page.$eval ('#find-strength', slider => {
    for (let i = 0; i < 20; i++) {
      slider.stepUp ();
      slider.dispatchEvent (new Event ('input', { bubbles: true }));
      slider.dispatchEvent (new Event ('change', { bubbles: true }));
    }
  });
  await searched ('1.000');
  ok ('steps that come fast count as few', searches ().at (-1).get ('strength') === '1.000'
    && searches ().length <= before + 2, searches ().length - before);
  await only ('border');
  await words ('Found none of these.');
  ok ('so do the kinds; what is found takes the place of the last, and leaves own strokes',
      own > 0 && await painted (page) === own);
  await page.keyboard.press ('Control+z');
  await idle (page);
  ok ('undo brings back what was found before, and what was said of it', await painted (page) === own + 144
    && await page.textContent ('#found') === 'Found 1 blacked-out block.');
  await mend (page);
  await idle (page);
  ok ('mended, it is no longer spoken of', await page.textContent ('#found') === '');
  await page.close ();
}

// ---- noise ----

// The same numbers each time, about normal: 0 in the mean, 1 in variance.
function grain (x, y, c) {
  let sum = 0;

  for (let i = 0; i < 12; i++) {
    const value = Math.sin (x * 12.9898 + y * 78.233 + c * 37.719 + i * 11.131) * 43758.5453;

    sum += value - Math.floor (value);
  }
  return sum - 6;
}

async function until (page, state) {
  await page.waitForFunction (state => document.getElementById ('noise-state').textContent === '' && (state === undefined
    || document.getElementById ('noise-found').textContent.includes (state)), state, { timeout: 60000 });
  await drawn (page);
}

// How much the samples of the canvas differ from their neighbours in a square
// around the middle of the picture's right half.
async function roughness (page) {
  const at = await toWindow (page, ...size, 0.7, 0.5);

  return page.evaluate (({ x, y }) => {
    const canvas = document.getElementById ('below'), box = canvas.getBoundingClientRect ();
    const scale = canvas.width / box.width, side = 96;
    const { data } = canvas.getContext ('2d').getImageData ((x - box.left) * scale - side / 2,
                                                            (y - box.top) * scale - side / 2, side, side);
    let sum = 0;

    for (let i = 0; i + 4 * side < data.length; i += 4)
      sum += Math.abs (data[i] - data[i + 4 * side]);
    return sum / side / side;
  }, at);
}

async function testNoise (server) {
  const page = await visit (server.address);

  await openPicture (page, 'grain.png', makePng (...size, 8, (x, y, c) =>
    Math.max (0, Math.min (255, 128 + 40 * Math.sin (x / 40) + 20 * grain (x, y, c)))));
  await idle (page);
  const rough = await roughness (page);
  await page.click ('input[value=denoise] + span');
  await until (page, 'Found noise');
  ok ('what noise there is is said in words', true);
  const smooth = await roughness (page);
  ok ('the part in view is previewed', smooth < 0.6 * rough, { smooth, rough });
  ok ('beside what it was', await page.locator ('#split').isVisible ());
  await page.focus ('#strength');
  await page.keyboard.press ('Home');
  await page.waitForFunction (() => document.getElementById ('strength-text').textContent.startsWith ('0.25'));
  await until (page);
  const gentle = await roughness (page);
  ok ('a gentler strength leaves more', gentle > 1.2 * smooth, { gentle, smooth });
  await page.click ('input[value=removed] + span');
  await until (page);
  await idle (page);
  ok ('what is removed can be seen', await page.locator ('input[value=removed]').isChecked ());
  await page.click ('input[value=result] + span');
  await page.focus ('#strength');
  for (let i = 0; i < 40; i++)
    await page.keyboard.press ('ArrowRight');
  await until (page);
  await testRemoving (page, rough);
  await page.close ();
}

async function testRemoving (page, rough) {
  await page.click ('input[value=fast] + span');
  await page.click ('#start');
  await page.waitForFunction (() => document.getElementById ('message-text').textContent.includes ('Done'), null,
                              { timeout: 120000 });
  await idle (page);
  await until (page, 'Found noise');
  ok ('noise is removed from the picture', await roughness (page) < 0.6 * rough);
  const full = (await saved (page, '#download')).bytes;
  await page.focus ('#strength');
  await page.keyboard.press ('Home');
  await until (page);
  await page.click ('#start');
  await page.waitForSelector ('body.busy');
  await idle (page);
  const gentle = (await saved (page, '#download')).bytes;
  ok ('another strength begins where the first did', !gentle.equals (full)
    && deviation (gentle) > 1.2 * deviation (full), [deviation (gentle), deviation (full)]);
  await page.keyboard.press ('Control+z');
  await idle (page);
  ok ('and one undo takes it back', await page.locator ('#undo').isDisabled ());
}

// Root mean square of the differences between rows.
function deviation (file) {
  const png = readPng (file);
  let sum = 0;

  for (let y = 1; y < png.height; y++)
    for (let x = 0; x < png.width; x++)
      sum += (png.sample (x, y, 0) - png.sample (x, y - 1, 0)) ** 2;
  return Math.sqrt (sum / png.width / png.height);
}

// ---- signs of life, and nothing on top of anything else ----

async function overlap (page, one, other) {
  const [a, b] = [await page.locator (one).boundingBox (), await page.locator (other).boundingBox ()];

  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}

async function testSigns (server) {
  const page = await visit (server.address);
  const upload = await holdBack (page, '/api/photos?');

  await give (page, 'drop', ['slow.png', picture ()]);
  await upload.held;
  ok ('a picture that takes long is announced', await page.locator ('#progress').isVisible ()
    && await page.textContent ('#progress-label') === 'Opening slow.png');
  ok ('with nothing behind it', await page.locator ('#empty').isHidden ());
  await upload.release ();
  await shown (page, 'slow.png');
  await idle (page);
  ok ('until it is there', await page.locator ('#progress').isHidden ());
  await page.evaluate (() => window.dispatchEvent (new DragEvent ('dragenter')));
  ok ('something dragged over the page is welcome', await page.locator ('.curtain').isVisible ());
  await page.evaluate (() => window.dispatchEvent (new DragEvent ('dragleave')));
  await page.click ('#close');
  await page.waitForSelector ('#empty', { state: 'visible' });
  await idle (page);
  await page.evaluate (() => window.dispatchEvent (new DragEvent ('dragenter')));
  ok ('and there is no other text where it says so', await page.locator ('#empty').isHidden ());
  await page.evaluate (() => window.dispatchEvent (new DragEvent ('dragleave')));
  await give (page, 'drop', ['my scan.png', Buffer.from ('no picture')]);
  await page.waitForSelector ('#message[data-kind=error]:not([hidden])');
  ok ('what cannot be opened is named as it is called',
      (await page.textContent ('#message-text')).startsWith ('my scan.png: '), await page.textContent ('#message-text'));
  ok ('and the page is as it was', await page.locator ('#empty').isVisible ()
    && await page.locator ('#download').isDisabled ());
  // That the server refused it is in the console, too.
  page.complaints = page.complaints.filter (text => !text.includes ('422'));
  await page.close ();
}

// A message never hides how far the work is, nor the way to stop it.
async function testMessages (server) {
  const page = await visit (server.address);
  const seen = async () => ({
    progress: await page.locator ('#progress').isVisible (), message: await page.locator ('#message').isVisible ()
  });

  await openSeveral (page, 'a.png', 'b.png');
  ok ('there is nothing to download yet', await page.locator ('#download').isDisabled ());
  await paint (page, size, [0.2, 0.3], [0.5, 0.4]);
  await mend (page);
  await idle (page);
  ok ('what was done is said', (await seen ()).message);
  ok ('and can be downloaded', !await page.locator ('#download').isDisabled ());
  ok ('nothing is left to be read aloud', await page.textContent ('#announcement') === '');
  const jobs = await holdBack (page, '/api/jobs/');

  await paint (page, size, [0.2, 0.7], [0.5, 0.6]);
  await page.click ('#start');
  await jobs.held;
  await page.waitForSelector ('#progress:not([hidden])');
  ok ('but not while the next work goes on', !(await seen ()).message);
  ok ('which is read aloud', await page.textContent ('#announcement[role=status]') === 'Mending');
  await give (page, 'drop', ['c.png', picture ()]);
  await page.waitForSelector ('#message[data-kind=error]:not([hidden])');
  for (const [width, height] of [[1280, 800], [390, 844]]) {
    await page.setViewportSize ({ width, height });
    await drawn (page);
    ok (`${width} x ${height}: a complaint leaves the progress free`,
        (await seen ()).progress && !await overlap (page, '#message', '#progress'));
  }
  await jobs.release ();
  await idle (page);
  await page.close ();
}

async function testPlaces (server) {
  const page = await visit (server.address);

  await openPicture (page, 'a.png', picture ());
  await idle (page);
  await paint (page, size, [0.2, 0.3], [0.5, 0.4]);
  await mend (page);
  await idle (page);
  await testPlacesIn (page, 'one picture');
  await page.setViewportSize ({ width: 1280, height: 900 });
  await openPicture (page, 'b.png', picture (10));
  await idle (page);
  await testPlacesIn (page, 'two pictures');
  await page.close ();
}

async function testPlacesIn (page, what) {
  for (const [width, height] of [[1440, 900], [1024, 700], [900, 600], [390, 844]]) {
    await page.setViewportSize ({ width, height });
    await drawn (page);
    // The longest message of all stays where it is.
    await page.evaluate (() => {
      document.getElementById ('message').hidden = false;
      document.getElementById ('message-text').textContent =
        'Mended 12,345,678 pixels in 12 min. Drag the slider to compare, or keep painting.';
    });
    ok (`${what}, ${width} x ${height}: a message leaves the zoom free`, !await overlap (page, '#message', '.zoom'));
    ok ('... and the strip', await page.locator ('#strip').isHidden () || !await overlap (page, '#message', '#strip'));
    ok ('... and no part is wider than the window',
        await page.evaluate (() => document.documentElement.scrollWidth <= innerWidth));
  }
}

// Thirty scans and more, for which the strip has no room, and a panel longer
// than the window: both scroll, and nothing else moves.
async function testMany (server) {
  const page = await visit (server.address);
  const files = Array.from ({ length: 35 }, (_, i) => `${i}.png`);

  await openSeveral (page, ...files);
  for (const [width, height] of [[1280, 800], [390, 844]]) {
    await page.setViewportSize ({ width, height });
    await drawn (page);
    const [stage, strip] = [await page.locator ('#stage').boundingBox (), await page.locator ('#strip').boundingBox ()];

    ok (`${width} x ${height}: many pictures leave the stage its width`,
        stage.x >= 0 && stage.x + stage.width <= width && strip.width <= stage.width, { stage, strip });
    ok ('... and the panel its place', !await overlap (page, '#stage', '.panel'));
    for (const control of await page.locator ('.panel :is(button, input, summary, select)').all ())
      await control.focus ();
    ok ('... and no control that gets the focus moves the page', await page.evaluate (() =>
      document.body.scrollTop === 0 && document.body.scrollLeft === 0
      && document.documentElement.scrollTop === 0 && document.documentElement.scrollLeft === 0));
  }
  await page.close ();
}

await run ([testSeveral, testMany, testAsking, testLoadingMasks, testLasso, testRelease, testShortcuts, testFinder,
            testNoise, testSigns, testMessages, testPlaces]);
