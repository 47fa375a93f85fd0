"use strict";
// The page of "tessera compare": tables, pictures and what moves them.
// All texts go in as text, never as markup.
(function () {

const data = JSON.parse(document.getElementById("data").textContent);

const COLOURS = ["#2f7de1", "#d9730d", "#0a9a6c", "#c2417f", "#8b63d9",
                 "#0f92ab", "#a88610", "#dd4b39"]; // those of the curves
const MOST_ZOOM = 24;
const PIXELS_FROM = 3; // larger than this, pixels are squares

const $ = id => document.getElementById(id);

// An element with attributes, properties (.name) and children.
function make(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes || {})) {
    if (key.startsWith("."))
      element[key.slice(1)] = value;
    else if (value !== null && value !== undefined && value !== false)
      element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children);
  return element;
}

function drawing(tag, attributes, ...children) {
  const element =
    document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [key, value] of Object.entries(attributes))
    element.setAttribute(key, value);
  element.append(...children);
  return element;
}

function options(select, list) {
  select.replaceChildren(
    ...list.map(([value, text]) => make("option", { value }, text)));
}

const number = (value, digits) =>
  value === null || !Number.isFinite(value) ? "\u2013" : value.toFixed(digits);
const signed = (value, digits) =>
  (value < 0 ? "\u2212" : "+") + Math.abs(value).toFixed(digits);
const plural = (count, word) => `${count} ${word}${count === 1 ? "" : "s"}`;

// ---- methods ----

const learners = data.contenders.filter(c => c.kind === "learner");
const seeds = data.run.seeds;

function colourOf(name) {
  const i = learners.findIndex(c => c.name === name);
  return i < 0 ? null : COLOURS[i % COLOURS.length];
}

function dot(name) {
  const colour = colourOf(name);
  return make("span", { class: "dot", "aria-hidden": "true",
                        style: colour ? `--dot: ${colour}` : null });
}

const keyOf = method => `${method.method}/${method.protocol}`;
const isSeparate = method => method.protocol === "separate";

// Where both kinds of patches were tried, names alone are not enough.
function nameOf(method) {
  if (method.protocol === null || method.protocol === "engine"
      || method.protocol === "outside")
    return method.method;
  return `${method.method}, ${method.protocol}`;
}

// Scores by damage, then method, then picture: a list, one for each seed.  What
// does not learn has one, which counts for every seed.
const scores = {};
for (const score of data.scores) {
  const damage = scores[score.damage] ??= {};
  const method = damage[keyOf(score)] ??= {};
  (method[score.picture] ??= []).push(score);
}

// ---- statistics ----

const isScore = value => value !== null && Number.isFinite(value);
const sum = values => values.reduce((a, b) => a + b, 0);
const squares = values => sum(values.map(v => v * v));

// What crossed_stats() of the program computes: rows are pictures, columns
// seeds, and the interval is for more of both.
function sample(rows) {
  const P = rows.length, S = P > 0 ? rows[0].length : 0;
  const byRow = rows.map(row => sum(row) / S);
  const mean = sum(byRow) / P;
  const byColumn = (rows[0] || []).map((_, s) => sum(rows.map(r => r[s])) / P);
  const A = S * squares(byRow.map(v => v - mean)) / (P - 1);
  const B = S > 1 ? P * squares(byColumn.map(v => v - mean)) / (S - 1) : 0;
  const E = S > 1
    ? squares(rows.flatMap((row, p) => row.map(
        (v, s) => v - byRow[p] - byColumn[s] + mean))) / ((P - 1) * (S - 1))
    : 0;
  const V = Math.max(A + B - E, A, B);
  const spread = A * A / (P - 1)
    + (S > 1 ? B * B / (S - 1) + E * E / ((P - 1) * (S - 1)) : 0);
  const freedom = spread > 0
    ? Math.min(P * S - 1, Math.max(1, Math.floor(V * V / spread + 1e-9)))
    : P - 1;
  // data.bounds starts with one degree of freedom.
  const margin = P > 1 ? data.bounds[freedom - 1] * Math.sqrt(V / (P * S)) : NaN;
  return { n: P, mean, deviation: P > 1 ? Math.sqrt(A / S) : NaN,
           low: mean - margin, high: mean + margin };
}

// The scores of a picture, one for each seed.
const bySeed = (list, key) =>
  seeds.map((_, s) => (list[s] || list[0])[key]);

function scoresOf(damage, method, key) {
  const by = (scores[damage] || {})[keyOf(method)] || {};
  return Object.values(by).map(list => bySeed(list, key))
    .filter(row => row.every(isScore));
}

