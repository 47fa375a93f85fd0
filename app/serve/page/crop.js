// crop.js - an offer to crop what lies outside a print instead of filling it

import { desk, view } from './desk.js';
import { Mask } from './mask.js';
import { changeMask } from './painting.js';
import { refresh } from './state.js';
import { $, count } from './ui.js';

const LEAST_SHARE = 0.5;      // of a row that is marked, for it to lie outside
const LEAST_LEFT = 0.25;      // of each side that is left

function leastTrue(from, to, step, isOutside) {
  while (from !== to && isOutside(from))
    from += step;
  return from;
}

// What is left of a picture without the rows and columns at its edges that are
// marked for the most part: { x0, y0, x1, y1 }, or null where there are none.
function inside(mask) {
  const { width, height } = mask, rows = new Uint32Array(height), columns = new Int32Array(width + 1);
  const spans = mask.marks().flatMap(mark => mark.spans);

  for (const [y, from, to] of spans)
    rows[y] += to - from;
  const outsideRow = y => rows[y] >= LEAST_SHARE * width;
  const y0 = leastTrue(0, height, 1, outsideRow), y1 = leastTrue(height - 1, y0 - 1, -1, outsideRow) + 1;

  for (const [y, from, to] of spans)
    if (y >= y0 && y < y1) {
      columns[from]++;
      columns[to]--;
    }
  columns.forEach((change, x) => columns[x] = change + (x > 0 ? columns[x - 1] : 0));
  const outsideColumn = x => columns[x] >= LEAST_SHARE * (y1 - y0);
  const x0 = leastTrue(0, width, 1, outsideColumn), x1 = leastTrue(width - 1, x0 - 1, -1, outsideColumn) + 1;
  const isWhole = x0 === 0 && y0 === 0 && x1 === width && y1 === height;

  return isWhole || x1 - x0 < LEAST_LEFT * width || y1 - y0 < LEAST_LEFT * height ? null : { x0, y0, x1, y1 };
}

// The last answer, as long as nothing has changed.
let known = { of: null, changes: 0, area: null };

function insideOnce(of, changes, makeMask) {
  if (known.of !== of || known.changes !== changes)
    known = { of, changes, area: inside(makeMask()) };
  return known.area;
}

// What is outside was marked, or filled by the last step.
function offered({ info, mask, history, version }) {
  const last = history.lastVersions;

  if (!mask.empty)
    return insideOnce(mask, mask.changes, () => mask);
  if (!last?.filled || last.after !== version)
    return null;
  return insideOnce(last.filled, 0, () => {
    const filled = new Mask(info.width, info.height);

    filled.addRuns(last.filled);
    return filled;
  });
}

function size({ x0, y0, x1, y1 }) {
  return `${x1 - x0} × ${y1 - y0}`;
}

export function refreshCrop() {
  const picture = desk.busy ? null : desk.current, area = picture && (picture.crop ?? offered(picture));

  $('margins').hidden = !area;
  $('outside').hidden = !desk.current?.crop;
  if (desk.current?.crop)
    placeShade(desk.current.crop);
  if (!area)
    return;
  $('margins-text').textContent = picture.crop ? `Cropped to ${size(area)} pixels.`
    : `Around the print, ${count(picture.info.width * picture.info.height - (area.x1 - area.x0) * (area.y1 - area.y0),
                                 'pixel')} are blank. They can be cropped instead of filled.`;
  $('crop').textContent = picture.crop ? 'Keep the whole picture' : `Crop to ${size(area)}`;
}

function placeShade({ x0, y0, x1, y1 }) {
  const shade = $('outside').style, { x, y } = view.origin, { scale } = view;

  shade.left = `${x0 * scale + x}px`;
  shade.top = `${y0 * scale + y}px`;
  shade.width = `${(x1 - x0) * scale}px`;
  shade.height = `${(y1 - y0) * scale}px`;
}

// Crops, or takes that back.  What is outside then needs no marks.
export function toggleCrop() {
  const picture = desk.current, area = picture && (picture.crop ? null : offered(picture));

  if (!picture || desk.busy)
    return;
  picture.crop = area;
  if (area && !picture.mask.empty)
    changeMask(mask => mask.keep(area));
  refresh();
}

// What is asked of the server for the file.
export function cropQuery({ crop }) {
  return crop ? { x: crop.x0, y: crop.y0, w: crop.x1 - crop.x0, h: crop.y1 - crop.y0 } : {};
}
