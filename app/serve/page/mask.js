// mask.js - which pixels are painted over
//
// One byte a pixel at the full size of the upright picture.  Beside it stand
// two coarser levels, in which a cell is set if any of its 4 x 4 or 16 x 16
// pixels is: what is shown of a large picture is read from those.
//
// Whatever changes the mask says first which tiles it will touch, so that a
// history can keep what was there.

export const TILE = 256;
const FACTORS = [4, 16];

// The smallest area with both of them in it; either may be null.
export function union(a, b) {
  if (!a || !b)
    return a || b;
  return {
    x0: Math.min(a.x0, b.x0), y0: Math.min(a.y0, b.y0),
    x1: Math.max(a.x1, b.x1), y1: Math.max(a.y1, b.y1)
  };
}

export class Mask {
  constructor(width, height) {
    this.width = width;
    this.height = height;
    this.data = new Uint8Array(width * height);
    this.levels = FACTORS.map(factor => {
      const across = Math.ceil(width / factor);

      return { factor, across, data: new Uint8Array(across * Math.ceil(height / factor)) };
    });
    this.tilesAcross = Math.ceil(width / TILE);
    this.count = 0;
    this.changes = 0;             // grows with each
    this.beforeTile = () => {};   // called with the number of a tile
  }

  get empty() {
    return this.count === 0;
  }

  // ---- painting; all return the area that changed, or null ----

