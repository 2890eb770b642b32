// -- the task stream ----------------------------------------------------------

const mostLanes = 48, lanesOfMany = 32, mostLeftRows = 12;
const streamState = {boxes: [], chosen: null, time: streamTime};

// As much of the last half minute as there are runs.
function timeOfStream(store, pool) {
  const from = [...store.spans, ...store.shares].reduce((least, s) => Math.min(least, s.from), known.now);
  const longest = pool.members.reduce((most, m) => Math.max(most, m.running_for_s || 0), 0);
  const age = Math.max(known.now - from, 1e3 * longest);
  return [6e3, 12e3, 20e3].find(t => age <= t) || streamTime;
}

// Workers in lanes; if there are too many, those that run long come first.
function lanesOf(pool) {
  let lanes = pool.members;
  if (lanes.length > mostLanes)
    lanes = [...lanes].sort((x, y) => longRun(y) - longRun(x) || x.number - y.number)
      .slice(0, lanesOfMany);
  return [...lanes].sort((x, y) => x.number - y.number)
    .map(m => ({label: String(m.number), numbers: [m.number]}));
}

// Workers that have left share lanes, one after the other.
function lanesOfLeft(store, pool) {
  const members = new Set(pool.members.map(m => m.number)), times = new Map();
  for (const s of [...store.spans, ...store.shares]) {
    if (members.has(s.worker)) continue;
    const time = times.get(s.worker) || {from: s.from, to: s.to};
    times.set(s.worker, {from: Math.min(time.from, s.from), to: Math.max(time.to, s.to)});
  }
  const lanes = [];
  for (const [number, time] of [...times].sort((x, y) => x[1].from - y[1].from)) {
    const lane = lanes.find(l => l.to <= time.from);
    if (lane) lane.numbers.push(number);
    else lanes.push({label: "gone", numbers: [number]});
    (lane || lanes[lanes.length - 1]).to = time.to;
  }
  return lanes.slice(0, mostLeftRows);
}

const longRun = member => member.running_for_s > 2 ? member.running_for_s : 0;

function canvasOn(canvas, height) {
  const width = canvas.parentNode.clientWidth - 20, scale = window.devicePixelRatio || 1;
  canvas.width = Math.max(width, 200) * scale;
  canvas.height = height * scale;
  canvas.style.height = height + "px";
  const pen = canvas.getContext("2d");
  pen.scale(scale, scale);
  pen.font = "11px system-ui, sans-serif";
  return {pen, width: Math.max(width, 200), height};
}

function hatching(pen) {
  const tile = document.createElement("canvas");
  tile.width = tile.height = 6;
  const to = tile.getContext("2d");
  to.strokeStyle = variable("--ink");
  to.lineWidth = 1.4;
  to.beginPath();
  to.moveTo(-1, 7); to.lineTo(7, -1); to.moveTo(-1, 1); to.lineTo(1, -1);
  to.moveTo(5, 7); to.lineTo(7, 5);
  to.stroke();
  return pen.createPattern(tile, "repeat");
}

function drawStream(store, pool) {
  const present = lanesOf(pool);
  const lanes = pool.members.length < pool.all_members ? present
    : [...present, ...lanesOfLeft(store, pool)];
  const row = lanes.length <= 12 ? 20 : lanes.length <= 24 ? 14 : 10;
  const {pen, width} = canvasOn(at("stream"), lanes.length * row + 24);
  const left = 46, right = width - 8, bottom = lanes.length * row + 2;
  const time = streamState.time = timeOfStream(store, pool);
  const x = t => left + (right - left) * (1 - (known.now - t) / time);
  const rows = new Map(lanes.flatMap((lane, i) => lane.numbers.map(n => [n, i * row + 2])));
  drawStreamGrid(pen, x, {left, right, bottom, row, lanes});
  const boxes = boxesOf(store, pool, rows, x, row - 3, left);
  drawInk(pen, boxes);
  streamState.boxes = boxes;
  const {chosen} = streamState; // is in another place by now
  streamState.chosen = chosen && boxes.find(box => box.key === chosen.key) || null;
  drawChosen(pen);
  describeStream(store, pool, present);
}

