// picture.mjs - a picture of a part of a report's page, for the README
// usage: node picture.mjs REPORT SECTION HEIGHT OUT.png
import { pathToFileURL } from 'node:url';
import { open, start } from './lib.mjs';

const [report, section, height, out] = process.argv.slice (2);
const browser = await start ();
const page = await open (pathToFileURL (`${report}/index.html`).href,
                         { width: 1120, height: Number (height) });
await page.waitForSelector ('html[data-ready]', { state: 'attached' });
await page.$eval (`#${section}`, e => window.scrollTo (
  0, e.getBoundingClientRect ().top - 16));
await page.screenshot ({ path: out });
await browser.close ();
