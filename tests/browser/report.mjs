// report.mjs - the page of "tessera compare", in the folders report and bare
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { finish, load, ok, open, start } from './lib.mjs';

const url = folder => pathToFileURL (`${folder}/index.html`).href;
const results = JSON.parse (readFileSync ('report/results.json', 'utf8'));

// ---- results.json ----

const Ajv = load ('ajv/dist/2020').default;
const schema = JSON.parse (readFileSync (process.argv[2], 'utf8'));
const validate = new Ajv ({ strict: true, allowUnionTypes: true,
                            allErrors: true }).compile (schema);
for (const folder of ['report', 'bare']) {
  const valid =
    validate (JSON.parse (readFileSync (`${folder}/results.json`, 'utf8')));
  ok (`results.json in ${folder} is as the schema says`, valid,
      validate.errors);
}
const wrong = structuredClone (results);
wrong.scores[0].psnr = 'high';
ok ('... and one that is wrong is not', !validate (wrong));

// ---- the page ----

await start ();
const page = await open (url ('report'));
await page.waitForSelector ('html[data-ready]', { state: 'attached' });

const texts = selector => page.$$eval (
  selector, all => all.map (e => e.textContent.trim ()));
const style = (selector, name) => page.$eval (
  selector, (e, n) => e.style.getPropertyValue (n), name);
const matrix = selector => page.$eval (
  selector, e => getComputedStyle (e).transform);

ok ('a table for each damage',
    (await page.$$ ('#summaries table')).length === 2);
const means = await texts ('#summaries table:first-of-type tbody tr td:nth-child(2)');
const wanted = results.summary.filter (r => r.damage === 'missing:0.4')
  .map (r => r.psnr_mean.toFixed (2));
ok ('... with the means of results.json',
    wanted.every ((mean, i) => means[i] === mean), { means, wanted });
const best = Math.max (...results.summary
  .filter (r => r.damage === 'missing:0.4' && r.protocol === 'separate')
  .map (r => r.psnr_mean));
ok ('... the best in bold', await page.$$eval (
  '#summaries table:first-of-type td.best', (cells, value) => cells.some (
    c => c.textContent === value && getComputedStyle (c).fontWeight >= 600),
  best.toFixed (2)));

// Differences that the page computes are those that the program computed.
async function differences () {
  return await page.$$eval ('#summaries table', tables => tables.map (
    table => [...table.querySelectorAll ('tbody tr')].map (
      row => row.children[3]?.textContent ?? '')));
}
const plain = text => text.replaceAll ('\u2212', '-');
const row = results.summary.find (r => r.damage === 'missing:0.4'
                                       && r.method === 'ksvd');
const signed = x => (x < 0 ? '-' : '+') + Math.abs (x).toFixed (2);
const cell = signed (row.psnr_difference) + signed (row.psnr_low) + ' to '
             + signed (row.psnr_high);
ok ('a difference with its interval',
    (await differences ())[0].some (text => plain (text) === cell),
    [cell, (await differences ())[0]]);
await page.selectOption ('#reference', 'ksvd');
const turned = (await differences ())[0].map (plain);
ok ('another reference turns it round',
    turned.some (text => text.startsWith (signed (-row.psnr_difference))),
    turned);

// ---- curves ----

const visible = () => page.$$eval ('#curves figure', all => all
  .filter (f => !f.hidden).map (f => `${f.dataset.axis}/${f.dataset.protocol}`));
ok ('one curve is shown', String (await visible ()) === 'time/separate');
await page.check ('input[name=axis][value=iterations]');
ok ('... another against iterations',
    String (await visible ()) === 'iterations/separate');
await page.check ('input[name=laid][value=overlapping]');
ok ('... another for overlapping patches',
    String (await visible ()) === 'iterations/overlapping');

// ---- pictures ----

const tests = results.data.tests;
ok ('a button for each picture',
    String (await page.$$eval ('#thumbs button', all => all.map (b => b.title)))
    === String (tests), tests);
