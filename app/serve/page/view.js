// view.js - shows the picture, the mask over it, and before beside after
//
// Two canvases lie on each other: the picture below, the mask above.  The
// picture is drawn from a preview of all of it and, where that is too coarse,
// from the visible part at the size of the screen, fetched when the view has
// come to rest.  The pixels themselves never come here.

import { getBlob } from './api.js';
import { Mask } from './mask.js';

const PREVIEW_SIDE = 2048;
const LARGEST_DETAIL = 4096;
const REST = 120;             // milliseconds without a move
const MARGIN = 24;            // around a picture that fits, in CSS pixels
const LARGEST_SCALE = 32;
// ABGR, as a little-endian machine stores it.
const MASK_COLOUR = 0x9a782dff, TRACE_COLOUR = 0x80d0a010;

export class View {
  #stage;
  #below;
  #above;
  #scale = 1;       // CSS pixels a pixel of the picture
  #left = 0;        // of the picture, in CSS pixels
  #top = 0;
  #shots = new Map();   // version -> { preview, detail }
  #loading = new AbortController();  // previews of this picture
  #timer = 0;
  #frame = 0;
  #dirty = { picture: false, mask: false };
  #fits = true;     // the view follows the size of the window

  photo = null;     // what the server said of it
  mask = null;
  version = 0;
  compared = false; // left of the split is version 0
  split = 0.5;      // share of the stage
  original = false; // show only version 0
  removed = false;  // show what the version has less than version 0
  onchange = () => {};
  onrest = () => {};  // the view has come to rest

  #traces = null;   // { runs, mask }: pixels that are shown but not in the mask, or null
  #part = null;     // { bitmap, area } that lies over the picture, or null

