// statistics.js - methods, their scores, and means with intervals

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