function differences(damage, method, reference, key) {
  const own = (scores[damage] || {})[keyOf(method)] || {};
  const others = (scores[damage] || {})[keyOf(reference)] || {};
  return Object.keys(own).filter(p => p in others)
    .map(p => {
      const values = bySeed(others[p], key);
      return bySeed(own[p], key).map(
        (v, s) => isScore(v) && isScore(values[s]) ? v - values[s] : NaN);
    })
    .filter(row => row.every(isScore));
}

function failureOf(damage, method) {
  return Object.values((scores[damage] || {})[keyOf(method)] || {}).flat()
    .map(s => s.error).find(error => error) || null;
}

// ---- summary ----

// The method of that name that competes with @method, or the first that does.
function referenceOf(method, name) {
  const rivals = data.methods.filter(m => isSeparate(m) === isSeparate(method));
  return rivals.find(m => m.method === name) || rivals[0];
}

// A dot with its interval, on a scale that all rows of a table share.
function whisker(d, reach) {
  const width = 176, middle = width / 2;
  const at = value => middle + Math.max(-1, Math.min(1, value / reach))
                               * (middle - 6);
  const kind = (d.mean >= 0 ? "up" : "down")
               + (d.low > 0 || d.high < 0 ? " sure" : " unsure");
  const svg = drawing("svg", { class: "whisker", "aria-hidden": "true",
                               viewBox: `0 0 ${width} 24` },
    drawing("line", { class: "zero", x1: middle, x2: middle, y1: 2, y2: 22 }));
  if (Number.isFinite(d.low))
    svg.append(drawing("line", { class: "span " + kind, x1: at(d.low),
                                 x2: at(d.high), y1: 12, y2: 12 }));
  svg.append(drawing("circle", { class: kind, cx: at(d.mean), cy: 12, r: 5 }));
  return svg;
}

function differenceCell(d, digits) {
  if (d === null)
    return make("td", { class: "range" }, "reference");
  const cell = make("td", {}, signed(d.mean, digits));
  if (Number.isFinite(d.low))
    cell.append(make("span", { class: "range" },
      `${signed(d.low, digits)} to ${signed(d.high, digits)}`));
  return cell;
}

const GROUPS = [[true, "separate patches"],
                [false, "overlapping patches, and whole methods"]];
const KINDS = { engine: " engine", outside: " outside program" };
const COLUMNS = ["method", "PSNR in dB", "s.d.", "difference", "95 % interval",
                 "SSIM", "s.d.", "difference", "MS-SSIM", "PSNR of the missing",
                 "seconds"];

function summaryRow(row, group, reach) {
  const best = key => Math.max(...group.map(r => r[key].mean).filter(isScore));
  const bold = key => row[key].mean === best(key);
  const name = make("th", { scope: "row" }, dot(row.method.method),
    row.method.method,
    make("span", { class: "kind" }, KINDS[row.method.protocol] || ""));
  if (row.psnr.n === 0)
    return make("tr", { class: "failed" }, name,
      make("td", { colspan: COLUMNS.length - 1 }, `failed: ${row.failure}`));
  if (row.failure)
    name.append(make("span", { class: "kind", title: row.failure },
      ` ${plural(row.psnr.n, "picture")} only`));
  return make("tr", { class: bold("psnr") ? "is-best" : null }, name,
    make("td", { class: bold("psnr") ? "best" : null },
      number(row.psnr.mean, 2)),
    make("td", {}, make("span", { class: "sd" },
      number(row.psnr.deviation, 2))),
    differenceCell(row.psnr.difference, 2),
    make("td", {}, row.psnr.difference === null ? ""
      : whisker(row.psnr.difference, reach)),
    make("td", { style: bold("ssim") ? "font-weight: 700" : null },
      number(row.ssim.mean, 4)),
    make("td", {}, make("span", { class: "sd" },
      number(row.ssim.deviation, 4))),
    differenceCell(row.ssim.difference, 4),
    make("td", {}, number(row.ms_ssim.mean, 4)),
    make("td", {}, number(row.psnr_masked.mean, 2)),
    make("td", {}, number(row.seconds.mean, 2)));
}