  // Everything within radius of the line between two points.
  stroke(from, to, radius, value) {
    const area = this.#clip({
      x0: Math.floor(Math.min(from.x, to.x) - radius),
      y0: Math.floor(Math.min(from.y, to.y) - radius),
      x1: Math.ceil(Math.max(from.x, to.x) + radius) + 1,
      y1: Math.ceil(Math.max(from.y, to.y) + radius) + 1
    });

    if (!area)
      return null;
    this.#announce(area);
    for (let y = area.y0; y < area.y1; y++) {
      const span = capsuleSpan(from, to, radius, y + 0.5);

      if (span)
        this.#fillRow(y, Math.ceil(span[0] - 0.5), Math.floor(span[1] - 0.5) + 1, value);
    }
    this.#coarsen(area);
    return area;
  }

  rectangle(from, to, value) {
    const area = this.#clip({
      x0: Math.floor(Math.min(from.x, to.x)), y0: Math.floor(Math.min(from.y, to.y)),
      x1: Math.ceil(Math.max(from.x, to.x)), y1: Math.ceil(Math.max(from.y, to.y))
    });

    if (!area)
      return null;
    this.#announce(area);
    for (let y = area.y0; y < area.y1; y++)
      this.#fillRow(y, area.x0, area.x1, value);
    this.#coarsen(area);
    return area;
  }

  // Everything inside a closed line through the points, by the even-odd rule;
  // a pixel is inside if its middle is.
  polygon(points, value) {
    const xs = points.map(({ x }) => x), ys = points.map(({ y }) => y);
    const area = this.#clip({
      x0: Math.floor(least(xs)), y0: Math.floor(least(ys)),
      x1: Math.ceil(-least(xs.map(x => -x))), y1: Math.ceil(-least(ys.map(y => -y)))
    });

    if (!area)
      return null;
    this.#announce(area);
    for (let y = area.y0; y < area.y1; y++) {
      const crossings = polygonCrossings(points, y + 0.5);

      for (let i = 0; i + 1 < crossings.length; i += 2)
        this.#fillRow(y, Math.ceil(crossings[i] - 0.5), Math.ceil(crossings[i + 1] - 0.5), value);
    }
    this.#coarsen(area);
    return area;
  }

  // Erases all that is outside of an area.
  keep({ x0, y0, x1, y1 }) {
    const { width, height } = this, outside = [[0, 0, width, y0], [0, y1, width, height], [0, y0, x0, y1],
                                               [x1, y0, width, y1]];

    for (const [left, top, right, bottom] of outside)
      this.rectangle({ x: left, y: top }, { x: right, y: bottom }, 0);
    return { x0: 0, y0: 0, x1: width, y1: height };
  }

  clear() {
    return this.rectangle({ x: 0, y: 0 }, { x: this.width, y: this.height }, 0);
  }

  // Adds what the runs say to the mask.
  addRuns(runs) {
    return this.#setRuns(runs, 1);
  }

  removeRuns(runs) {
    return this.#setRuns(runs, 0);
  }

  #setRuns(runs, to) {
    let at = 0, changed = null;

    for (const [length, value] of lengths(runs)) {
      if (value) {
        const y0 = Math.floor(at / this.width), y1 = Math.floor((at + length - 1) / this.width) + 1;
        const area = y1 - y0 === 1
          ? { x0: at % this.width, y0, x1: at % this.width + length, y1 }
          : { x0: 0, y0, x1: this.width, y1 };

        this.#announce(area);
        this.#fill(at, at + length, to);
        changed = union(changed, area);
      }
      at += length;
    }
    if (changed)
      this.#coarsen(changed);
    return changed;
  }

  // The mask as runs that are known and missing in turn; see maskruns.h.
  toRuns() {
    const bytes = [];
    const total = this.data.length;

    for (let at = 0, value = 1; at < total; value = 1 - value) {
      const found = this.data.indexOf(value, at);
      const end = found < 0 ? total : found;

      appendLength(bytes, end - at);
      at = end;
    }
    return new Uint8Array(bytes);
  }

  // What adding the runs would change, as runs.
  newIn(runs) {
    const bytes = [];
    let at = 0, start = 0, last = 0;
    const add = (value, end) => {
      if (value === last)
        return;
      appendLength(bytes, end - start);
      start = end;
      last = value;
    };

    for (const [length, value] of lengths(runs)) {
      for (let i = at; value && i < at + length; i++)
        add(1 - this.data[i], i);
      at += length;
      add(0, at);
    }
    appendLength(bytes, at - start);
    return new Uint8Array(bytes);
  }

  // ---- marks: what hangs together, also by a corner ----

  #marks = { changes: -1, all: [] };

  // From top to bottom: each { x0, y0, x1, y1, spans }, and each span [y, from, to].
  marks() {
    if (this.#marks.changes !== this.changes)
      this.#marks = { changes: this.changes, all: findMarks(this) };
    return this.#marks.all;
  }

  // The number of the mark next to a point, at most so far away; else -1.
  markNear({ x, y }, reach) {
    let best = -1, least = reach;

    for (const [i, mark] of this.marks().entries()) {
      if (Math.max(mark.x0 - x, x - mark.x1, mark.y0 - y, y - mark.y1) > least)
        continue;
      for (const [row, from, to] of mark.spans) {
        const distance = Math.hypot(Math.max(from - x, x - to, 0), Math.max(row - y, y - row - 1, 0));

        if (distance <= least) {
          best = i;
          least = distance;
        }
      }
    }
    return best;
  }

  eraseMark(mark) {
    return this.#setSpans(mark, mark.spans, 0);
  }

  widenMark(mark) {
    const spans = mark.spans.flatMap(([y, from, to]) => [-1, 0, 1].map(step => [y + step, from - 1, to + 1]));

    return this.#setSpans({ x0: mark.x0 - 1, y0: mark.y0 - 1, x1: mark.x1 + 1, y1: mark.y1 + 1 },
                          spans.filter(([y]) => y >= 0 && y < this.height), 1);
  }

  // Null for one that is too thin: it would be gone.
  narrowMark(mark) {
    const spans = [];
    let kept = 0;

    for (const [y, from, to] of mark.spans)
      for (let x = from; x < to; x++)
        if (this.#isInside(x, y))
          kept++;
        else
          spans.push([y, x, x + 1]);
    return kept > 0 ? this.#setSpans(mark, spans, 0) : null;
  }

  // Whether all pixels around are painted over too.
  #isInside(x, y) {
    for (let row = Math.max(0, y - 1); row < Math.min(y + 2, this.height); row++)
      for (let col = Math.max(0, x - 1); col < Math.min(x + 2, this.width); col++)
        if (!this.data[row * this.width + col])
          return false;
    return true;
  }

  #setSpans(box, spans, value) {
    const area = this.#clip(box);

    this.#announce(area);
    for (const [y, from, to] of spans)
      this.#fillRow(y, from, to, value);
    this.#coarsen(area);
    return area;
  }

  // ---- tiles, for the history: eight pixels a byte ----

  readTile(tile) {
    const area = this.#tileArea(tile);
    const bits = new Uint8Array(TILE * TILE / 8);

    for (let y = area.y0; y < area.y1; y++)
      for (let x = area.x0, row = y * this.width; x < area.x1; x++)
        if (this.data[row + x])
          bits[((y - area.y0) * TILE + x - area.x0) >> 3] |= 1 << ((x - area.x0) & 7);
    return bits;
  }

  // Returns the area of the tile.
  writeTile(tile, bits) {
    const area = this.#tileArea(tile);

    this.changes++;
    for (let y = area.y0; y < area.y1; y++)
      for (let x = area.x0, row = y * this.width; x < area.x1; x++) {
        const value = bits[((y - area.y0) * TILE + x - area.x0) >> 3] >> ((x - area.x0) & 7) & 1;

        this.count += value - this.data[row + x];
        this.data[row + x] = value;
      }
    this.#coarsen(area);
    return area;
  }

  #tileArea(tile) {
    const x0 = tile % this.tilesAcross * TILE, y0 = Math.floor(tile / this.tilesAcross) * TILE;

    return { x0, y0, x1: Math.min(x0 + TILE, this.width), y1: Math.min(y0 + TILE, this.height) };
  }

  #announce(area) {
    for (let row = area.y0 - area.y0 % TILE; row < area.y1; row += TILE)
      for (let col = area.x0 - area.x0 % TILE; col < area.x1; col += TILE)
        this.beforeTile(row / TILE * this.tilesAcross + col / TILE);
  }

  // ---- inside ----

  #clip(area) {
    const clipped = {
      x0: Math.max(0, area.x0), y0: Math.max(0, area.y0),
      x1: Math.min(this.width, area.x1), y1: Math.min(this.height, area.y1)
    };

    return clipped.x0 < clipped.x1 && clipped.y0 < clipped.y1 ? clipped : null;
  }

  #fillRow(y, x0, x1, value) {
    const row = y * this.width;

    this.#fill(row + Math.max(0, x0), row + Math.min(this.width, x1), value);
  }

  #fill(start, end, value) {
    let before = 0;

    if (start >= end)
      return;
    this.changes++;
    for (let i = start; i < end; i++)
      before += this.data[i];
    this.data.fill(value, start, end);
    this.count += value * (end - start) - before;
  }

  // Brings the coarser levels up to date within an area.
  #coarsen(area) {
    let from = { factor: 1, across: this.width, data: this.data }, height = this.height;

    for (const level of this.levels) {
      const step = level.factor / from.factor;
      const y1 = Math.ceil(area.y1 / level.factor), x1 = Math.ceil(area.x1 / level.factor);

      for (let y = Math.floor(area.y0 / level.factor); y < y1; y++)
        for (let x = Math.floor(area.x0 / level.factor); x < x1; x++)
          level.data[y * level.across + x] = anySet(from, height, x * step, y * step, step);
      height = Math.ceil(this.height / level.factor);
      from = level;
    }
  }
}