function drawStreamGrid(pen, x, {left, right, bottom, row, lanes}) {
  pen.fillStyle = variable("--muted");
  pen.strokeStyle = variable("--line");
  pen.lineWidth = 1;
  pen.textAlign = "right";
  const step = row < 12 ? 2 : 1;
  lanes.forEach((lane, i) => {
    if (i % step === 0) pen.fillText(lane.label, left - 6, i * row + row / 2 + 5);
    pen.beginPath();
    pen.moveTo(left, (i + 1) * row + .5);
    pen.lineTo(right, (i + 1) * row + .5);
    pen.stroke();
  });
  for (const part of [1, .5, 0]) {
    pen.textAlign = part === 0 ? "right" : part === 1 ? "left" : "center";
    pen.fillText(part === 0 ? "now" : `−${part * streamState.time / 1e3} s`,
                 x(known.now - part * streamState.time), bottom + 16);
  }
}

// What is chosen by the pointer and the keys: one for each run, or share of time.
function boxesOf(store, pool, rows, x, height, left) {
  const result = [], group = chosen().colours;
  const box = (worker, from, to, task, more) => {
    if (!rows.has(worker) || x(to) < left) return;
    const x1 = Math.max(x(from), left);
    const colour = task ? colourOf(store, group, task[group]) : running;
    result.push({worker, colour, x: x1, end: x(to), width: Math.max(x(to) - x1, .8),
                 y: rows.get(worker), height, part: 1, ...more});
  };
  for (const s of store.shares)
    box(s.worker, s.from, s.to, s, {
      key: `${s.worker} from ${s.from} ${s.flow} ${s.kind}`, part: s.share, hatched: s.bad > s.share / 2,
      text: `${grouped(s.count)} tasks${ofGroups(s)}, worker ${s.worker}: ${percent(s.share)} of its time`});
  for (const s of store.spans)
    box(s.worker, s.from, s.to, s, {
      key: `${s.worker} ${s.task}`, hatched: !s.ok, open: true, span: s, text: textOfSpan(s)});
  for (const m of pool.members)
    if (m.running_for_s !== null)
      box(m.number, known.now - m.running_for_s * 1e3, known.now, m.task, {
        key: `${m.number} ${m.task && m.task.number}`, isRunning: true, hatched: false,
        open: true, text: textOfRunning(m)});
  return result;
}

const ofGroups = ({kind, flow}) => (kind ? ` (${kind})` : "") + `, ${flow ? `${flowWord} ${flow}` : shown(flow)}`;
const named = task => `Task ${task.number ? grouped(task.number) : unknown}` + ofGroups(task);
const waited = ms => ms === null || ms === undefined ? "" : `waited ${milliseconds(ms)}, `;

const textOfSpan = s => `${named({...s, number: s.task})}, worker ${s.worker}: ${waited(s.wait)}`
  + `ran ${milliseconds(s.to - s.from)}, ${s.ok ? "completed" : "not completed"}. Enter or a click: details`;

const textOfRunning = m => (m.task ? named(m.task) : "A task") + `, worker ${m.number}: `
  + waited(m.task && m.task.wait_ms) + `running for ${seconds(m.running_for_s)}${m.is_stuck ? ", stuck" : ""}`
  + ". Enter or a click: details";

const running = palette.length; // the colour of running tasks that are not known
const leastPlate = 2; // pixels

// A pixel's column of a lane is as full as the worker was busy in its time, so
// that the areas of lanes compare as their busy shares do. What fills columns
// for a while is a plate of its own.
function inkOf(boxes) {
  const plates = [], columns = new Map();
  const fill = (box, from, to) => {
    for (let i = Math.floor(from); i < to; ++i) {
      const key = `${box.y} ${i}`;
      if (!columns.has(key)) columns.set(key, {x: i, y: box.y, height: box.height, shares: []});
      const {shares} = columns.get(key), kind = 2 * box.colour + (box.hatched ? 1 : 0);
      shares[kind] = (shares[kind] || 0) + box.part * (Math.min(to, i + 1) - Math.max(from, i));
    }
  };
  for (const box of boxes) {
    const first = Math.ceil(box.x), last = Math.floor(box.end);
    if (box.part < 1 || last - first < leastPlate) {
      fill(box, box.x, box.end);
      continue;
    }
    plates.push({...box, x: first, width: last - first});
    fill(box, box.x, first);
    fill(box, last, box.end);
  }
  return {plates, columns: [...columns.values()]};
}