  constructor(stage, below, above) {
    this.#stage = stage;
    this.#below = below;
    this.#above = above;
    new ResizeObserver(() => this.#resize()).observe(stage);
  }

  get scale() {
    return this.#scale;
  }

  get origin() {
    return { x: this.#left, y: this.#top };
  }

  // ---- what is shown ----

  async show(photo, mask, version) {
    this.forget();
    this.photo = photo;
    this.mask = mask;
    this.version = version;
    this.compared = this.original = false;
    this.fit();
    await Promise.all([...new Set([this.#current(), 0])].map(each => this.#load(each)));
  }

  // Before a picture is closed: nothing is asked of it from now on.
  forget() {
    this.#loading.abort();
    this.#loading = new AbortController();
    clearTimeout(this.#timer);
    for (const shot of this.#shots.values())
      close(shot);
    this.#shots.clear();
    this.forgetPart();
    this.#traces = null;
    this.photo = this.mask = null;
    this.redraw();
  }

  async showVersion(version) {
    this.version = version;
    await this.#loadCurrent();
  }

  // Shows what was removed, or the result of it.
  async showRemoved(on) {
    this.removed = on;
    await this.#loadCurrent();
  }

  async #loadCurrent() {
    const current = this.#current();

    for (const [name, shot] of this.#shots)
      if (name !== 0 && name !== current) {
        close(shot);
        this.#shots.delete(name);
      }
    await this.#load(current);
    this.#rest();
  }

  // The name of what is shown: a version, or what one has less than the first.
  #current() {
    return this.removed && this.version !== 0 ? `removed ${this.version}` : this.version;
  }

  async #load(name) {
    const photo = this.photo;

    if (this.#shots.has(name))
      return this.redraw();
    const preview = await this.#fetch(photo, name, { side: PREVIEW_SIDE }, this.#loading.signal);
    if (photo !== this.photo)
      return preview.close();
    this.#shots.set(name, { preview, detail: null, area: null, loading: null });
    this.redraw();
  }

  async #fetch(photo, name, query, signal) {
    const [kind, version] = typeof name === 'number' ? ['view', name] : name.split(' ');

    return createImageBitmap(await getBlob(`/api/photos/${photo.id}/${kind}`, { query: { version, ...query }, signal }));
  }

  // Lays a part that the server restores over the picture.
  async showPart(query, signal) {
    const photo = this.photo, { x, y, w, h } = query;
    const bitmap = await createImageBitmap(await getBlob(`/api/photos/${photo.id}/denoised`, { query, signal }));

    if (photo !== this.photo || signal.aborted)
      return bitmap.close();
    this.forgetPart();
    this.#part = { bitmap, area: { x, y, w, h } };
    this.redraw();
  }

  forgetPart() {
    this.#part?.bitmap.close();
    this.#part = null;
    this.redraw();
  }

  // Shows the pixels of runs in a colour of their own; none for null.
  showTraces(runs) {
    if (runs === (this.#traces?.runs ?? null))
      return;
    this.#traces = null;
    if (runs) {
      this.#traces = { runs, mask: new Mask(this.photo.width, this.photo.height) };
      this.#traces.mask.addRuns(runs);
    }
    this.redraw();
  }

  get hasPart() {
    return this.#part !== null;
  }

  // ---- where it is shown ----

  // From the window to the picture.
  toPicture(clientX, clientY) {
    const box = this.#stage.getBoundingClientRect();

    return {
      x: (clientX - box.left - this.#left) / this.#scale,
      y: (clientY - box.top - this.#top) / this.#scale
    };
  }

  fit() {
    const { clientWidth: width, clientHeight: height } = this.#stage;

    if (!this.photo || !width)
      return;
    const scale = Math.min((width - 2 * MARGIN) / this.photo.width,
                           (height - 2 * MARGIN) / this.photo.height);

    this.#scale = Math.max(Math.min(scale, LARGEST_SCALE), 1e-3);
    this.#left = (width - this.photo.width * this.#scale) / 2;
    this.#top = (height - this.photo.height * this.#scale) / 2;
    this.#fits = true;
    this.#moved();
  }

  // Changes the scale by a factor and keeps the point of the window in place.
  zoom(factor, clientX, clientY) {
    const box = this.#stage.getBoundingClientRect();
    const x = (clientX ?? box.left + box.width / 2) - box.left;
    const y = (clientY ?? box.top + box.height / 2) - box.top;
    const smallest = Math.min(1, 64 / Math.max(this.photo.width, this.photo.height));
    const scale = Math.min(Math.max(this.#scale * factor, smallest), LARGEST_SCALE);

    this.#left = x - (x - this.#left) * scale / this.#scale;
    this.#top = y - (y - this.#top) * scale / this.#scale;
    this.#scale = scale;
    this.#fits = false;
    this.#moved();
  }

  // Brings an area into the middle, large enough to be judged.
  look({ x0, y0, x1, y1 }) {
    const { clientWidth: width, clientHeight: height } = this.#stage;
    const room = Math.min(width / (x1 - x0), height / (y1 - y0)) / 3;

    this.zoom(Math.max(Math.min(room, 3), 0.05) / this.#scale);
    this.pan(width / 2 - this.#left - (x0 + x1) / 2 * this.#scale,
             height / 2 - this.#top - (y0 + y1) / 2 * this.#scale);
  }

  pan(dx, dy) {
    this.#left += dx;
    this.#top += dy;
    this.#fits = false;
    this.#moved();
  }

  // Never lets the picture get out of sight.
  #moved() {
    const { clientWidth: width, clientHeight: height } = this.#stage;
    const w = this.photo.width * this.#scale, h = this.photo.height * this.#scale;
    const keep = 48;

    this.#left = Math.min(Math.max(this.#left, keep - w), width - keep);
    this.#top = Math.min(Math.max(this.#top, keep - h), height - keep);
    this.redraw();
    this.#rest();
    this.onchange();
  }

  #resize() {
    const { clientWidth: width, clientHeight: height } = this.#stage;
    const density = window.devicePixelRatio || 1;

    this.#below.width = Math.round(width * density);
    this.#below.height = Math.round(height * density);
    this.#above.width = width;
    this.#above.height = height;
    if (this.photo && this.#fits)
      this.fit();
    else if (this.photo)
      this.#moved();
    this.redraw();
  }

  // ---- detail ----

  // The part of the picture that can be seen, in whole pixels.
  visible() {
    const { clientWidth: width, clientHeight: height } = this.#stage;
    const x = Math.max(0, Math.floor(-this.#left / this.#scale));
    const y = Math.max(0, Math.floor(-this.#top / this.#scale));

    return {
      x, y,
      w: Math.min(this.photo.width, Math.ceil((width - this.#left) / this.#scale)) - x,
      h: Math.min(this.photo.height, Math.ceil((height - this.#top) / this.#scale)) - y
    };
  }

  #rest() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#sharpen();
      this.onrest();
    }, REST);
  }

  #sharpen() {
    const shown = this.compared || this.original ? [0, this.#current()] : [this.#current()];

    for (const name of new Set(shown))
      if (this.#shots.has(name))
        this.#sharpenShot(name, this.#shots.get(name)).catch(() => {});
  }

  async #sharpenShot(name, shot) {
    const photo = this.photo;
    const longest = Math.max(photo.width, photo.height);
    const density = window.devicePixelRatio || 1;
    const wanted = Math.min(1, this.#scale * density);
    const area = this.visible();

    shot.loading?.abort();
    if (wanted * longest <= PREVIEW_SIDE * 1.05 || area.w < 1 || area.h < 1) {
      shot.detail?.close();
      shot.detail = shot.area = null;
      return;
    }
    shot.loading = new AbortController();
    const side = Math.min(LARGEST_DETAIL, Math.ceil(Math.max(area.w, area.h) * wanted));
    const bitmap = await this.#fetch(photo, name, { side, ...area }, shot.loading.signal);
    shot.detail?.close();
    shot.detail = bitmap;
    shot.area = area;
    this.redraw();
  }

  // ---- drawing ----

  redraw() {
    this.#dirty.picture = this.#dirty.mask = true;
    this.#schedule();
  }

  // The mask has changed within an area of the picture.
  redrawMask(area) {
    if (!area)
      return;
    this.#paintMask(area);
  }

  #schedule() {
    if (!this.#frame)
      this.#frame = requestAnimationFrame(() => {
        this.#frame = 0;
        if (this.#dirty.picture)
          this.#paintPicture();
        if (this.#dirty.mask)
          this.#paintMask(null);
        this.#dirty.picture = this.#dirty.mask = false;
      });
  }

  #paintPicture() {
    const canvas = this.#below, context = canvas.getContext('2d');
    const density = window.devicePixelRatio || 1;

    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, canvas.width, canvas.height);
    if (!this.photo)
      return;
    context.setTransform(density, 0, 0, density, 0, 0);
    context.imageSmoothingEnabled = this.#scale * density < 3;
    context.imageSmoothingQuality = 'high';
    if (this.original)
      this.#paintShot(context, this.#shots.get(0));
    else {
      this.#paintShot(context, this.#shots.get(this.#current()));
      this.#paintPart(context);
    }
    if (this.compared && !this.original)
      this.#paintBefore(context);
  }

  #paintBefore(context) {
    context.save();
    context.beginPath();
    context.rect(0, 0, this.#stage.clientWidth * this.split, this.#stage.clientHeight);
    context.clip();
    this.#paintShot(context, this.#shots.get(0));
    context.restore();
  }

  #paintShot(context, shot) {
    if (!shot)
      return;
    const { width, height } = this.photo, scale = this.#scale;

    if (this.photo.alpha)
      paintChecks(context, this.#left, this.#top, width * scale, height * scale);
    context.drawImage(shot.preview, this.#left, this.#top, width * scale, height * scale);
    if (shot.detail)
      context.drawImage(shot.detail, this.#left + shot.area.x * scale, this.#top + shot.area.y * scale,
                        shot.area.w * scale, shot.area.h * scale);
  }

  // A restored part, in a frame.
  #paintPart(context) {
    if (!this.#part)
      return;
    const { x, y, w, h } = this.#part.area, scale = this.#scale;
    const place = [this.#left + x * scale, this.#top + y * scale, w * scale, h * scale];

    context.drawImage(this.#part.bitmap, ...place);
    for (const [colour, width] of [['rgb(0 0 0 / 55%)', 3], ['#fff', 1.5]]) {
      context.strokeStyle = colour;
      context.lineWidth = width;
      context.strokeRect(...place);
    }
  }

  // Draws the part of the mask within an area, or all that can be seen of it.
  // Each pixel of the canvas looks up one cell of the level that is just fine
  // enough.
  #paintMask(area) {
    const canvas = this.#above, context = canvas.getContext('2d');

    if (!this.photo) {
      context.clearRect(0, 0, canvas.width, canvas.height);
      return;
    }
    const scale = this.#scale, whole = !area;
    const bounds = area ?? { x0: 0, y0: 0, x1: this.photo.width, y1: this.photo.height };
    const x0 = Math.max(0, Math.floor(bounds.x0 * scale + this.#left) - 1);
    const y0 = Math.max(0, Math.floor(bounds.y0 * scale + this.#top) - 1);
    const x1 = Math.min(canvas.width, Math.ceil(bounds.x1 * scale + this.#left) + 1);
    const y1 = Math.min(canvas.height, Math.ceil(bounds.y1 * scale + this.#top) + 1);

    if (whole)
      context.clearRect(0, 0, canvas.width, canvas.height);
    if (x0 >= x1 || y0 >= y1 || whole && this.mask.empty && !this.#traces)
      return;
    context.putImageData(this.#maskPixels(x0, y0, x1 - x0, y1 - y0), x0, y0);
  }

  #maskPixels(x0, y0, width, height) {
    const image = new ImageData(width, height), pixels = new Uint32Array(image.data.buffer);
    const level = this.#level(this.mask), step = 1 / (this.#scale * level.factor);
    const traces = this.#traces && this.#level(this.#traces.mask);
    const columns = new Int32Array(width);
    const across = this.photo.width, down = this.photo.height;

    for (let i = 0; i < width; i++) {
      const x = (x0 + i + 0.5 - this.#left) * step;

      columns[i] = x < 0 || x * level.factor >= across ? -1 : Math.floor(x);
    }
    for (let j = 0; j < height; j++) {
      const y = (y0 + j + 0.5 - this.#top) * step;

      if (y < 0 || y * level.factor >= down)
        continue;
      const row = Math.floor(y) * level.across;

      for (let i = 0, at = j * width; i < width; i++, at++)
        if (columns[i] >= 0 && level.data[row + columns[i]])
          pixels[at] = MASK_COLOUR;
        else if (traces && columns[i] >= 0 && traces.data[row + columns[i]])
          pixels[at] = TRACE_COLOUR;
    }
    return image;
  }

  #level(mask) {
    let best = { factor: 1, across: mask.width, data: mask.data };

    for (const level of mask.levels)
      if (level.factor * this.#scale <= 1)
        best = level;
    return best;
  }
}

// What stands for transparency.  It keeps a pixel off the edge, where it would
// shine through.
function paintChecks(context, left, top, width, height) {
  const side = 10, tile = new OffscreenCanvas(2 * side, 2 * side), squares = tile.getContext('2d');

  squares.fillStyle = '#fff';
  squares.fillRect(0, 0, 2 * side, 2 * side);
  squares.fillStyle = '#ccc';
  squares.fillRect(0, 0, side, side);
  squares.fillRect(side, side, side, side);
  context.fillStyle = context.createPattern(tile, 'repeat');
  context.fillRect(left + 1, top + 1, width - 2, height - 2);
}

function close(shot) {
  shot.loading?.abort();
  shot.preview.close();
  shot.detail?.close();
}