function anySet(level, height, x0, y0, side) {
  const x1 = Math.min(x0 + side, level.across), y1 = Math.min(y0 + side, height);

  for (let y = y0; y < y1; y++)
    for (let x = x0; x < x1; x++)
      if (level.data[y * level.across + x])
        return 1;
  return 0;
}

// Where the row at height y crosses all points within radius of a line: the
// two round ends, and the slanted rectangle between them.  Null if nowhere.
function capsuleSpan(from, to, radius, y) {
  let low = Infinity, high = -Infinity;
  const add = x => {
    low = Math.min(low, x);
    high = Math.max(high, x);
  };

  for (const end of [from, to]) {
    const half = Math.sqrt(radius * radius - (y - end.y) ** 2);

    if (half >= 0) {
      add(end.x - half);
      add(end.x + half);
    }
  }
  const length = Math.hypot(to.x - from.x, to.y - from.y);
  if (length > 0) {
    const nx = (from.y - to.y) / length * radius, ny = (to.x - from.x) / length * radius;
    const corners = [[from.x + nx, from.y + ny], [to.x + nx, to.y + ny],
                     [to.x - nx, to.y - ny], [from.x - nx, from.y - ny]];

    corners.forEach(([ax, ay], i) => {
      const [bx, by] = corners[(i + 1) % 4];

      if (ay !== by && (y - ay) * (y - by) <= 0)
        add(ax + (bx - ax) * (y - ay) / (by - ay));
    });
  }
  return low <= high ? [low, high] : null;
}

