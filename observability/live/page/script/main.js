// -- the whole ----------------------------------------------------------------

const params = new URLSearchParams(location.search);
const once = params.has("once");

// The fragment of the address names the pool and, behind an ampersand, the group
// of tasks that has colours in the stream, if that is not the flow.
function chosen() {
  const [pool, colours] = location.hash.slice(1).split("&");
  return {pool: decodeURIComponent(pool), colours: colours === "kind" ? "kind" : "flow"};
}

function change(choice) {
  const {pool, colours} = {...chosen(), ...choice};
  location.hash = encodeURIComponent(pool) + (colours === "flow" ? "" : "&" + colours);
}

function chosenPool(state) {
  const {pool} = chosen();
  return state.pools.find(p => p.name === pool) || state.pools[0];
}

function fillChoice(state, pool) {
  const select = at("pool"), names = state.pools.map(p => p.name);
  at("choice").hidden = names.length === 0;
  if ([...select.options].map(o => o.value).join("\n") !== names.join("\n"))
    select.replaceChildren(...names.map(name => new Option(name, name)));
  if (pool && select.value !== pool.name) select.value = pool.name;
  at("colours").value = chosen().colours;
}

function fillLinks(pool) {
  const query = pool ? `?seconds=10&pool=${encodeURIComponent(pool.name)}` : "";
  at("gantt").href = "/gantt.svg" + query;
  at("trace").href = "/trace" + query;
  at("gantt").hidden = at("trace").hidden = !pool || pool.policy === "direct";
}

function renderPool(pool) {
  const direct = pool.policy === "direct";
  at("of-pool").hidden = direct;
  fillFigures(direct ? directFigures(pool) : figuresOf(pool));
  if (direct) return;
  const store = storeOf(pool.name);
  flowWord = pool.flows_are_clients ? "client" : "flow";
  setText(at("colours").options[0], flowWord);
  settleClients(store, pool);
  Object.keys(groups).forEach(group => chooseColours(store, pool, group));
  drawWaiting(store, pool);
  drawRates(store, pool);
  drawTimesOf("wait", store, "Waiting time",
              {name: "oldest waiting", valueOf: p => p.oldest_waiting_ms});
  drawTimesOf("service", store, "Service time",
              {name: "longest running", valueOf: p => p.longest_running_ms});
  drawStream(store, pool);
  fillTables(pool);
  fillDetails(pool);
}

function render() {
  const state = known.state, pool = chosenPool(state);
  known.drawn = state;
  fillChoice(state, pool);
  fillLinks(pool);
  if (document.body.classList.contains("stale")) tellSilence();
  else fillProblems(state, pool);
  setText(at("policy"), pool ? pool.policy.replace(/_/g, " ") : "");
  at("figures").hidden = at("of-pool").hidden = !pool;
  fillControl(state, pool);
  if (pool) renderPool(pool);
  at("pipelines").replaceChildren(...state.pipelines.map(pipelinePanel));
  if (!pool && state.pipelines.length === 0) tell("no pools to show");
}

function show(state) {
  known.state = state;
  known.pools.forEach(forgetOld);
  if (!document.hidden) render();
}

// What comes while the page is frozen, is kept for later: pointing at a task
// draws the page again, as it is.
const later = {state: null, seen: []};

function take(state, seen) {
  if (frozen()) {
    later.state = state || later.state;
    later.seen = [...later.seen, ...seen].slice(-240);
    return;
  }
  seen.forEach(keep);
  if (state) show(state);
}

function thaw() {
  const {state, seen} = later;
  Object.assign(later, {state: null, seen: []});
  take(state || known.state, seen);
}

function tell(text, isOff) {
  setText(at("connection"), text);
  at("connection").classList.toggle("off", Boolean(isOff));
}

const frozen = () => at("freeze").getAttribute("aria-pressed") === "true";

// A page whose address has a password may ask for no other one with it.
const address = path => location.origin + path;

async function get(path) {
  const response = await fetch(address(path));
  if (!response.ok) throw new Error((await response.text()).trim());
  return response.json();
}

async function catchUp() {
  take(null, await get("/api/v1/recent"));
}

async function showOnce() {
  const [state] = await Promise.all([get("/api/v1/pools"), catchUp()]);
  show(state);
  tell(`state at ${new Date().toLocaleTimeString()}, when the page was loaded`);
  document.documentElement.dataset.ready = "yes";
}

function follow() {
  const events = new EventSource(address("/events"));
  events.onopen = () => catchUp().then(() => tell("live")).catch(() => {});
  events.onmessage = event => {
    const {state, recent} = JSON.parse(event.data);
    dataCame();
    take(state, [recent]);
  };
  events.onerror = () => {
    source.isGone = true;
    watchSource();
    tell("not connected, trying again", true);
    if (events.readyState === EventSource.CLOSED) askWhy();
  };
}

// The server has answered, but not with events.
async function askWhy() {
  const answer = await fetch(address("/events")).catch(() => null);
  if (answer && !answer.ok) tell((await answer.text()).trim(), true);
  else if (answer) answer.body.cancel();
  setTimeout(follow, 5000);
}

at("pool").addEventListener("change", () => change({pool: at("pool").value}));
at("colours").addEventListener("change", () => change({colours: at("colours").value}));
addEventListener("hashchange", () => choose(null));
document.addEventListener("visibilitychange", () => { if (known.state) render(); });
addEventListener("resize", () => { if (known.state) render(); });
at("freeze").addEventListener("click", () => {
  at("freeze").setAttribute("aria-pressed", String(!frozen()));
  setText(at("freeze"), frozen() ? "Frozen" : "Freeze");
  if (!frozen()) thaw();
});
at("stream").addEventListener("keydown", stepStream);
at("stream").addEventListener("blur", () => { if (!at("details").open) choose(null); });
at("stream").addEventListener("mousemove", chooseUnder);
at("stream").addEventListener("click", event => openBox(chooseUnder(event)));
at("stream").addEventListener("mouseleave", () => choose(null));
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { if (known.state) render(); });

at("freeze").hidden = once;
if (once) {
  showOnce().catch(error => {
    const why = String(error.message || error);
    tell(why, true);
    fillBanner([{text: `No data: ${why}.`}], "bad");
  });
} else {
  follow();
  setInterval(watchSource, 1e3);
}
