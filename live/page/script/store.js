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
    known.pools.set(name, {points: [], spans: [], shares: [], colours: new Map()});
  return known.pools.get(name);
}

function keepRuns(store, runs) {
  const name = i => runs.flows[i];
  for (const [worker, flow, from, to, ok, task, wait, kind] of runs.spans || [])
    store.spans.push({worker, flow: name(flow), from, to, ok: ok === 1,
                      task: task || null, wait: wait === undefined ? null : wait, kind: kind || ""});
  for (const [worker, flow, from, length, share, bad, count] of runs.shares || [])
    store.shares.push({worker, flow: name(flow), from, to: from + length, share, bad, count});
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

// -- colours ------------------------------------------------------------------

// How much of the picture is of each flow.
function weights(store) {
  const result = new Map();
  const add = (flow, weight) => result.set(flow, (result.get(flow) || 0) + weight);
  let most = 1;
  for (const p of store.points)
    most = Math.max(most, p.waiting.reduce((sum, [, n]) => sum + n, 0));
  const all = most * Math.max(store.points.length, 1);
  for (const p of store.points)
    for (const [flow, n] of p.waiting) if (n > 0) add(flow, n / all);
  for (const s of store.spans) add(s.flow, (s.to - s.from) / streamTime / 8);
  for (const s of store.shares) add(s.flow, s.share * (s.to - s.from) / streamTime / 8);
  return result;
}

// The heaviest flows have a colour each, and keep it while they are heavy.
function chooseColours(store) {
  const heavy = [...weights(store)].sort((x, y) => y[1] - x[1]).slice(0, others)
    .map(([flow]) => flow);
  const kept = new Map([...store.colours].filter(([flow]) => heavy.includes(flow)));
  for (const flow of heavy) {
    if (kept.has(flow)) continue;
    const taken = new Set(kept.values());
    kept.set(flow, palette.findIndex((_, i) => !taken.has(i)));
  }
  store.colours = kept;
}

const colourOf = (store, flow) =>
  store.colours.has(flow) ? store.colours.get(flow) : others;
const shown = flow => flow === "" ? "no flow" : flow;
