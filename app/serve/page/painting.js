// painting.js - the tools that mark what is to be mended

import { desk, view } from './desk.js';
import { Pointer } from './pointer.js';
import { setCompared } from './split.js';
import { $ } from './ui.js';

const SMALLEST_BRUSH = 1, LARGEST_BRUSH = 2000;
const FINEST = 1.5;           // CSS pixels between the points of a lasso

const REACH = 8;              // CSS pixels from the pointer to a mark

let tool = 'brush';
let brush = 24;               // diameter in pixels of the picture
let value = 1;                // what is painted: 0 erases
let from = null;              // where the pointer was, while it is down
let path = [];                // of the lasso so far
let changed = () => {}, released = () => {};

// ---- shapes that are drawn before they are painted ----

function toStage(point) {
  const { x, y } = view.origin;

  return { x: point.x * view.scale + x, y: point.y * view.scale + y };
}

function showFrame(a, b) {
  const frame = $('frame').style, p = toStage(a), q = toStage(b);

  $('frame').hidden = false;
  frame.left = `${Math.min(p.x, q.x)}px`;
  frame.top = `${Math.min(p.y, q.y)}px`;
  frame.width = `${Math.abs(p.x - q.x)}px`;
  frame.height = `${Math.abs(p.y - q.y)}px`;
}

function showLasso() {
  $('lasso').removeAttribute('hidden');
  $('lasso').firstElementChild.setAttribute('points', path.map(toStage).map(({ x, y }) => `${x},${y}`).join(' '));
}

function hideShapes() {
  $('frame').hidden = true;
  $('lasso').setAttribute('hidden', '');
}

function extendLasso(point) {
  const last = path.at(-1);

  if (!last || Math.hypot(point.x - last.x, point.y - last.y) * view.scale >= FINEST)
    path.push(point);
  showLasso();
}

// ---- the tools ----

const shapes = {
  brush: { move: stroke, end() {} },
  eraser: { move: stroke, end() {} },
  rectangle: {
    move: point => {
      path = [from, point];
      showFrame(from, point);
    },
    end: () => view.redrawMask(desk.current.mask.rectangle(path[0], path[1], value))
  },
  lasso: {
    move: extendLasso,
    end: () => view.redrawMask(desk.current.mask.polygon(path, value))
  },
  // The mark below the pointer.
  drop: {
    move() {},
    end: () => {
      const { mask } = desk.current, mark = mask.marks()[mask.markNear(from, REACH / view.scale)];

      if (mark)
        view.redrawMask(mask.eraseMark(mark));
    }
  },
  move: { move() {}, end() {} }
};

function stroke(point) {
  view.redrawMask(desk.current.mask.stroke(from, point, brush / 2, value));
  from = point;
}

const tools = {
  get active() {
    return desk.current !== null && !desk.busy;
  },
  get diameter() {
    return tool === 'brush' || tool === 'eraser' ? brush : 0;
  },
  get moves() {
    return tool === 'move';
  },
  // how: { erase, line }, where line begins at the end of the last stroke.
  begin(point, { erase = false, line = false } = {}) {
    // One paints on the picture as it is, not on what it was before.
    if (view.compared)
      setCompared(false);
    desk.current.history.begin();
    value = erase || tool === 'eraser' || tool === 'drop' ? 0 : 1;
    from = line && tools.diameter > 0 && desk.current.lastPoint || point;
    path = [];
    tools.move(point);
  },
  move(point) {
    shapes[tool].move(point);
  },
  end() {
    shapes[tool].end();
    hideShapes();
    desk.current.lastPoint = from;
    desk.current.history.end();
    changed();
    if (value === 1)
      released();
  },
  abandon() {
    hideShapes();
    desk.current.history.abandon();
    view.redraw();
    changed();
  }
};

export function setTool(name) {
  tool = name;
  for (const button of document.querySelectorAll('[data-tool]'))
    button.setAttribute('aria-pressed', String(button.dataset.tool === name));
  $('stage').dataset.using = name;
  $('stage').classList.toggle('moving', name === 'move');
}

export function setBrush(diameter) {
  brush = Math.round(Math.min(Math.max(diameter, SMALLEST_BRUSH), LARGEST_BRUSH));
  if (desk.current)
    desk.current.brush = brush;
  // The slider is logarithmic: each step is as much more.
  $('size').value = String(Math.log(brush) / Math.log(LARGEST_BRUSH) * 100);
  $('size').setAttribute('aria-valuetext', `${brush} pixels`);
  $('size-text').textContent = `${brush} px`;
}

// From the slider, 0 .. 100.
export function slideBrush(value) {
  setBrush(LARGEST_BRUSH ** (value / 100));
}

export function growBrush(factor) {
  setBrush(factor > 1 ? Math.max(brush + 1, brush * factor) : Math.min(brush - 1, brush * factor));
}

// Changes the mask as one step of the history.
export function changeMask(change) {
  const { history } = desk.current;

  history.begin();
  const area = change(desk.current.mask);
  history.end();
  view.redrawMask(area);
  view.redraw();
  changed();
}

// onchange is called when the mask has changed, onrelease when something was
// painted and the pointer let go.
export function beginPainting(onchange, onrelease) {
  changed = onchange;
  released = onrelease;
  new Pointer($('stage'), view, tools, $('cursor'));
  setTool('brush');
  setBrush(brush);
}