function summaryTable(damage) {
  const name = $("reference").value;
  const rows = data.methods
    .filter(m => scores[damage.name][keyOf(m)])
    .map(method => {
      const reference = referenceOf(method, name);
      const row = { method, failure: failureOf(damage.name, method) };
      for (const key of ["psnr", "ssim", "ms_ssim", "psnr_masked", "seconds"]) {
        row[key] = sample(scoresOf(damage.name, method, key));
        row[key].difference = method === reference ? null
          : sample(differences(damage.name, method, reference, key));
      }
      return row;
    });
  const reach = Math.max(1e-9, ...rows.map(r => r.psnr.difference)
    .filter(d => d !== null)
    .flatMap(d => [d.mean, d.low, d.high].filter(Number.isFinite))
    .map(Math.abs));
  const table = make("table", {}, make("thead", {}, make("tr", {},
    ...COLUMNS.map(text => make("th", { scope: "col" }, text)))));

  for (const [separate, text] of GROUPS) {
    const group = rows.filter(r => isSeparate(r.method) === separate);
    if (group.length > 0)
      table.append(make("tbody", {},
        make("tr", {}, make("th", { class: "group", colspan: COLUMNS.length,
                                    scope: "rowgroup" }, text)),
        ...group.map(row => summaryRow(row, group, reach))));
  }
  return table;
}

function drawSummaries() {
  $("summaries").replaceChildren(...data.damages
    .filter(damage => scores[damage.name])
    .flatMap((damage, i) => {
      const count = Math.max(
        ...Object.values(scores[damage.name]).map(s => Object.keys(s).length));
      const title = `${damage.label}, ${plural(count, "test picture")}`;
      return [
        make("h3", { id: `summary-${i}` }, title),
        make("div", { class: "wide", tabindex: "0", role: "region",
                      "aria-labelledby": `summary-${i}` },
          summaryTable(damage))
      ];
    }));
}

function setUpSummary() {
  const names = [...new Set(data.methods.map(m => m.method))];
  options($("reference"), names.map(name => [name, name]));
  if (data.summary.length > 0)
    $("reference").value = data.summary[0].reference;
  $("reference").addEventListener("change", drawSummaries);
  drawSummaries();
  if (data.scores.length === 0)
    $("summary").hidden = true;
}

// ---- curves ----

function chosen(name) {
  return document.querySelector(`input[name="${name}"]:checked`).value;
}

function showCurve() {
  for (const figure of document.querySelectorAll("#curves figure"))
    figure.hidden = figure.dataset.axis !== chosen("axis")
                    || figure.dataset.protocol !== chosen("laid");
}

function setUpCurves() {
  for (const input of document.querySelectorAll("#learning input"))
    input.addEventListener("change", showCurve);
  showCurve();
  $("legend").append(...learners.map(
    c => make("li", {}, dot(c.name), `${c.name}: ${learnedLine(c)}`)));
  $("learning").hidden = data.curves.length === 0;
}

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

// ---- scores ----

let sorting = { column: 0, descending: false };

function scoreRows(methods, damage, key) {
  return data.data.tests
    .filter(name => methods.some(
      m => (scores[damage]?.[keyOf(m)] || {})[name]))
    .map(name => [name, ...methods.map(m => {
      const list = (scores[damage]?.[keyOf(m)] || {})[name];
      const values = list ? bySeed(list, key) : [null];
      return values.every(isScore) ? sum(values) / values.length : null;
    })]);
}

function compareCells(a, b) {
  if (typeof a === "string")
    return a.localeCompare(b, undefined, { numeric: true });
  return (a ?? Infinity) - (b ?? Infinity); // exact has no number
}

function sortedBy(column) {
  sorting = { column, descending: sorting.column === column
                                  ? !sorting.descending : column > 0 };
  drawScores();
  $("scores-table").querySelectorAll("th button")[column].focus();
}

function drawScores() {
  const damage = $("scores-damage").value, key = $("scores-key").value;
  const methods = data.methods.filter(m => scores[damage]?.[keyOf(m)]);
  const rows = scoreRows(methods, damage, key);
  const digits = key.endsWith("ssim") ? 4 : 2;
  const { column, descending } = sorting;
  rows.sort((a, b) => (descending ? -1 : 1)
                      * compareCells(a[column], b[column]));
  const heads = ["picture", ...methods.map(m => m.method)].map((text, i) => {
    const button = make("button", { type: "button" }, text);
    button.addEventListener("click", () => sortedBy(i));
    return make("th", { scope: "col",
      "aria-sort": i !== column ? null
                   : descending ? "descending" : "ascending" }, button);
  });
  const separate = methods.filter(isSeparate).length;
  const groups = [[separate, "separate patches"],
                  [methods.length - separate, GROUPS[1][1]]]
    .filter(([count]) => count > 0)
    .map(([colspan, text]) => make("th", { class: "group", colspan,
                                           scope: "colgroup" }, text));
  $("scores-table").style.setProperty("--columns", heads.length);
  $("scores-table").replaceChildren(
    make("thead", {}, make("tr", {}, make("td"), ...groups),
      make("tr", {}, ...heads)),
    make("tbody", {}, ...rows.map(([name, ...values]) => {
      const best = Math.max(...values.filter(isScore));
      return make("tr", {}, make("th", { scope: "row" }, name),
        ...values.map(value => make("td",
          { class: value === best ? "best" : null }, number(value, digits))));
    })));
}

