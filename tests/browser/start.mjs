// start.mjs - how pictures get onto the page of "tessera serve", and the page
// onto other machines
//
// usage: TESSERA=program ROOT=folder node start.mjs [TEST...]

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ok, open } from './lib.mjs';
import { give, idle, mend, openPage, openPicture, paint, run, saved, scene, startServer, startServerWith, visit }
  from './page.mjs';
import { makePng } from './png.mjs';

const size = [160, 120];
const picture = (shift = 0) => makePng (...size, 8, (x, y, c) => 255 * scene (x + shift, y, c));
const names = page => page.$$eval ('#thumbs .thumb', thumbs => thumbs.map (({ title }) => title));
const message = page => page.textContent ('#message-text');

// ---- files that cannot be opened ----

async function testRefused (server) {
  const page = await visit (server.address);
  const broken = Buffer.from ('no picture');

  await give (page, 'drop', ['one.png', picture ()], ['bad.png', broken], ['two.png', picture (9)],
              ['worse.heic', broken]);
  await page.waitForSelector ('#message[data-kind=error]:not([hidden])');
  await idle (page);
  const lines = (await message (page)).split ('\n');

  ok ('each file that could not be opened is named', lines[0] === '2 of 4 files could not be opened:'
    && lines[1].startsWith ('bad.png: ') && lines[2].startsWith ('worse.heic: ') && lines.length === 3, lines);
  ok ('the others are open', (await names (page)).join () === 'one.png,two.png', await names (page));
  const box = await page.locator ('#message').boundingBox ();

  ok ('on a line each', box.height > 60, box);
  await page.click ('#dismiss');
  await give (page, 'drop', ['bad.png', broken]);
  await page.waitForSelector ('#message[data-kind=error]:not([hidden])');
  ok ('one alone is just said', /^bad\.png: [^\n]*$/.test (await message (page)), await message (page));
  await idle (page);
  // That the server refused them is in the console, too.
  page.complaints.splice (0);
  await page.close ();
}

// ---- pictures that the program was given ----

async function withFolder (test) {
  const folder = mkdtempSync (join (tmpdir (), 'tessera-test-'));

  try {
    await test (folder);
  } finally {
    rmSync (folder, { recursive: true });
  }
}

async function testGiven () {
  await withFolder (async folder => {
    mkdirSync (join (folder, 'scans'));
    writeFileSync (join (folder, 'first.png'), picture ());
    writeFileSync (join (folder, 'scans', 'second.png'), picture (9));
    writeFileSync (join (folder, 'scans', 'third.png'), 'no picture');
    const server = await startServer (join (folder, 'first.png'), join (folder, 'scans'));
    const page = await openPage (server.address);

    await page.waitForSelector ('#message[data-kind=error]:not([hidden])');
    await idle (page);
    ok ('pictures that were named are open', (await names (page)).join () === 'first.png,second.png', await names (page));
    ok ('the first of them is shown', await page.textContent ('#file-name') === 'first.png');
    ok ('and one that is none is named', (await message (page)).includes ('third.png'), await message (page));
    await page.reload ();
    await page.waitForSelector ('#message[data-kind=error]:not([hidden])');
    await idle (page);
    ok ('loaded again, the page has them again', (await names (page)).join () === 'first.png,second.png');
    await page.close ();
    ok ('and the server ends well', await server.stop () === 0);
  });
}

// ---- another machine ----

async function testNetwork () {
  await withFolder (async folder => {
    const server = await startServerWith ({ ...process.env, XDG_DATA_HOME: folder }, '--host', '127.0.0.1');
    const page = await openPage (server.address, { width: 390, height: 844, touch: true, insecure: true });

    ok ('the page is served with TLS', page.url ().startsWith ('https://127.0.0.1:'), page.url ());
    ok ('it says where pictures go', await page.textContent ('#where')
      === 'They go to the computer that runs Tessera, and nowhere else.');
    await page.$eval ('input[name=task][value=fill]', radio => radio.click ());
    await openPicture (page, 'one.png', picture ());
    await idle (page);
    await paint (page, size, [0.2, 0.3], [0.5, 0.4]);
    await mend (page);
    await idle (page);
    ok ('a picture is restored and saved', (await saved (page, '#download')).bytes.length > 0);
    ok ('the browser had nothing to complain about', page.complaints
      .filter (text => !text.includes ('willReadFrequently')).length === 0, page.complaints);
    const other = await open (server.address, { insecure: true });

    await other.waitForSelector ('body.refused');
    ok ('nobody else gets in', (await other.textContent ('#refusal-title')) === 'This address is in use in another browser');
    await other.close ();
    await page.close ();
    ok ('and the server ends well', await server.stop () === 0);
  });
}

await run ([testRefused, testGiven, testNetwork]);
