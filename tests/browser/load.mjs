// load.mjs - crowds, dawdlers and nonsense against the server of the page
//
// usage: TESSERA=program node load.mjs [full]
// Prints TAP, and as comments what the server's memory was.  Without "full" a
// tenth of everything, and no waiting for deadlines.

import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import http from 'node:http';
import net from 'node:net';

const full = process.argv[2] === 'full';
const times = full ? 1 : 0.1;
const photo = readFileSync (`${process.env.ROOT}/data/photos/beach2.jpg`);
let tests = 0, failures = 0;

function ok (name, passed, why) {
  tests++;
  failures += passed ? 0 : 1;
  console.log (`${passed ? 'ok' : 'not ok'} ${tests} - ${name}`);
  if (!passed && why !== undefined)
    console.log (`# ${JSON.stringify (why)}`);
}

const pause = ms => new Promise (resolve => setTimeout (resolve, ms));

// ---- the server ----

const child = spawn (process.env.TESSERA, ['serve', '--no-open', '--quiet', '--idle', '600', '--max-pictures', '16'],
                     { stdio: ['ignore', 'pipe', 'inherit'] });
const ended = new Promise (resolve => child.once ('exit', (code, signal) => resolve (signal ?? code)));
const address = String (await new Promise (resolve => child.stdout.once ('data', resolve))).trim ();
const port = Number (new URL (address).port);
let key = '';

function memory () {
  const [, kilobytes] = /VmRSS:\s+(\d+)/.exec (readFileSync (`/proc/${child.pid}/status`, 'latin1'));

  return kilobytes / 1024;
}

function note (what) {
  console.log (`# ${what}: ${memory ().toFixed (1)} MB resident`);
}

// Resolves to { status, body }; status is 0 where the connection broke.
function ask (method, path, body, headers = {}) {
  return new Promise (resolve => {
    const request = http.request ({ port, host: '127.0.0.1', method, path, agent: false,
                                    headers: { 'X-Tessera-Key': key, ...headers } }, response => {
      const parts = [];

      response.on ('data', part => parts.push (part));
      response.on ('end', () => resolve ({ status: response.statusCode, body: Buffer.concat (parts).toString () }));
      response.on ('error', () => resolve ({ status: 0 }));
    });

    request.on ('error', () => resolve ({ status: 0 }));
    request.end (body);
  });
}

async function answers () {
  return (await ask ('GET', '/api/about')).status === 200;
}

async function closeAll (replies) {
  for (const { status, body } of replies)
    if (status === 200)
      await ask ('DELETE', `/api/photos/${JSON.parse (body).id}`);
}

// A raw connection; nobody listens to what comes back.
function connect () {
  return new Promise (resolve => {
    const socket = net.connect (port, '127.0.0.1', () => resolve (socket));

    socket.on ('error', () => {});
    socket.on ('data', () => {});
  });
}

// ---- crowds ----

async function testCrowd () {
  const count = 200 * times;
  const replies = await Promise.all (Array.from ({ length: count }, (_, i) =>
    ask ('POST', `/api/photos?name=${i}.jpg`, photo)));
  const opened = replies.filter (({ status }) => status === 200).length;

  note (`${count} uploads at a time, ${opened} of them opened`);
  ok ('as many pictures are opened as there is room for', opened === 16, opened);
  ok ('the others are told so', replies.every (({ status, body }) =>
    status === 200 || status === 503 && body.includes ('too many pictures')));
  ok ('the server answers', await answers ());
  await closeAll (replies);
}

// ---- dawdlers ----

async function testSlow () {
  const count = 200 * times, sockets = [];
  let cut = 0;

  for (let i = 0; i < count; i++) {
    const socket = await connect ();

    socket.on ('close', () => cut++);
    socket.write (i % 2 ? 'GET / HTTP/1.1\r\nHost: 127.0.0.1'
      : `POST /api/photos HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nX-Tessera-Key: ${key}\r\nContent-Length: 9999999\r\n\r\n`);
    sockets.push (socket);
  }
  note (`${count} connections that never finish`);
  const seconds = full ? 75 : 3;

  for (let i = 0; i < seconds; i++) {
    for (const [index, socket] of sockets.entries ())
      if (!socket.destroyed)
        socket.write (index % 2 ? 'X' : 'body');
    if (i === 2)
      ok ('the server answers beside slow clients', await answers ());
    await pause (1000);
  }
  if (full)
    ok ('those that dawdle over their header are cut off', cut >= count / 2, cut);
  sockets.forEach (socket => socket.destroy ());
  await pause (300);
  ok ('and after them', await answers ());
}

// ---- large bodies ----

// Sends what the server takes of a body; resolves to the status and how much.
function pour (headers, bytes) {
  return new Promise (resolve => {
    const piece = Buffer.alloc (1 << 20, 'a'), chunked = 'Transfer-Encoding' in headers;
    let sent = 0, status = 0;
    const socket = net.connect (port, '127.0.0.1', () => {
      socket.write (`POST /api/photos HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nX-Tessera-Key: ${key}\r\n` +
        Object.entries (headers).map (([name, value]) => `${name}: ${value}\r\n`).join ('') + '\r\n', go);
    });
    const go = error => {
      if (error || sent >= bytes)
        return;
      sent += piece.length;
      if (chunked)
        socket.write ('100000\r\n');
      socket.write (piece, error => chunked && !error ? socket.write ('\r\n', go) : go (error));
    };

    socket.on ('data', data => status ||= Number (data.toString ('latin1', 9, 12)));
    socket.on ('error', () => {});
    socket.on ('close', () => resolve ({ status, sent: sent / 2 ** 20 }));
  });
}