function setUpScores() {
  const damages = data.damages.filter(d => scores[d.name]);
  $("scores").hidden = damages.length === 0;
  if (damages.length === 0)
    return;
  options($("scores-damage"), damages.map(d => [d.name, d.label]));
  $("scores-damage").addEventListener("change", drawScores);
  $("scores-key").addEventListener("change", drawScores);
  drawScores();
}

// ---- dictionaries, and how it was done ----

function learnedLine(contender) {
  if (contender.kind === "cosines")
    return "cosines, not learned";
  if (contender.kind === "file")
    return "brought along";
  if (contender.kind === "outside-learner")
    return `outside program, ${number(contender.seconds, 1)} s`;
  return `${plural(contender.iterations, "iteration")} in `
         + `${number(contender.seconds, 1)} s, from ${contender.start}`
         + (contender.out_of_time ? ", out of time" : "")
         + (seeds.length > 1 ? `, the first of ${seeds.length} seeds` : "");
}

function setUpDictionaries() {
  $("mosaics").append(...data.mosaics.map(mosaic => {
    const contender = data.contenders.find(c => c.name === mosaic.name);
    return make("figure", {},
      make("img", { src: mosaic.src, width: mosaic.width,
                    height: mosaic.height,
                    alt: `All atoms of ${mosaic.name}` }),
      make("figcaption", {}, dot(mosaic.name), mosaic.name,
        make("span", { class: "numbers" }, `${contender.atoms} atoms; `
                         + learnedLine(contender))));
  }));
  $("dictionaries").hidden = data.mosaics.length === 0;
}

function setUpRun() {
  const run = data.run, machine = run.machine, o = run.options;
  const facts = [
    ["Version", `Tessera ${machine.version}`],
    ["When", new Date(run.began).toLocaleString()],
    ["Duration", `${number(run.seconds, 0)} s in total`],
    ["Seed", String(run.seed)
      + (seeds.length > 1 || seeds[0] !== run.seed
         ? `, of learning ${seeds.join(", ")}` : "")],
    ["Pictures", `${data.data.training_pictures} for training, `
      + `${data.data.probes.length} for learning curves, `
      + `${data.data.tests.length} for testing, ${data.data.left_out} skipped`],
    ["Patches", `${data.data.training_patches} of ${o.patch} \u00d7 `
      + `${o.patch} \u00d7 3 to learn from`],
    ["Atoms per patch", `${o.atoms_per_patch} where patches are separate; `
      + `${o.train_atoms} while ksvd and mod learn`],
    ["Budget", (o.time_limit ? `${o.time_limit} s of learning each`
                : o.iterations ? `${o.iterations} iterations each`
                : "as many iterations as are usual for each")],
    ...data.contenders.filter(c => c.command)
      .map(c => [c.name, c.command + (c.error ? ` (failed: ${c.error})` : "")]),
    ["Machine", `${machine.processor ?? "?"}, ${plural(machine.cores, "core")}, `
      + plural(machine.threads, "thread")],
    ["System", machine.system ?? "?"],
    ["BLAS", machine.blas]
  ];
  $("command").textContent = run.command;
  $("facts").replaceChildren(make("dl", {}, ...facts.flatMap(
    ([name, value]) => [make("dt", {}, name), make("dd", {}, value)])));
  const starts = learners.map(c => `${c.name} from ${c.start}`).join(", ");
  $("repeatable").textContent =
    (starts ? `Starts: ${starts}. ` : "")
    + (run.repeatable
       ? "The same command gives the same scores, with any number of threads."
       : "Learning was stopped by the clock, so another machine, or another "
         + "day, gives other dictionaries.");
  $("lead").textContent =
    `${data.contenders.map(c => c.name).join(", ")}: learned from `
    + `${data.data.training_patches.toLocaleString("en")} patches of `
    + `${o.patch} \u00d7 ${o.patch} pixels, tested on `
    + `${plural(data.data.tests.length, "picture")}.`;
  $("stopped").hidden = !run.interrupted;
}

// Says so where a table or a curve is wider than its place.
function markScrolling() {
  for (const place of document.querySelectorAll(".wide, #curves"))
    place.classList.toggle("scrolls",
      place.scrollWidth > place.clientWidth + 1);
}

setUpSummary();
setUpCurves();
setUpPictures();
setUpScores();
setUpDictionaries();
setUpRun();
for (const link of document.querySelectorAll("nav a"))
  link.hidden = document.querySelector(link.hash).hidden;
markScrolling();
addEventListener("resize", markScrolling);
document.documentElement.dataset.ready = "yes"; // for tests

})();
