// page.mjs - drives the page of "tessera serve" as a person would

import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { finish, ok, open, start } from './lib.mjs';

// A picture with something in it: samples from 0.1 to 0.9.
export const scene = (x, y, c) => 0.5 + 0.4 * Math.sin (x / 9 + c) * Math.cos (y / 7);

// Starts a server; its address is good for one page.
export async function startServer (...options) {
  return startServerWith (process.env, ...options);
}

// The same, with these variables of the environment.
export async function startServerWith (env, ...options) {
  const child = spawn (process.env.TESSERA, ['serve', '--no-open', '--quiet', ...options],
                       { stdio: ['ignore', 'pipe', 'inherit'], env });
  const address = await new Promise (resolve =>
    child.stdout.once ('data', data => resolve (String (data).trim ())));
  const ended = new Promise (resolve => child.once ('exit', (code, signal) => resolve (signal ?? code)));

  return {
    pid: child.pid,
    address,
    base: address.replace (/#.*/, ''),
    // Resolves to the exit status, or to the signal that ended it before.
    stop () {
      child.kill ('SIGTERM');
      return ended;
    }
  };
}

export async function openPage (address, options) {
  const page = await open (address, options);

  await page.waitForSelector ('body.ready');
  return page;
}

// Opens a picture by the button; bytes or the path of a file.
export async function openPicture (page, name, bytes) {
  const [chooser] = await Promise.all ([page.waitForEvent ('filechooser'), page.click ('#open')]);

  await chooser.setFiles ({ name, mimeType: 'image/png', buffer: bytes });
  await shown (page, name);
}

// Until the picture of that name is on the screen.
export async function shown (page, name) {
  await page.waitForFunction (name => document.getElementById ('file-name').textContent === name
    && document.body.matches ('.has-photo:not(.loading)'), name);
  await drawn (page);
}

// Until nothing is going on.
export async function idle (page) {
  await page.waitForSelector ('body:not(.busy)');
}

// Until what is loaded is drawn too.
export async function drawn (page) {
  await page.evaluate (() => new Promise (resolve =>
    requestAnimationFrame (() => requestAnimationFrame (resolve))));
}

// Holds back requests whose address has a part until it is called again;
// resolves when the first is held.
export async function holdBack (page, part) {
  const matches = url => url.href.includes (part);
  let release, arrived;
  const released = new Promise (resolve => release = resolve);
  const held = new Promise (resolve => arrived = resolve);

  // The page may have given a request up in the meantime.
  await page.route (matches, async route => {
    arrived ();
    await released;
    await route.continue ().catch (() => {});
  });
  return { held, release: async () => {
    release ();
    await page.unroute (matches);
  } };
}

// From shares of the shown picture to the window.  The picture is as large as
// it can be with a margin of 24 pixels.
export async function toWindow (page, width, height, x, y) {
  const box = await page.locator ('#stage').boundingBox ();
  const scale = Math.min ((box.width - 48) / width, (box.height - 48) / height);

  return {
    x: box.x + box.width / 2 + (x - 0.5) * width * scale,
    y: box.y + box.height / 2 + (y - 0.5) * height * scale
  };
}

// Paints a line between two points, each [x, y] in shares of the picture.
export async function paint (page, [width, height], from, to) {
  const a = await toWindow (page, width, height, ...from), b = await toWindow (page, width, height, ...to);

  await page.mouse.move (a.x, a.y);
  await page.mouse.down ();
  await page.mouse.move (b.x, b.y, { steps: 12 });
  await page.mouse.up ();
}

export async function painted (page) {
  const text = await page.textContent ('#painted');

  return text.startsWith ('Nothing') ? 0 : Number (text.replace (/ .*/, '').replaceAll (',', ''));
}

// What a button lets one save: { name, bytes }.
export async function saved (page, button) {
  const [download] = await Promise.all ([page.waitForEvent ('download'), page.click (button)]);

  return { name: download.suggestedFilename (), bytes: readFileSync (await download.path ()) };
}

export async function mend (page) {
  await page.click ('#start');
  await page.waitForSelector ('#split:not([hidden])', { timeout: 120000 });
}


// Gives the page files, each [name, bytes], as "drop" or "paste" do.
export async function give (page, kind, ...files) {
  await page.evaluate (({ kind, files }) => {
    const data = new DataTransfer ();

    for (const [name, bytes] of files)
      data.items.add (new File ([Uint8Array.from (atob (bytes), letter => letter.charCodeAt (0))], name,
                                { type: 'image/png' }));
    window.dispatchEvent (kind === 'drop' ? new DragEvent ('drop', { dataTransfer: data })
      : new ClipboardEvent ('paste', { clipboardData: data }));
  }, { kind, files: files.map (([name, bytes]) => [name, bytes.toString ('base64')]) });
}

// ---- all tests of a file ----

const visited = [];     // pages whose requests and complaints are looked at

// options.task: what is to be done, else "fill".
export async function visit (address, options) {
  const page = await openPage (address, options);

  visited.push (page);
  await page.$eval (`input[name=task][value=${options?.task ?? 'fill'}]`, radio => radio.click ());
  return page;
}

// Each test has a server of its own: an address is good for one page.
async function withServer (test) {
  const server = await startServer ();

  try {
    await test (server);
  } catch (error) {
    ok (test.name, false, error.stack);
  }
  ok (`${test.name}: the server ends well`, await server.stop () === 0);
  for (const page of visited.splice (0)) {
    const strange = page.requests.filter (url => !url.startsWith (server.base) && !url.startsWith ('blob:'));

    ok ('no request left for another host', strange.length === 0, strange);
    // We read the canvas to test it; the page itself never does.
    const complaints = page.complaints.filter (text => !text.includes ('willReadFrequently'));

    ok ('the browser had nothing to complain about', complaints.length === 0, complaints);
  }
}

// Runs the tests that the command line names, or all.
export async function run (tests) {
  const named = process.argv.slice (2);

  await start ();
  for (const test of tests.filter (({ name }) => named.length === 0 || named.includes (name)))
    await withServer (test);
  await finish ();
}
