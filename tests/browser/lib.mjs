// lib.mjs - a little TAP for tests in a browser
//
//   await start ();
//   const page = await open (url, { width: 400 });
//   ok ("the title", (await page.title ()) === "...");
//   await finish ();
//
// TESSERA_MODULES is the folder that install.sh filled.
import { createRequire } from 'node:module';
import { execSync } from 'node:child_process';

const require = createRequire (process.env.TESSERA_MODULES + '/');
const { chromium } = require ('playwright-core');

// Milliseconds that a state may take to come about on a machine that has other
// things to do; PATIENCE says otherwise.
const PATIENCE = Number (process.env.PATIENCE ?? 120000);

let tests = 0;
let failures = 0;

// Prints one line of TAP; a failure may be explained.
export function ok (name, passed, why) {
  tests++;
  console.log (`${passed ? 'ok' : 'not ok'} ${tests} - ${name}`);
  if (passed)
    return;
  failures++;
  if (why !== undefined)
    console.log (`# ${JSON.stringify (why)}`);
}

// Another module of package.json.
export function load (name) {
  return require (name);
}

let browser = null;

export async function start () {
  // Chromium keeps root out of its sandbox.
  const isRoot = process.getuid () === 0;

  browser = await chromium.launch ({
    executablePath: execSync ('command -v chromium').toString ().trim (),
    args: isRoot ? ['--no-sandbox'] : []
  });
  return browser;
}

// A page in a window of its own.  page.complaints lists errors in its console
// and its scripts, page.requests everything that it asked for.
export async function open (url, options = {}) {
  const context = await browser.newContext ({
    viewport: { width: options.width ?? 1280, height: options.height ?? 900 },
    colorScheme: options.dark ? 'dark' : 'light',
    hasTouch: options.touch ?? false,
    ignoreHTTPSErrors: options.insecure ?? false,
    reducedMotion: 'reduce'
  });
  const page = await context.newPage ();

  page.setDefaultTimeout (PATIENCE);
  page.complaints = [];
  page.requests = [];
  page.on ('console', message => {
    if (message.type () === 'error' || message.type () === 'warning')
      page.complaints.push (message.text ());
  });
  page.on ('pageerror', error => page.complaints.push (String (error)));
  page.on ('request', request => page.requests.push (request.url ()));
  await page.goto (url);
  return page;
}

export async function finish () {
  if (browser !== null)
    await browser.close ();
  console.log (`1..${tests}`);
  process.exit (failures === 0 ? 0 : 1);
}
