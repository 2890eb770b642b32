// -- charts against time ------------------------------------------------------

const chartHeight = 140, edges = {left: 46, right: 62, top: 6, bottom: 18};

// As much of the last minute as there are points.
function timeOf(points) {
  const age = points.length ? known.now - points[0].at : 0;
  return [12e3, 16e3, 20e3, 24e3, 32e3, 40e3, 48e3].find(t => age <= t) || minute;
}

function chartOn(svg, title, time) {
  const width = Math.max(svg.clientWidth || svg.parentNode.clientWidth, 200);
  svg.setAttribute("viewBox", `0 0 ${width} ${chartHeight}`);
  svg.replaceChildren(draw("title", {}, title));
  const inner = width - edges.left - edges.right;
  return {
    svg, width, time, bottom: chartHeight - edges.bottom, top: edges.top,
    right: width - edges.right,
    x: t => edges.left + inner * (1 - Math.min(1, (known.now - t) / time)),
  };
}

function drawTimes(chart) {
  for (const part of [1, .75, .5, .25, 0]) {
    const x = chart.x(known.now - part * chart.time);
    const anchor = part === 1 ? "start" : part === 0 ? "end" : "middle";
    chart.svg.append(draw("text", {x, y: chartHeight - 2, "text-anchor": anchor},
                          part === 0 ? "now" : `−${part * chart.time / 1e3} s`));
  }
}

function drawTick(chart, y, text) {
  chart.svg.append(
    draw("line", {x1: edges.left, x2: chart.right, y1: y, y2: y, class: "grid"}),
    draw("text", {x: edges.left - 5, y: y + 4, "text-anchor": "end"}, text));
}

