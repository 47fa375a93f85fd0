// Makes the picture of the page for the README: scratches on a bundled
// photograph, painted over and mended, with the slider between before and
// after.
// usage: make deps-browser all
//        TESSERA=build/tessera TESSERA_MODULES=$PWD/build/browser \
//          node docs/screenshot.mjs

import { readFileSync } from 'node:fs';
import { finish, open, start } from '../tests/browser/lib.mjs';
import { mend, openPage, openPicture, startServer, toWindow } from '../tests/browser/page.mjs';

// Scratches, as points in shares of the picture.
const scratches = [
  [[0.05, 0.62], [0.22, 0.5], [0.4, 0.55], [0.62, 0.33], [0.8, 0.36]],
  [[0.3, 0.12], [0.36, 0.3], [0.33, 0.52], [0.4, 0.8]],
  [[0.12, 0.9], [0.25, 0.78], [0.44, 0.86]],
  [[0.57, 0.1], [0.66, 0.22], [0.71, 0.5], [0.69, 0.72]],
  [[0.84, 0.2], [0.9, 0.5], [0.88, 0.78]]
];

// The photograph with white scratches, as a PNG, and its size.
async function scratch (photo) {
  const page = await open ('about:blank');
  const result = await page.evaluate (async ({ photo, scratches }) => {
    const bitmap = await createImageBitmap (await (await fetch (`data:image/jpeg;base64,${photo}`)).blob ());
    const canvas = Object.assign (document.createElement ('canvas'), { width: bitmap.width, height: bitmap.height });
    const context = canvas.getContext ('2d');

    context.drawImage (bitmap, 0, 0);
    context.strokeStyle = '#f4efe6';
    context.lineWidth = 3;
    for (const points of scratches) {
      context.beginPath ();
      points.forEach (([x, y]) => context.lineTo (x * bitmap.width, y * bitmap.height));
      context.stroke ();
    }
    return { size: [bitmap.width, bitmap.height], png: canvas.toDataURL ().replace (/.*,/, '') };
  }, { photo: photo.toString ('base64'), scratches });

  await page.close ();
  return { size: result.size, png: Buffer.from (result.png, 'base64') };
}

async function paintOver (page, size, points) {
  const [first, ...rest] = await Promise.all (points.map (point => toWindow (page, ...size, ...point)));

  await page.mouse.move (first.x, first.y);
  await page.mouse.down ();
  for (const { x, y } of rest)
    await page.mouse.move (x, y, { steps: 10 });
  await page.mouse.up ();
}

await start ();
const { size, png } = await scratch (readFileSync ('data/photos/beach2.jpg'));
const server = await startServer ();
const page = await openPage (server.address, { width: 1280, height: 720 });
await openPicture (page, 'holiday.png', png);
for (let i = 0; i < 3; i++)
  await page.keyboard.press ('[');
for (const points of scratches)
  await paintOver (page, size, points);
await mend (page);
await page.waitForSelector ('#message', { state: 'hidden' });
await page.mouse.move (0, 0);
await page.evaluate (() => document.activeElement.blur ());
await page.screenshot ({ path: 'docs/images/page.jpg', type: 'jpeg', quality: 88 });
await server.stop ();
await finish ();
