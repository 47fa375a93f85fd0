// summary.js - the tables of means and differences, and the learning curves

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
  $("laid").hidden = !document.querySelector(
    "#curves figure[data-protocol=overlapping]");
  $("legend").append(...learners.map(
    c => make("li", {}, dot(c.name), `${c.name}: ${learnedLine(c)}`)));
  $("learning").hidden = data.curves.length === 0;
}
