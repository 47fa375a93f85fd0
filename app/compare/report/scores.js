// scores.js - the scores of each picture, in a table that can be sorted

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