// Original, damaged, three dictionaries in two ways, the engine.
ok ('a tile for each result', (await page.$$ ('#tiles figure')).length === 9);
ok ('... with what differs', (await page.$$ ('.difference')).length === 7);
ok ('all pictures are there', await page.$$eval ('img', all => all.every (
  i => i.complete && i.naturalWidth > 0)));
const before = await page.getAttribute ('#under', 'src');
await page.click ('#thumbs button:nth-child(2)');
ok ('a click shows another picture',
    before !== await page.getAttribute ('#under', 'src')
    && await page.getAttribute ('#thumbs button:nth-child(2)', 'aria-pressed')
       === 'true');
const damaged = await page.getAttribute ('#under', 'src');
await page.selectOption ('#damage', 'noise:20');
ok ('... another damage', (await page.$$ ('#tiles figure')).length === 9
    && damaged !== await page.getAttribute ('#under', 'src'));
await page.selectOption ('#right', { label: 'dct, separate' });
ok ('... another result on the right',
    await page.textContent ('#tag-right') === 'dct, separate');

// The first pixel of what differs, as the browser draws it, is |a - b| three
// times.  At the largest zoom it fills the corner of its frame.
await page.focus ('#viewer');
for (let i = 0; i < 10; i++)
  await page.keyboard.press ('+');
for (let i = 0; i < 200; i++)
  await page.keyboard.press (i % 2 ? 'ArrowLeft' : 'ArrowUp');
const picture = await page.locator ('.difference').first ().screenshot ();
const [drawn, expected] = await page.evaluate (async shot => {
  const pixel = async (src, x, y) => {
    const image = new Image ();
    image.src = src;
    await image.decode ();
    const canvas = document.createElement ('canvas');
    const context = canvas.getContext ('2d');
    context.drawImage (image, -x, -y);
    return [...context.getImageData (0, 0, 1, 1).data].slice (0, 3);
  };
  const [result, original] =
    document.querySelectorAll ('.difference')[0].querySelectorAll ('img');
  const a = await pixel (result.src, 0, 0), b = await pixel (original.src, 0, 0);
  return [await pixel (shot, 12, 12),
          a.map ((v, i) => Math.min (255, 3 * Math.abs (v - b[i])))];
}, `data:image/png;base64,${picture.toString ('base64')}`);
ok ('what differs is drawn as it is', expected.some (v => v > 0)
    && drawn.every ((v, i) => Math.abs (v - expected[i]) <= 4),
    { drawn, expected });
await page.keyboard.press ('0');

await page.focus ('#divide');
await page.keyboard.press ('Home');
ok ('the slider moves by keys to the left',
    await style ('#stage', '--divide') === '0%');
await page.keyboard.press ('End');
ok ('... and to the right', await style ('#stage', '--divide') === '100%');
ok ('... and cuts there', (await page.$eval (
  '#cut', e => getComputedStyle (e).clipPath)).includes ('100%'));

await page.focus ('#viewer');
await page.keyboard.press ('+');
const zoomed = await matrix ('#tiles figure:nth-child(3) img');
ok ('plus zooms', zoomed.startsWith ('matrix(1.5'), zoomed);
ok ('... all alike', await page.$$eval ('#viewer .layer img', all => new Set (
  all.map (i => getComputedStyle (i).transform.split (',')[0])).size === 1));
const place = await style ('#viewer', '--x');
await page.keyboard.press ('ArrowRight');
ok ('an arrow moves', await style ('#viewer', '--x') < place
                      || Number (await style ('#viewer', '--x')) < Number (place));
await page.keyboard.press ('0');
ok ('0 shows all', (await matrix ('#under')).startsWith ('matrix(1,'));
await page.locator ('#stage').scrollIntoViewIfNeeded ();
const box = await page.locator ('#stage').boundingBox ();
await page.mouse.move (box.x + box.width / 4, box.y + box.height / 4);
await page.keyboard.down ('Control');
await page.mouse.wheel (0, -200);
await page.keyboard.up ('Control');
await page.waitForFunction (() => Number (
  document.querySelector ('#viewer').style.getPropertyValue ('--zoom')) > 1);
