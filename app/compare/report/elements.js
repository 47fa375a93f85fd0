// elements.js - the data, elements of the page, and numbers as text
//
// All texts go in as text, never as markup.

const data = JSON.parse(document.getElementById("data").textContent);

const COLOURS = ["#2f7de1", "#d9730d", "#0a9a6c", "#c2417f", "#8b63d9",
                 "#0f92ab", "#a88610", "#dd4b39"]; // those of the curves

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