function least(values) {
  return values.reduce((a, b) => Math.min(a, b), Infinity);
}

// Where the row at height y crosses a closed line, from left to right.
function polygonCrossings(points, y) {
  const crossings = [];

  points.forEach((a, i) => {
    const b = points[(i + 1) % points.length];

    if (a.y <= y !== b.y <= y)
      crossings.push(a.x + (b.x - a.x) * (y - a.y) / (b.y - a.y));
  });
  return crossings.sort((a, b) => a - b);
}

function findMarks({ width, data }) {
  const spans = [], parents = [];
  const root = i => {
    while (parents[i] !== i)
      i = parents[i] = parents[parents[i]];
    return i;
  };
  let above = 0, row = 0;     // first spans of the row before and of this one

  for (let at = data.indexOf(1); at >= 0;) {
    const y = Math.floor(at / width), end = data.indexOf(0, at), rowEnd = (y + 1) * width;
    const to = end < 0 || end > rowEnd ? rowEnd : end, i = spans.length;

    if (i > 0 && spans[i - 1][0] !== y) {
      above = spans[i - 1][0] === y - 1 ? row : i;
      row = i;
    }
    spans.push([y, at - y * width, to - y * width]);
    parents.push(i);
    while (above < row && spans[above][2] < spans[i][1])
      above++;
    for (let j = above; j < row && spans[j][1] <= spans[i][2]; j++)
      parents[root(i)] = root(j);
    at = data.indexOf(1, to);
  }
  const marks = new Map();

  for (const [i, span] of spans.entries()) {
    const [y, from, to] = span, mark = marks.get(root(i));

    if (!mark)
      marks.set(root(i), { x0: from, y0: y, x1: to, y1: y + 1, spans: [span] });
    else {
      mark.x0 = Math.min(mark.x0, from);
      mark.x1 = Math.max(mark.x1, to);
      mark.y1 = y + 1;
      mark.spans.push(span);
    }
  }
  return [...marks.values()];
}

// How many pixels of the mask are in the runs.
export function countIn(runs, { data }) {
  let at = 0, both = 0;

  for (const [length, value] of lengths(runs)) {
    for (let i = at; value && i < at + length; i++)
      both += data[i];
    at += length;
  }
  return both;
}

function appendLength(bytes, length) {
  for (; length >= 0x80; length = Math.floor(length / 0x80))
    bytes.push(length & 0x7f | 0x80);
  bytes.push(length);
}

// Pairs of a length and 0 or 1.
function* lengths(runs) {
  let length = 0, scale = 1, value = 0;

  for (const byte of runs) {
    length += (byte & 0x7f) * scale;
    scale *= 0x80;
    if (byte < 0x80) {
      yield [length, value];
      length = 0;
      scale = 1;
      value = 1 - value;
    }
  }
}