ok ('the wheel zooms', true);
const from = Number (await style ('#viewer', '--x'));
await page.mouse.move (box.x + 200, box.y + 100);
await page.mouse.down ();
await page.mouse.move (box.x + 150, box.y + 100, { steps: 4 });
await page.mouse.up ();
ok ('dragging moves', Number (await style ('#viewer', '--x')) < from,
    [from, await style ('#viewer', '--x')]);
await page.click ('#zoom-all');
ok ('the button shows all', (await matrix ('#under')).startsWith ('matrix(1,'));

// ---- scores ----

const names = () => texts ('#scores-table tbody th');
ok ('a row for each picture', (await names ()).length === 4);
ok ('names are shown as they are',
    String ([...await names ()].sort ()) === String ([...tests].sort ()),
    await names ());
const button = '#scores-table thead tr:last-child th:nth-child(2)';
await page.click (`${button} button`);
const columnOf = () => page.$$eval (
  '#scores-table tbody td:nth-child(2)',
  all => all.map (c => Number (c.textContent)));
const falling = await columnOf ();
ok ('a click sorts, largest first',
    falling.every ((v, i) => i === 0 || v <= falling[i - 1])
    && await page.getAttribute (button, 'aria-sort') === 'descending', falling);
await page.keyboard.press ('Enter');
const rising = await columnOf ();
ok ('Enter turns it round', rising.every ((v, i) => i === 0 || v >= rising[i - 1])
    && await page.getAttribute (button, 'aria-sort') === 'ascending', rising);
await page.selectOption ('#scores-key', 'ssim');
ok ('... SSIM', (await columnOf ()).every (v => v <= 1));

ok ('a mosaic for each dictionary',
    (await page.$$ ('#mosaics img')).length === 3);
ok ('the command', (await page.textContent ('#command'))
                     .startsWith ('tessera compare photos --patch 4'));
ok ('no name became markup', (await page.$$ ('img[onerror], b b')).length === 0);
ok ('nothing in the console', page.complaints.length === 0, page.complaints);
const asked = page.requests.filter (r => !r.startsWith ('data:'));
ok ('no request but for the page itself', asked.length === 1, asked);

// ---- other windows ----

for (const [name, options] of [['a phone', { width: 360, height: 740,
                                             touch: true }],
                               ['the dark', { dark: true }]]) {
  const other = await open (url ('report'), options);
  await other.waitForSelector ('html[data-ready]', { state: 'attached' });
  ok (`in ${name} the page is as wide as the window`, await other.evaluate (
    () => document.documentElement.scrollWidth <= innerWidth));
  // The contrast of text, by the formula of WCAG.
  ok ('... and its text can be read', await other.evaluate (() => {
    const light = colour => {
      const [r, g, b] = colour.match (/[\d.]+/g).map (
        v => v / 255 <= 0.03928 ? v / 255 / 12.92
                                : ((v / 255 + 0.055) / 1.055) ** 2.4);
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const body = getComputedStyle (document.body);
    const under = light (body.backgroundColor);
    return ['body', '.about', 'nav a', 'tbody th'].every (selector => {
      const over =
        light (getComputedStyle (document.querySelector (selector)).color);
      return (Math.max (over, under) + 0.05)
             / (Math.min (over, under) + 0.05) >= 4.5;
    });
  }));
  ok ('... without complaints', other.complaints.length === 0,
      other.complaints);
}

const bare = await open (url ('bare'));
await bare.waitForSelector ('html[data-ready]', { state: 'attached' });
ok ('a report of the engine alone', bare.complaints.length === 0,
    bare.complaints);
ok ('... hides what it has not', await bare.$eval (
  '#learning', e => e.hidden) && await bare.$eval ('#pictures', e => e.hidden));

await finish ();
