// -- what everything uses -----------------------------------------------------

// Okabe and Ito's colours, as in gantt.svg; the last one is for other flows.
const palette = ["#56b4e9", "#e69f00", "#009e73", "#cc79a7", "#f0e442",
                 "#0072b2", "#d55e00", "#a5a5a5"];
const others = palette.length - 1;
const svgSpace = "http://www.w3.org/2000/svg";
const at = id => document.getElementById(id);
const variable = name =>
  getComputedStyle(document.documentElement).getPropertyValue(name).trim();

// Texts of users become text only, never markup.
function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
  return node;
}

function make(tag, text, className) {
  const node = document.createElement(tag);
  if (text !== undefined) node.textContent = text;
  if (className) node.className = className;
  return node;
}

function draw(tag, attributes, text) {
  const node = document.createElementNS(svgSpace, tag);
  for (const [name, value] of Object.entries(attributes))
    node.setAttribute(name, value);
  if (text !== undefined) node.textContent = text;
  return node;
}

// -- numbers and times for people ---------------------------------------------

const unknown = "–";

function digits(x) {
  const isWhole = Math.abs(x - Math.round(x)) < 1e-9;
  return x.toFixed(x >= 9.95 || isWhole ? 0 : x >= .995 ? 1 : 2);
}

function grouped(n) {
  return n === null || n === undefined ? unknown
    : String(Math.round(n)).replace(/\B(?=(\d{3})+$)/g, "\u202f");
}

function short(n) {
  if (n === null || n === undefined) return unknown;
  if (n >= 999500) return digits(n / 1e6) + "M";
  if (n >= 9999.5) return digits(n / 1e3) + "k";
  return n >= 100 ? grouped(n) : n > 0 && n < .005 ? "<0.01" : digits(n);
}

function milliseconds(ms) {
  if (ms === null || ms === undefined) return unknown;
  if (ms === 0) return "0";
  if (ms < .001) return digits(ms * 1e6) + " ns";
  if (ms < 1) return digits(ms * 1e3) + " µs";
  if (ms < 1e3) return digits(ms) + " ms";
  if (ms < 12e4) return digits(ms / 1e3) + " s";
  return ms < 72e5 ? digits(ms / 6e4) + " min" : digits(ms / 36e5) + " h";
}

const seconds = s => milliseconds(s === null ? null : s * 1e3);
const percent = share =>
  share === null || share === undefined ? unknown : digits(100 * share) + " %";
const bytes = n => n === null ? unknown : short(n) + "B/s";
