// pictures.js - test pictures side by side, all at the same zoom

const MOST_ZOOM = 24;
const PIXELS_FROM = 3; // larger than this, pixels are squares

// ---- zoom ----

const view = { zoom: 1, x: 0, y: 0 };

function applyView() {
  const least = 1 - view.zoom;
  view.x = Math.min(0, Math.max(least, view.x));
  view.y = Math.min(0, Math.max(least, view.y));
  const style = $("viewer").style;
  style.setProperty("--zoom", view.zoom);
  style.setProperty("--x", view.x);
  style.setProperty("--y", view.y);
  $("viewer").classList.toggle("pixels", view.zoom >= PIXELS_FROM);
  for (const frame of document.querySelectorAll("#viewer .frame"))
    frame.classList.toggle("is-zoomed", view.zoom > 1);
  $("zoom-now").textContent = `${Number(view.zoom.toFixed(1))}\u00d7`;
}

// Zooms by @factor; what is at (@x, @y) of a frame, in shares of it, stays.
function zoomBy(factor, x = 0.5, y = 0.5) {
  const zoom = Math.min(MOST_ZOOM, Math.max(1, view.zoom * factor));
  view.x = x - (x - view.x) * zoom / view.zoom;
  view.y = y - (y - view.y) * zoom / view.zoom;
  view.zoom = zoom;
  applyView();
}

function move(dx, dy) {
  view.x += dx;
  view.y += dy;
  applyView();
}

function showAll() {
  Object.assign(view, { zoom: 1, x: 0, y: 0 });
  applyView();
}

function placeIn(frame, event) {
  const box = frame.getBoundingClientRect();
  return [(event.clientX - box.left) / box.width,
          (event.clientY - box.top) / box.height];
}

const KEYS = {
  "+": () => zoomBy(1.5), "=": () => zoomBy(1.5), "-": () => zoomBy(1 / 1.5),
  "0": showAll,
  "ArrowLeft": () => move(0.15, 0), "ArrowRight": () => move(-0.15, 0),
  "ArrowUp": () => move(0, 0.15), "ArrowDown": () => move(0, -0.15)
};

function onKey(event) {
  const isOther = event.target.closest("select, input");
  const isPlain = !event.ctrlKey && !event.altKey && !event.metaKey;
  // While everything is shown, arrows scroll the page as ever.
  const isUseful = !event.key.startsWith("Arrow") || view.zoom > 1;
  if (isOther || !isPlain || !isUseful || !(event.key in KEYS))
    return;
  event.preventDefault();
  KEYS[event.key]();
}

// Pointers that are down, by id; two of them pinch.
const pointers = new Map();

function onPointerMove(event) {
  const frame = event.target.closest(".frame");
  const before = pointers.get(event.pointerId);
  if (!frame || !before)
    return;
  const now = placeIn(frame, event);
  const others = [...pointers].filter(([id]) => id !== event.pointerId);
  pointers.set(event.pointerId, now);
  if (others.length === 0) {
    if (view.zoom > 1)
      move(now[0] - before[0], now[1] - before[1]);
    return;
  }
  const other = others[0][1];
  const from = Math.hypot(before[0] - other[0], before[1] - other[1]);
  const to = Math.hypot(now[0] - other[0], now[1] - other[1]);
  if (from > 0)
    zoomBy(to / from, (now[0] + other[0]) / 2, (now[1] + other[1]) / 2);
}

function setUpZoom() {
  const viewer = $("viewer");
  $("zoom-in").addEventListener("click", () => zoomBy(1.5));
  $("zoom-out").addEventListener("click", () => zoomBy(1 / 1.5));
  $("zoom-all").addEventListener("click", showAll);
  viewer.addEventListener("keydown", onKey);
  viewer.addEventListener("wheel", event => {
    const frame = event.target.closest(".frame");
    if (!frame || !(event.ctrlKey || document.activeElement === viewer))
      return;
    event.preventDefault();
    zoomBy(Math.exp(-event.deltaY / 300), ...placeIn(frame, event));
  }, { passive: false });
  viewer.addEventListener("pointerdown", event => {
    const frame = event.target.closest(".frame");
    if (!frame)
      return;
    viewer.focus({ preventScroll: true });
    pointers.set(event.pointerId, placeIn(frame, event));
    frame.setPointerCapture(event.pointerId);
  });
  viewer.addEventListener("pointermove", onPointerMove);
  for (const type of ["pointerup", "pointercancel"])
    viewer.addEventListener(type, event => pointers.delete(event.pointerId));
  viewer.addEventListener("dblclick", event => {
    const frame = event.target.closest(".frame");
    if (frame)
      zoomBy(2, ...placeIn(frame, event));
  });
}