async function testLarge () {
  const gigabyte = 2 ** 30, count = Math.ceil (8 * times);
  const announced = await Promise.all (Array.from ({ length: count }, () =>
    pour ({ 'Content-Length': gigabyte }, gigabyte)));

  ok ('a body of 1 GB is cut off at its start', announced.every (({ sent }) => sent < 64), announced);
  const polite = await pour ({ 'Content-Length': gigabyte, 'Expect': '100-continue', 'Connection': 'close' }, 0);
  ok ('and refused where a client asks before it sends', polite.status === 413, polite);
  note (`${count} bodies of 1 GB that were announced`);
  if (full) {
    const endless = await Promise.all (Array.from ({ length: 4 }, () =>
      pour ({ 'Transfer-Encoding': 'chunked' }, gigabyte)));

    note ('4 bodies of 1 GB that were not');
    ok ('a body without a length is cut off', endless.every (({ sent }) => sent < 700), endless);
    const refused = await pour ({ 'Transfer-Encoding': 'chunked', 'Origin': 'null' }, gigabyte);

    ok ('one that is refused even sooner', refused.sent < 64, refused);
  }
  const huge = Buffer.concat ([photo.subarray (0, 2000), Buffer.alloc (Math.ceil (100e6 * times))]);
  ok ('a large body that is no picture is refused',
      (await ask ('POST', '/api/photos', huge)).status === 422);
  ok ('the server answers', await answers ());
}

// ---- nonsense ----

// The same numbers each time.
let state = 12345;
function random (n) {
  state = (Math.imul (state, 1103515245) + 12345) >>> 0;
  return (state >>> 8) % n;
}
const pick = list => list[random (list.length)];

const WORDS = ['api', 'photos', 'jobs', 'view', 'picture', 'mask', 'runs', 'dictionaries', 'training', 'learning',
               'comparison', 'report', 'found', 'mosaic', 'file', '..', '.', '', '%2e%2e', '%00', '*', '0', '1', '-1',
               '99999999999999999999', 'index.html', 'é', "'", '"', '%', 'a'.repeat (300)];
const METHODS = ['GET', 'GET', 'GET', 'POST', 'DELETE', 'PUT', 'HEAD', 'OPTIONS', 'PATCH', 'BREW', ''];

function randomPath (id) {
  const path = '/' + Array.from ({ length: random (6) }, () => random (4) ? pick (WORDS) : id).join ('/');
  const query = Array.from ({ length: random (4) }, () =>
    `${pick (['version', 'x', 'y', 'w', 'h', 'side', 'task', 'quality', 'name', 'sigma', 'seconds'])}=${pick (WORDS)}`);

  return path + (query.length > 0 ? '?' + query.join ('&') : '');
}

function randomBytes () {
  return Buffer.from (Array.from ({ length: random (400) }, () => random (256)));
}

function randomRequest (id) {
  const kind = random (10);

  if (kind === 0)
    return randomBytes ();
  const body = random (2) ? randomBytes () : Buffer.alloc (0);
  const length = random (8) ? body.length : pick ([-1, 'x', 99, 2 ** 53, '0x10', '']);
  const head = `${pick (METHODS)} ${randomPath (id)} HTTP/${pick (['1.1', '1.1', '1.0', '2.0', '9'])}\r\n` +
    (random (8) ? `Host: 127.0.0.1:${port}\r\n` : `Host: ${pick (WORDS)}\r\n`) +
    (random (8) ? `X-Tessera-Key: ${key}\r\n` : `X-Tessera-Key: ${pick (WORDS)}\r\n`) +
    (random (4) ? '' : `${pick (WORDS)}: ${pick (WORDS)}\r\n`) +
    (random (20) ? '' : 'Transfer-Encoding: chunked\r\n') +
    (random (20) ? '' : `X: ${'y'.repeat (random (80000))}\r\n`) +
    `Content-Length: ${length}\r\nConnection: close\r\n\r\n`;

  return Buffer.concat ([Buffer.from (head), body]);
}

function throwAt (bytes) {
  return new Promise (resolve => {
    const socket = net.connect (port, '127.0.0.1', () => socket.end (bytes));
    const timer = setTimeout (() => socket.destroy (), 5000);

    socket.on ('data', () => {});
    socket.on ('error', () => {});
    socket.on ('close', () => {
      clearTimeout (timer);
      resolve ();
    });
  });
}

async function testNonsense () {
  const count = 10000 * times, lanes = 16;
  const reply = await ask ('POST', '/api/photos', photo);
  const { id } = JSON.parse (reply.body);
  let left = count;

  await Promise.all (Array.from ({ length: lanes }, async () => {
    while (left-- > 0)
      await throwAt (randomRequest (id));
  }));
  note (`${count} random requests`);
  ok ('the server answers after nonsense', await answers ());
  await closeAll ([reply]);
}

// ---- all of it ----

key = JSON.parse ((await ask ('POST', '/api/session', new URL (address).hash.slice (1))).body).key;
await closeAll ([await ask ('POST', '/api/photos', photo)]);
await pause (6000);
const before = memory ();
note ('before');
for (const test of [testCrowd, testSlow, testLarge, testNonsense])
  await test ();
await pause (7000);
const after = memory ();
note ('after');
// A sanitizer keeps what is freed for a while.
if (process.env.SANITIZED)
  ok ('memory is back # SKIP a sanitizer keeps it', true);
else
  ok ('memory is back to where it was', after < before + 32, { before, after });
child.kill ('SIGTERM');
ok ('the server ends well', await ended === 0);
console.log (`1..${tests}`);
process.exit (failures === 0 ? 0 : 1);
