// pointer.js - mouse, pen, fingers and keys on the picture
//
// One finger or the left button uses the tool, and the right button erases with
// it; Escape drops what is being done.  Two fingers, the middle
// button, or the left one while Space is held move the picture; two fingers
// and the wheel zoom.

const WHEEL_STEP = 0.0016;
const KEY_STEP = 12;          // CSS pixels

export class Pointer {
  #stage;
  #view;
  #tools;           // what to do; see below
  #cursor;
  #down = new Map();  // pointers by id: { x, y } in the window
  #mode = null;     // 'tool' or 'move'
  #pen = null;      // where the keyboard's brush is, on the picture
  #penDown = false;
  #space = false;

  // tools: begin(point, how), move(point), end(), abandon(), and the getters
  // diameter, in pixels of the picture, moves and active.
  constructor(stage, view, tools, cursor) {
    this.#stage = stage;
    this.#view = view;
    this.#tools = tools;
    this.#cursor = cursor;
    stage.addEventListener('pointerdown', event => this.#onDown(event));
    stage.addEventListener('pointermove', event => this.#onMove(event));
    stage.addEventListener('pointerup', event => this.#onUp(event));
    stage.addEventListener('pointercancel', event => this.#onUp(event, true));
    stage.addEventListener('pointerleave', () => this.#cursor.hidden = true);
    stage.addEventListener('wheel', event => this.#onWheel(event), { passive: false });
    stage.addEventListener('contextmenu', event => event.preventDefault());
    stage.addEventListener('keydown', event => this.#onKey(event));
    stage.addEventListener('blur', () => this.#liftPen());
    window.addEventListener('keydown', event => this.#onEscape(event));
    window.addEventListener('keydown', event => this.#onSpace(event, true));
    window.addEventListener('keyup', event => this.#onSpace(event, false));
    window.addEventListener('blur', () => this.#onSpace({ key: ' ' }, false));
  }

  get #moving() {
    return this.#space || this.#tools.moves;
  }

  // ---- pointers ----

  #onDown(event) {
    if (!this.#tools.active)
      return;
    this.#stage.setPointerCapture(event.pointerId);
    this.#down.set(event.pointerId, { x: event.clientX, y: event.clientY });
    if (this.#down.size === 2) {
      // The first finger was the start of a pinch, not of a stroke.
      if (this.#mode === 'tool')
        this.#tools.abandon();
      this.#mode = 'move';
    } else if (this.#down.size === 1) {
      this.#mode = event.button === 1 || this.#moving ? 'move' : event.button === 0 || event.button === 2 ? 'tool' : null;
      if (this.#mode === 'tool')
        this.#tools.begin(this.#view.toPicture(event.clientX, event.clientY),
                          { erase: event.button === 2, line: event.shiftKey });
    }
    this.#shape();
  }

  #onMove(event) {
    this.#showCursor(event);
    if (!this.#down.has(event.pointerId))
      return;
    if (this.#mode === 'move')
      this.#moveView(event);
    else if (this.#mode === 'tool')
      for (const each of event.getCoalescedEvents?.() ?? [event])
        this.#tools.move(this.#view.toPicture(each.clientX, each.clientY));
    this.#down.set(event.pointerId, { x: event.clientX, y: event.clientY });
  }

  #onUp(event, cancelled = false) {
    if (!this.#down.delete(event.pointerId))
      return;
    if (this.#mode === 'tool') {
      if (cancelled)
        this.#tools.abandon();
      else
        this.#tools.end();
      this.#mode = null;
    }
    if (this.#down.size === 0)
      this.#mode = null;
    this.#shape();
  }

  // The middle of the pointers stays on the same spot of the picture, and so
  // does their distance.
  #moveView(event) {
    const before = spread([...this.#down.values()]);

    this.#down.set(event.pointerId, { x: event.clientX, y: event.clientY });
    const after = spread([...this.#down.values()]);
    this.#view.pan(after.x - before.x, after.y - before.y);
    if (before.distance > 0 && after.distance > 0)
      this.#view.zoom(after.distance / before.distance, after.x, after.y);
  }

  #onWheel(event) {
    if (!this.#tools.active)
      return;
    event.preventDefault();
    const lines = event.deltaMode === 1 ? 24 : 1;
    const speed = event.ctrlKey ? 5 : 1;     // a pinch on a touchpad

    this.#view.zoom(Math.exp(-event.deltaY * lines * speed * WHEEL_STEP), event.clientX, event.clientY);
    this.#showCursor(event);
  }

  // ---- keys ----

  // Drops the stroke, of the pointer or of the keyboard's brush.
  #onEscape(event) {
    if (event.key !== 'Escape' || this.#mode !== 'tool' && !this.#penDown)
      return;
    this.#mode = null;
    this.#penDown = false;
    this.#tools.abandon();
    event.preventDefault();
  }

  // Space belongs to a button that has the focus, unless the pointer is on the
  // picture; to a field, always.
  #onSpace(event, isDown) {
    const owner = event.target?.closest?.('button, input, select, summary, a');

    if (event.key !== ' ' || owner?.matches('[type=text], [type=number], select')
        || owner && isDown && !this.#stage.matches(':hover'))
      return;
    if (isDown || this.#space)
      event.preventDefault?.();
    this.#space = isDown;
    this.#shape();
  }

  // Arrows move a brush of their own; Enter sets it down and lifts it.
  #onKey(event) {
    const arrows = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

    if (!this.#tools.active || event.ctrlKey || event.metaKey || event.altKey)
      return;
    if (event.key === 'Enter')
      this.#togglePen();
    else if (event.key in arrows) {
      const [x, y] = arrows[event.key];
      const step = KEY_STEP * (event.shiftKey ? 5 : 1);

      if (this.#space || this.#tools.moves)
        this.#view.pan(-x * step, -y * step);
      else
        this.#movePen(x * step / this.#view.scale, y * step / this.#view.scale);
    } else
      return;
    event.preventDefault();
  }

  #startPen() {
    const box = this.#stage.getBoundingClientRect();

    this.#pen ??= this.#view.toPicture(box.left + box.width / 2, box.top + box.height / 2);
  }

  #movePen(dx, dy) {
    const photo = this.#view.photo;

    this.#startPen();
    this.#pen = {
      x: Math.min(Math.max(this.#pen.x + dx, 0), photo.width),
      y: Math.min(Math.max(this.#pen.y + dy, 0), photo.height)
    };
    if (this.#penDown)
      this.#tools.move(this.#pen);
    this.#placeCursor(this.#pen);
  }

  #togglePen() {
    if (this.#penDown)
      return this.#liftPen();
    this.#startPen();
    this.#penDown = true;
    this.#tools.begin(this.#pen);
    this.#placeCursor(this.#pen);
  }

  #liftPen() {
    if (this.#penDown)
      this.#tools.end();
    this.#penDown = false;
  }

  // ---- the ring that shows the brush ----

  #showCursor(event) {
    this.#cursor.hidden = event.pointerType === 'touch' || this.#mode === 'move' || this.#moving
      || !this.#tools.active || !this.#tools.diameter;
    if (!this.#cursor.hidden)
      this.#placeCursor(this.#view.toPicture(event.clientX, event.clientY));
  }

  #placeCursor(point) {
    const side = Math.max(3, this.#tools.diameter * this.#view.scale);
    const { x, y } = this.#view.origin;

    this.#cursor.hidden = !this.#tools.diameter;
    this.#cursor.style.width = this.#cursor.style.height = `${side}px`;
    this.#cursor.style.transform = `translate(${point.x * this.#view.scale + x - side / 2}px, ` +
      `${point.y * this.#view.scale + y - side / 2}px)`;
  }

  #shape() {
    this.#stage.classList.toggle('moving', this.#mode === 'move' || this.#moving);
    this.#stage.classList.toggle('grabbing', this.#mode === 'move');
  }
}

// The middle of one or two points, and their distance.
function spread(points) {
  const [a, b = a] = points;

  return { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2, distance: Math.hypot(a.x - b.x, a.y - b.y) };
}