const inkColour = kind => kind === running ? variable("--line") : palette[kind];

function drawInk(pen, boxes) {
  const {plates, columns} = inkOf(boxes), hatch = hatching(pen);
  const rectangle = (colour, hatched, ...where) => {
    pen.fillStyle = inkColour(colour);
    pen.fillRect(...where);
    if (!hatched) return;
    pen.fillStyle = hatch;
    pen.fillRect(...where);
  };
  for (const {x, y, height, shares} of columns) {
    let free = 1; // workers that are pools run several tasks at a time
    shares.forEach((share, kind) => {
      const part = Math.min(share, free);
      free -= part;
      rectangle(kind >> 1, kind & 1, x, y + height * free, 1, height * part);
    });
  }
  for (const plate of plates) {
    const {x, y, width, height} = plate;
    rectangle(plate.colour, plate.hatched, x, y, width, height);
    pen.strokeStyle = variable("--text");
    pen.lineWidth = 1;
    if (plate.isRunning && width > 3) pen.strokeRect(x + .5, y + .5, width - 1, height - 1);
    pen.fillStyle = variable("--edge");
    if (!plate.isRunning && width > 4) pen.fillRect(x + width - .7, y, .7, height);
  }
}

function drawChosen(pen) {
  const box = streamState.chosen;
  if (!box) return;
  pen.strokeStyle = variable("--focus");
  pen.lineWidth = 2;
  pen.strokeRect(box.x - 1, box.y - 1, box.width + 2, box.height + 2);
}

function describeStream(store, pool, lanes) {
  const all = pool.all_members;
  setText(at("stream-note"), `the last ${streamState.time / 1e3} s, a lane for each worker`
    + (lanes.length < all ? `; ${lanes.length} of ${grouped(all)} workers` : ""));
  const group = chosen().colours, colours = store.colours[group];
  const names = new Set([...store.spans, ...store.shares].map(s => s[group]));
  for (const m of pool.members) if (m.task) names.add(m.task[group]);
  const entries = [...colours].filter(([name]) => names.has(name))
    .map(([name, i]) => ({fill: palette[i], text: nameIn(group, name)}));
  if ([...names].some(name => !colours.has(name)))
    entries.push({fill: palette[others], text: "others"});
  entries.push({fill: variable("--line"), outlined: true, text: "still running"},
               {fill: palette[others], hatched: true, text: "not completed"});
  fillLegend(at("stream-legend"), entries);
}

function choose(box) {
  streamState.chosen = box;
  setText(at("chosen"), box ? box.text : "");
  if (known.state) render();
}

function boxUnder(event) {
  const {left, top} = at("stream").getBoundingClientRect();
  const x = event.clientX - left, y = event.clientY - top;
  return streamState.boxes.filter(b => x >= b.x - 2 && x <= b.x + b.width + 2
                                       && y >= b.y && y <= b.y + b.height).pop();
}

function chooseUnder(event) {
  const box = boxUnder(event);
  if ((box && box.key) !== (streamState.chosen && streamState.chosen.key)) choose(box || null);
  return box;
}

const keySteps = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1]};

function stepStream(event) {
  if (event.key === "Enter" || event.key === " ") {
    event.preventDefault();
    return openBox(streamState.chosen);
  }
  const step = keySteps[event.key];
  if (!step || streamState.boxes.length === 0) return;
  event.preventDefault();
  const from = streamState.chosen, middle = b => b.x + b.width / 2;
  if (!from) return choose(streamState.boxes[streamState.boxes.length - 1]);
  const [dx, dy] = step;
  const candidates = streamState.boxes.filter(b => dx
    ? b.y === from.y && (middle(b) - middle(from)) * dx > .01
    : (b.y - from.y) * dy > 0);
  const far = b => Math.abs(b.y - from.y) * 1000 + Math.abs(middle(b) - middle(from));
  const next = candidates.sort((a, b) => far(a) - far(b))[0];
  if (next) choose(next);
}
