// -- tables -------------------------------------------------------------------

// A column: its heading, what of a row it shows, how, and whether that is bad.
const workerColumns = [
  {name: "number", of: m => m.number, text: String,
   bad: (m, pool) => m.is_stuck || pool.problems.some(({worker}) => worker === m.number)},
  {name: "state", of: m => m.state + (m.is_paused ? ", paused" : ""), word: true},
  {name: "running for", of: m => m.running_for_s, text: seconds, bad: m => m.is_stuck,
   open: m => m.running_for_s !== null && openWorker(m.number)},
  {name: "busy", of: m => m.busy_share, text: percent, bar: true},
  {name: "in flight", of: m => m.in_flight, text: grouped},
  {name: "completed", of: m => m.completed, text: grouped},
  {name: "failed", of: m => m.failed, text: grouped, bad: (m, pool) => m.failed > 0 && pool.window.failed_per_s > 0},
  {name: "stolen", of: m => m.stolen, text: grouped},
  {name: "mean service", of: m => m.mean_ms, text: milliseconds},
  {name: "longest service", of: m => m.max_ms, text: milliseconds},
  {name: "name", of: m => m.name, word: true},
];
const flowColumns = [
  {name: "flow", of: f => shown(f.name), word: true},
  {name: "waiting", of: f => f.waiting, text: grouped},
  {name: "in flight", of: f => f.running, text: grouped},
  {name: "share of time", of: f => f.share, text: percent, bar: true},
  {name: "seat time", of: f => f.seat_s, text: seconds},
  {name: "lag", of: f => f.lag_ms, text: ms => ms < 0 ? "−" + milliseconds(-ms) : milliseconds(ms)},
  {name: "served", of: f => f.served, text: grouped},
  {name: "refused", of: f => f.refused, text: grouped, bad: (f, pool) => f.refused > 0 && pool.window.refused_per_s > 0},
  {name: "mean wait", of: f => f.mean_wait_ms, text: milliseconds},
  {name: "oldest waiting", of: f => f.waiting_for_s, text: seconds},
];
const nodeColumns = [
  {name: "node", of: n => n.name, word: true},
  {name: "slots", of: n => n.slots, text: grouped},
  {name: "in flight", of: n => n.in_flight, text: grouped},
  {name: "service time", of: n => n.service_ms, text: milliseconds},
  {name: "silence", of: n => n.silent_ms, text: milliseconds},
  {name: "round trip", of: n => n.round_trip_ms, text: milliseconds},
  {name: "bandwidth", of: n => n.bytes_per_s, text: bytes},
];

const mostRows = 100;
const sorting = {workers: {by: 0, down: false}, flows: {by: 1, down: true}, nodes: {by: 0, down: false}};

function heading(id, column, i) {
  const th = make("th", undefined, column.word ? "word" : "");
  const button = make("button", column.name);
  button.type = "button";
  th.scope = "col";
  button.addEventListener("click", () => {
    const how = sorting[id];
    sorting[id] = {by: i, down: how.by === i ? !how.down : !column.word};
    render();
  });
  th.append(button);
  return th;
}

function shareBar() {
  const svg = draw("svg", {viewBox: "0 0 84 12", preserveAspectRatio: "none", "aria-hidden": "true"});
  svg.append(draw("rect", {width: 84, height: 12, fill: "var(--line)"}),
             draw("rect", {width: 0, height: 12, fill: "var(--bar)"}));
  return svg;
}

function cell(column) {
  const td = make("td", undefined, column.word ? "word" : "");
  td.dataset.name = column.name;
  if (column.bar) td.append(shareBar());
  td.append(make(column.open ? "button" : "span"));
  if (column.open) td.lastChild.type = "button";
  return td;
}

function fillCell(td, column, row, pool) {
  const value = column.of(row);
  setText(td.lastChild, column.text ? column.text(value) : value);
  if (column.word) td.title = value;
  if (column.bar) td.firstChild.lastChild.setAttribute("width", 84 * Math.min(1, value || 0));
  if (column.open) {
    td.lastChild.disabled = !value && value !== 0;
    td.lastChild.onclick = () => column.open(row);
    td.lastChild.title = "Details of the task";
  }
  if (column.bad) td.classList.toggle("bad", Boolean(column.bad(row, pool)));
}

function sorted(rows, {by, down}, columns) {
  const key = row => columns[by].of(row);
  const order = (x, y) => x === y ? 0 : x === null ? 1 : y === null ? -1
    : (x < y ? -1 : 1) * (down ? -1 : 1);
  return [...rows].sort((x, y) => order(key(x), key(y)));
}

// Cells are filled again rather than made again, so that what is selected stays.
function fillTable(id, columns, rows, pool) {
  const table = at(id);
  if (!table.tHead) {
    const tr = table.createTHead().insertRow();
    tr.append(...columns.map((column, i) => heading(id, column, i)));
    table.createTBody();
  }
  [...table.tHead.rows[0].cells].forEach((th, i) => th.setAttribute("aria-sort",
    sorting[id].by !== i ? "none" : sorting[id].down ? "descending" : "ascending"));
  const body = table.tBodies[0], seen = sorted(rows, sorting[id], columns).slice(0, mostRows);
  while (body.rows.length > seen.length) body.deleteRow(-1);
  while (body.rows.length < seen.length) body.insertRow().append(...columns.map(cell));
  seen.forEach((row, r) => columns.forEach((column, c) =>
    fillCell(body.rows[r].cells[c], column, row, pool)));
  return seen.length;
}

// Tables that are wider than the window say so. The periods of the columns are
// told after that.
function tellNotes(id, periods, ...notes) {
  const box = at(id).parentNode;
  const more = box.scrollWidth > box.clientWidth + 1 ? "scroll sideways for more columns →" : "";
  setText(at(id + "-note"), [...notes, more, periods].filter(Boolean).join("; "));
}

function fillTables(pool) {
  at("workers-part").hidden = pool.members.length === 0;
  at("flows-part").hidden = pool.flows.length === 0;
  at("nodes-part").hidden = pool.nodes.length + pool.unreachable.length === 0;
  const workers = fillTable("workers", workerColumns, pool.members, pool);
  tellNotes("workers", "busy: of 10 s; from completed on: since the start", workers < pool.all_members
    && `the first ${workers} of ${grouped(pool.all_members)} in this order`);
  const flows = fillTable("flows", flowColumns, pool.flows, pool);
  tellNotes("flows", "share of time: of 10 s; seat time, served, refused, mean wait: since the start", flows < pool.flows.length
    && `the first ${flows} of ${grouped(pool.flows.length)} in this order`);
  fillTable("nodes", nodeColumns, pool.nodes, pool);
  tellNotes("nodes", "", ...pool.unreachable);
}