function niceTop(most) {
  if (!(most > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(most));
  return [1, 2, 3, 4, 5, 6, 8, 10].map(x => x * power).find(x => x >= most);
}

function linear(chart, most) {
  const top = niceTop(most);
  const y = v => chart.bottom - (chart.bottom - chart.top) * v / top;
  for (const v of top === 1 && most === 1 ? [0, 1] : [0, top / 2, top])
    drawTick(chart, y(v), short(v));
  return y;
}

// Round times, in milliseconds: 1, 2, 5, 10 and so on up to seconds, then minutes
// and hours. Long axes have ticks at the first one of each unit only.
const roundTimes = [
  ...[...Array(10).keys()].map(i => [10 ** (i - 6), [1, 2, 5]]), [1e4, [1, 2]],
  [6e4, [1, 2, 5]], [6e5, [1, 2]], [36e5, [1, 2, 5]], [36e6, [1, 2, 5]], [36e7, [1, 2, 5, 10, 20, 50]],
].flatMap(([unit, of]) => of.map((n, i) => ({value: n * unit, isFirst: i === 0})));

// From the round time below the least to the one above the greatest.
function logarithmic(chart, values) {
  const positive = values.filter(v => v > 0);
  if (positive.length === 0) {
    drawTick(chart, chart.bottom, "");
    return () => chart.bottom;
  }
  const least = Math.min(...positive), greatest = Math.max(...positive);
  const last = roundTimes.length - 1;
  let low = 0, high = 1;
  while (low < last - 1 && roundTimes[low + 1].value <= least) ++low;
  while (high < last && (high <= low || roundTimes[high].value < greatest)) ++high;
  const from = Math.log10(roundTimes[low].value), to = Math.log10(roundTimes[high].value);
  const y = v => chart.bottom - (chart.bottom - chart.top)
    * (Math.min(Math.max(Math.log10(v), from), to) - from) / (to - from);
  const all = roundTimes.slice(low, high + 1);
  const units = all.filter(time => time.isFirst), step = Math.ceil((high - low) / 18);
  const ticks = high - low > 6 ? units.filter((_, i) => i % step === 0) : all;
  for (const {value} of ticks) drawTick(chart, y(value), milliseconds(value));
  return y;
}

// Points that follow each other without a gap.
function pieces(points, valueOf) {
  const result = [];
  let last = null;
  for (const p of points) {
    const value = valueOf(p);
    if (value === null || value === undefined) { last = null; continue; }
    if (last === null || p.at - last.at > 3e3) result.push([]);
    result[result.length - 1].push([p.at, value]);
    last = p;
  }
  return result;
}

function drawCurve(chart, y, points, look) {
  for (const piece of pieces(points, look.valueOf)) {
    const d = piece.map(([t, v], i) =>
      `${i ? "L" : "M"}${chart.x(t).toFixed(1)} ${y(v).toFixed(1)}`).join("");
    const isDot = piece.length === 1; // a point alone
    chart.svg.append(draw("path", {
      d: isDot ? d + "h.1" : d, class: "curve", stroke: look.colour,
      "stroke-dasharray": !isDot && look.dash || "none", "stroke-width": isDot ? 4 : look.width || 2,
      "stroke-linecap": isDot ? "round" : "butt"}));
  }
}

// The last value of each curve at its end, one below the other. Curves that show
// the same value have one text.
function drawEnds(chart, y, points, looks, text) {
  const last = points[points.length - 1];
  if (!last) return;
  const ends = looks.map(look => ({look, value: look.valueOf(last)}))
    .filter(end => end.value !== null && end.value !== undefined)
    .map(end => ({text: text(end.value), y: y(end.value)})).sort((a, b) => a.y - b.y)
    .filter((end, i, all) => i === 0 || end.text !== all[i - 1].text);
  for (let i = 0; i < ends.length; ++i)
    ends[i].y = Math.max(ends[i].y, i ? ends[i - 1].y + 13 : chart.top + 4);
  for (let i = ends.length - 1, most = chart.bottom - 4; i >= 0; --i, most -= 13)
    ends[i].y = Math.min(ends[i].y, most);
  for (const end of ends)
    chart.svg.append(draw("text", {x: chart.right + 5, y: end.y + 4, class: "end"}, end.text));
}

function legendKey(look) {
  const svg = draw("svg", {viewBox: "0 0 14 10", "aria-hidden": "true"});
  if (look.fill)
    svg.append(draw("rect", {width: 14, height: 10, fill: look.fill, class: "area"}));
  if (look.hatched)
    svg.append(draw("path", {d: "M-2 8L6 -2M3 12L13 -2M9 12L18 1", stroke: variable("--ink"), "stroke-width": 1.5}));
  if (look.outlined)
    svg.append(draw("rect", {x: .5, y: .5, width: 13, height: 9, fill: "none", stroke: variable("--text")}));
  if (look.colour)
    svg.append(draw("line", {x1: 0, x2: 14, y1: 5, y2: 5, stroke: look.colour,
                             "stroke-width": look.width || 2, "stroke-dasharray": look.dash || "none"}));
  return svg;
}

function fillLegend(list, entries) {
  list.replaceChildren(...entries.map(entry => {
    const item = make("li");
    item.append(legendKey(entry), make("span", entry.text));
    return item;
  }));
}

function stacked(store, points) {
  const sums = points.map(() => Array(palette.length).fill(0));
  points.forEach((p, i) => {
    for (const [flow, n] of p.waiting) sums[i][colourOf(store, "flow", flow)] += n;
    sums[i][others] += p.waiting_others || 0;
  });
  return sums;
}

function drawArea(chart, y, points, sums, colour) {
  let piece = [];
  const finish = () => {
    if (piece.some(([, low, high]) => high > low)) {
      if (piece.length === 1) piece.push([piece[0][0] + 400, ...piece[0].slice(1)]);
      const top = piece.map(([t, , high]) => `${chart.x(t).toFixed(1)} ${y(high).toFixed(1)}`);
      const back = piece.map(([t, low]) => `${chart.x(t).toFixed(1)} ${y(low).toFixed(1)}`).reverse();
      chart.svg.append(draw("path", {d: `M${top.concat(back).join("L")}Z`,
                                     fill: palette[colour], class: "area"}));
    }
    piece = [];
  };
  points.forEach((p, i) => {
    if (i && p.at - points[i - 1].at > 3e3) finish();
    const low = sums[i].slice(0, colour).reduce((a, b) => a + b, 0);
    piece.push([p.at, low, low + sums[i][colour]]);
  });
  finish();
}

function drawWaiting(store, pool) {
  const points = store.points, sums = stacked(store, points);
  const total = row => row.reduce((a, b) => a + b, 0);
  const last = points.length ? sums[sums.length - 1] : null;
  const chart = chartOn(at("waiting-chart"),
                        `Waiting tasks, now ${last ? total(last) : 0}`, timeOf(points));
  const y = linear(chart, Math.max(1, ...sums.map(total)));
  palette.forEach((_, colour) => drawArea(chart, y, points, sums, colour));
  drawTimes(chart);
  drawEnds(chart, y, points.slice(-1), [{valueOf: () => last ? total(last) : null}], short);
  const isByFlow = pool.flows.length > 0 || points.some(p => p.waiting.some(([name]) => name !== ""));
  setText(at("waiting-note"), isByFlow ? `now, by ${flowWord}` : "now");
  fillLegend(at("waiting-legend"), flowLegend(store, pool, last, sums, isByFlow));
}

// The flows that wait or have waited, and how many of each wait now.
function flowLegend(store, pool, last, sums, isByFlow) {
  const ever = palette.map((_, i) => sums.some(row => row[i] > 0));
  const result = [...store.colours.flow].filter(([, i]) => ever[i])
    .sort((x, y) => (last ? last[y[1]] - last[x[1]] : 0))
    .map(([flow, i]) => ({fill: palette[i], text: `${isByFlow ? shown(flow) : "waiting"} ${short(last ? last[i] : 0)}`}));
  if (ever[others])
    result.push({fill: palette[others], text: `retrying, or ${pool.flows_are_clients ? "unknown" : "other"} ${flowWord}s ${short(last ? last[others] : 0)}`});
  return result.length ? result : [{text: "no task has waited"}];
}

function drawRates(store, pool) {
  const looks = [
    {name: "arrived", colour: variable("--arrived"), width: 1.5, valueOf: p => p.arrived_per_s},
    {name: "completed", colour: palette[2], width: 2.5, valueOf: p => p.completed_per_s},
    {name: "failed", colour: palette[6], dash: "6 3", valueOf: p => p.failed_per_s},
    {name: "error answers", colour: palette[1], dash: "8 3 2 3", valueOf: p => p.error_answers_per_s},
    {name: "refused", colour: palette[3], dash: "2 3", valueOf: p => p.refused_per_s},
  ].filter(({name}) => pool.sees_answers || name !== "error answers");
  drawCurves("rates", store, looks, linear, short, "Tasks per second",
             values => Math.max(0, ...values));
}

// Percentiles know only tasks that have ended, so they go blank when all are
// stuck: what lasts is a curve of its own.
function drawTimesOf(kind, store, title, lasting) {
  const looks = [["p50", "", 1.5], ["p95", "6 3", 2], ["p99", "", 3]].map(
    ([name, dash, width]) => ({name, dash, width, colour: palette[kind === "wait" ? 0 : 1],
                               valueOf: p => p[kind + "_ms"][name]}));
  looks.push({...lasting, dash: "2 3", width: 2, colour: variable("--text")});
  drawCurves(kind, store, looks, logarithmic, milliseconds, title, values => values);
}

function drawCurves(kind, store, looks, scale, text, title, spread) {
  const values = store.points.flatMap(p => looks.map(look => look.valueOf(p)))
    .filter(v => v !== null && v !== undefined);
  const last = store.points[store.points.length - 1];
  const told = looks.map(look =>
    ({...look, text: `${look.name} ${text(last ? look.valueOf(last) : null)}`}));
  const chart = chartOn(at(kind + "-chart"), `${title}: ${told.map(x => x.text).join(", ")}`,
                        timeOf(store.points));
  const y = scale(chart, spread(values));
  for (const look of looks) drawCurve(chart, y, store.points, look);
  drawTimes(chart);
  drawEnds(chart, y, store.points, looks, text);
  fillLegend(at(kind + "-legend"), told);
}