// ---- pictures ----

const shownNames = [...new Set(data.shown.map(s => s.picture))];
let picture = shownNames[0];

function shownNow() {
  return data.shown.filter(s => s.picture === picture
                                && s.damage === $("damage").value);
}

function scoreLine(shown) {
  if (shown.psnr === null)
    return shown.method === "original" ? "" : "exactly the original";
  return `${number(shown.psnr, 2)} dB, SSIM ${number(shown.ssim, 4)}`;
}

function imageOf(shown) {
  return make("img", { src: shown.src, alt: `${shown.picture}: `
                       + nameOf(shown), draggable: "false" });
}

function frameOf(kind, ...images) {
  return make("div", { class: "frame " + kind },
    make("div", { class: "layer" }, ...images));
}

// Differences are drawn three times as strong (report.css).
function scale() {
  return make("div", { class: "scale", title: "Difference to the original, "
                       + "of samples from 0 to 255" },
    "0", make("i", { "aria-hidden": "true" }), "85 or more");
}

function tile(shown, original) {
  const pair = make("div", { class: "pair" }, frameOf("", imageOf(shown)));
  if (shown.protocol !== null) {
    const under = imageOf(shown), over = imageOf(original);
    under.alt = `${shown.picture}: ${nameOf(shown)}, what differs from the `
                + "original";
    over.alt = "";
    pair.append(frameOf("difference", under, over), scale());
  }
  return make("figure", { class: "tile" }, pair,
    make("figcaption", {}, dot(shown.method), nameOf(shown), make("br"),
      make("span", { class: "numbers" }, scoreLine(shown))));
}

function drawSlider() {
  const now = shownNow();
  for (const [select, image, tag] of [["left", "under", "tag-left"],
                                      ["right", "over", "tag-right"]]) {
    const shown = now[$(select).value];
    if (!shown)
      continue;
    $(image).src = shown.src;
    $(image).alt = `${shown.picture}: ${nameOf(shown)}`;
    $(tag).textContent = nameOf(shown);
  }
}

// The number of the best result.
function bestOf(now) {
  let best = 0;
  now.forEach((s, i) => {
    if (s.protocol !== null && (s.psnr ?? Infinity)
        > (now[best].protocol === null ? -1 : now[best].psnr ?? Infinity))
      best = i;
  });
  return best;
}

function drawPictures() {
  const now = shownNow();
  const original = now.find(s => s.method === "original");
  for (const button of $("thumbs").children)
    button.setAttribute("aria-pressed", button.title === picture);
  $("tiles").replaceChildren(...now.map(s => tile(s, original)));
  const left = $("left").value, right = $("right").value;
  const names = now.map((s, i) => [String(i), nameOf(s)]);
  options($("left"), names);
  options($("right"), names);
  $("left").value = left in now && left !== "" ? left : "1";
  $("right").value = right in now && right !== "" ? right
                                                  : String(bestOf(now));
  const image = new Image();
  image.onload = () => $("viewer").style.setProperty(
    "--ratio", image.naturalWidth / image.naturalHeight);
  if (original)
    image.src = original.src;
  drawSlider();
  applyView();
}

function setUpPictures() {
  $("pictures").hidden = shownNames.length === 0;
  if (shownNames.length === 0)
    return;
  const damages = data.damages.filter(
    d => data.shown.some(s => s.damage === d.name));
  options($("damage"), damages.map(d => [d.name, d.label]));
  $("thumbs").append(...shownNames.map(name => {
    const original = data.shown.find(s => s.picture === name);
    const button = make("button", { type: "button", title: name },
      make("img", { src: original.src, alt: name }));
    button.addEventListener("click", () => {
      picture = name;
      drawPictures();
    });
    return button;
  }));
  $("thumbs").hidden = shownNames.length < 2;
  $("damage").addEventListener("change", drawPictures);
  $("left").addEventListener("change", drawSlider);
  $("right").addEventListener("change", drawSlider);
  $("divide").addEventListener("input", () => $("stage").style.setProperty(
    "--divide", `${$("divide").value}%`));
  setUpZoom();
  drawPictures();
}
