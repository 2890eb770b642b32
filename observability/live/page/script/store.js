// -- what is known ------------------------------------------------------------

const minute = 60e3, streamTime = 30e3;
const known = {
  state: null, // as /api/v1/pools has it
  last: 0,     // the number of what was seen last
  seen: new Set(), // the numbers of the last minutes
  now: 0,      // when it was, in milliseconds
  drawn: null, // the state that is drawn
  pools: new Map(), // what is drawn against time, by the pool's name
};

function storeOf(name) {
  if (!known.pools.has(name))
    known.pools.set(name, {points: [], spans: [], shares: [], colours: {flow: new Map(), kind: new Map()}});
  return known.pools.get(name);
}

function keepRuns(store, {flows, kinds, spans = [], shares = []}) {
  for (const [worker, flow, from, to, ok, task, wait, kind] of spans)
    store.spans.push({worker, flow: flows[flow], kind: kinds[kind], from, to, ok: ok === 1, task, wait});
  for (const [worker, flow, from, length, share, bad, count, kind] of shares)
    store.shares.push({worker, flow: flows[flow], kind: kinds[kind], from, to: from + length, share, bad, count});
}

function forgetOld(store) {
  store.points = store.points.filter(p => p.at > known.now - minute - 1e3);
  store.spans = store.spans.filter(s => s.to > known.now - streamTime);
  store.shares = store.shares.filter(s => s.to > known.now - streamTime);
}

// What was seen before one came may come later; what others have seen as well.
function keep(seen) {
  const isOlder = seen.number < known.last;
  if (isOlder && seen.at_ms > known.now) forgetAll(); // the server is another one
  if (known.seen.has(seen.number)) return;
  known.seen.add(seen.number);
  known.seen.delete(known.last - 500);
  known.last = Math.max(known.last, seen.number);
  known.now = Math.max(known.now, seen.at_ms);
  for (const pool of seen.pools) {
    const store = storeOf(pool.name);
    store.points.push({at: seen.at_ms, ...pool, runs: undefined});
    if (isOlder) store.points.sort((x, y) => x.at - y.at);
    keepRuns(store, pool.runs);
  }
}

function forgetAll() {
  known.last = known.now = 0;
  known.seen.clear();
  known.pools.clear();
}

// Without viewers, the server does not look at clients: of a pool with several
// clients, tasks that waited then are of unknown ones.
function settleClients(store, pool) {
  const names = p => p.waiting.some(([name]) => name !== "");
  if (!pool.flows_are_clients || !store.points.some(names)) return;
  for (const p of store.points)
    if (!names(p)) {
      p.waiting_others = (p.waiting_others || 0) + p.waiting.reduce((sum, [, n]) => sum + n, 0);
      p.waiting = [];
    }
}

// -- colours ------------------------------------------------------------------

// The groups of tasks that have colours, and the name of tasks without a group.
// Clients stand for the flows of a pool that has none.
let flowWord = "flow";
const groups = {flow: () => `no ${flowWord}`, kind: () => "unknown kind"};
const nameIn = (group, name) => name === "" ? groups[group]() : name;
const shown = flow => nameIn("flow", flow);

// How much of the picture is of each flow, or of each kind. Waiting tasks have
// no kind.
function weights(store, pool, group) {
  const result = new Map();
  const add = (name, weight) => result.set(name, (result.get(name) || 0) + weight);
  for (const s of store.spans) add(s[group], (s.to - s.from) / streamTime / 8);
  for (const s of store.shares) add(s[group], s.share * (s.to - s.from) / streamTime / 8);
  for (const m of pool.members)
    if (m.task) add(m.task[group], Math.min(m.running_for_s * 1e3 / streamTime, 1) / 8);
  if (group === "kind") return result;
  let most = 1;
  for (const p of store.points)
    most = Math.max(most, p.waiting.reduce((sum, [, n]) => sum + n, 0));
  const all = most * Math.max(store.points.length, 1);
  for (const p of store.points)
    for (const [flow, n] of p.waiting) if (n > 0) add(flow, n / all);
  return result;
}

// The heaviest names of a group have a colour each, and keep it while they are
// heavy.
function chooseColours(store, pool, group) {
  const heavy = [...weights(store, pool, group)].sort((x, y) => y[1] - x[1]).slice(0, others)
    .map(([name]) => name);
  const kept = new Map([...store.colours[group]].filter(([name]) => heavy.includes(name)));
  for (const name of heavy) {
    if (kept.has(name)) continue;
    const taken = new Set(kept.values());
    kept.set(name, palette.findIndex((_, i) => !taken.has(i)));
  }
  store.colours[group] = kept;
}

function colourOf(store, group, name) {
  const colour = store.colours[group].get(name);
  return colour === undefined ? others : colour;
}
