// -- figures and sentences ----------------------------------------------------

// Each figure: its group, id, name, value, more about it, and whether it is bad.
function figuresOf(pool) {
  const w = pool.window, all = (w.completed_per_s || 0) + (w.failed_per_s || 0);
  const left = pool.left.crashed + pool.left.removed + pool.left.ended;
  const more = (...parts) => parts.filter(Boolean).join(", ");
  const some = (count, word) => count > 0 && `${grouped(count)} ${word}`;
  const stuck = pool.members.filter(m => m.is_stuck).sort((x, y) => y.running_for_s - x.running_for_s)[0];
  const bad = badFigures(pool, stuck);
  const figure = (group, id, name, value, text, isBad, open) =>
    ({group, id, name, value, more: text, isBad: Boolean(isBad || bad.has(id)), open});
  return [
    figure("work", "arrived", "arrived", short(w.arrived_per_s) + "/s", `${grouped(pool.accepted + pool.refused)} in total`),
    figure("work", "completed", "completed", short(w.completed_per_s) + "/s", `${grouped(pool.completed)} in total`),
    figure("work", "waiting", "waiting", grouped(pool.waiting + pool.assigned),
           more(pool.capacity !== null && `of ${grouped(pool.capacity)}`, some(pool.assigned, "assigned"),
                some(pool.held, "held"), some(pool.parked, "parked"), some(pool.retrying, "retrying"))),
    figure("work", "running", "running", grouped(pool.running), more(some(pool.sent, "sent"))),
    figure("work", "oldest", "oldest waiting", seconds(pool.oldest_waiting_s), ""),
    figure("work", "longest", "longest running", seconds(pool.longest_running_s), "",
           stuck, stuck && (() => openWorker(stuck.number))),
    figure("workers", "workers", "workers", grouped(pool.workers),
           more(pool.is_paused && "paused", `${grouped(pool.workers - pool.busy)} idle`, `${grouped(pool.busy)} busy`,
                some(pool.leaving, "leaving"), some(pool.stand_ins, pool.stand_ins === 1 ? "stand-in" : "stand-ins"))),
    ...pool.wanted_why ? [figure("workers", "wanted", "workers wanted", grouped(pool.wanted), pool.wanted_why)] : [],
    figure("workers", "left", "workers that left", grouped(left),
           more(some(pool.left.removed, "removed"), some(pool.left.ended, "ended"), some(pool.left.crashed, "crashed"),
                some(pool.restarts, "restarts"))),
    figure("trouble", "failed", "failed", all > 0 ? percent((w.failed_per_s || 0) / all) : unknown,
           `${grouped(pool.failed)} in total`, w.failed_per_s > 0),
    figure("trouble", "errors", "error answers", percent(errorShare(pool)), errorsMore(pool)),
    figure("trouble", "refused", "refused", short(w.refused_per_s) + "/s", `${grouped(pool.refused)} in total`,
           w.refused_per_s > 0),
    figure("trouble", "cancelled", "cancelled", short(w.cancelled_per_s) + "/s", `${grouped(pool.cancelled)} in total`),
    figure("trouble", "crashed", "crashes", grouped(w.crashed), `${grouped(pool.left.crashed)} in total`, w.crashed > 0),
    figure("trouble", "overdue", "overdue", grouped(pool.overdue), "now", pool.overdue > 0),
    figure("trouble", "retries", "retries", short(w.retries_per_s) + "/s",
           more(`${grouped(pool.retries)} in total`, some(pool.retries_refused, "refused by the budget"))),
  ];
}

// Of the tasks that were completed in the last ten seconds; unknown if the pool
// does not see answers.
function errorShare({sees_answers: sees, window: w}) {
  return sees && w.completed_per_s > 0 ? Math.min(1, w.error_answers_per_s / w.completed_per_s) : null;
}

function errorsMore(pool) {
  if (!pool.sees_answers) return "this pool does not see answers";
  const [most] = pool.window.answered_errors;
  return `${grouped(pool.error_answers)} in total` + (most ? `, mostly ${most.error}` : "");
}

// The figures that show a problem, by its cure. The server finds the problems.
const figuresOfCure = {
  "a-stuck-handler": ["longest"], "a-flooding-tenant": ["waiting"], "too-few-workers": ["waiting"],
  "no-worker-is-left": ["workers", "waiting"], "refused-messages": ["refused"], "failing-tasks": ["failed"],
  "crashing-workers": ["crashed"], "overdue-tasks": ["overdue"], "a-hot-key": ["waiting"],
  "one-slow-worker": ["waiting"], "tasks-too-small": ["completed"], "a-paused-pool": ["waiting", "workers"],
  "tasks-at-limits": ["waiting"], "error-answers": ["errors"],
};

function badFigures(pool, stuck) {
  const bad = new Set(pool.problems.flatMap(({cure}) => figuresOfCure[cure] || []));
  const waiting = pool.waiting + pool.assigned;
  if (waiting === 0) bad.delete("waiting");
  else if (stuck && pool.window.completed_per_s === 0) bad.add("completed").add("waiting");
  if (bad.has("waiting") && pool.oldest_waiting_s >= 1) bad.add("oldest");
  return bad;
}

const directFigures = pool => [
  {group: "workers", id: "workers", name: "workers", value: grouped(pool.workers), more: ""},
  {group: "trouble", id: "refused", name: "refused", value: grouped(pool.refused), more: "in total"},
];

function figureBox({id, name}) {
  const box = make("div"), value = make("dd");
  value.id = "figure-" + id;
  value.append(make("em", "", "mark"), make("span"), make("small"));
  box.append(make("dt", name), value);
  return box;
}

function fillFigure(box, {value, more, isBad, open}) {
  const [mark, text, small] = box.lastChild.children;
  box.classList.toggle("bad", Boolean(isBad));
  setText(mark, isBad ? "!" : "");
  if (isBad) mark.title = "a problem";
  setText(text, value);
  setText(small, more);
  if (!open) return;
  const button = make("button", "details");
  button.type = "button";
  button.addEventListener("click", open);
  small.append(button);
}

function fillFigures(figures) {
  for (const group of ["work", "workers", "trouble"]) {
    const of = figures.filter(f => f.group === group), list = at("group-" + group).lastElementChild;
    at("group-" + group).hidden = of.length === 0;
    if (list.childElementCount !== of.length) list.replaceChildren(...of.map(figureBox));
    of.forEach((figure, i) => fillFigure(list.children[i], figure));
  }
}

// Names of users stay as they are.
const sentence = text =>
  text.replace(/(\d) (?=(ns|µs|ms|s|min|h|%)(?!\w))/g, "$1\u00a0").replace(/^(all|client|flow|half|limits|no|stage|the|work|worker) /, word => word[0].toUpperCase() + word.slice(1)) + ".";

// Of the pool that is shown first, then of the others.
function problemsOf(state, pool) {
  const of = (thing, name) => thing.problems.map(({text, cure, worker}) =>
    ({text: name ? `${name}: ${text}.` : sentence(text), cure, worker: thing === pool ? worker : null}));
  const several = state.pools.length + state.pipelines.length > 1;
  return [
    ...(pool ? of(pool, several && pool.name) : []),
    ...state.pools.filter(p => p !== pool).flatMap(p => of(p, p.name)),
    ...state.pipelines.flatMap(p => of(p, several && p.name)),
  ];
}

let spokenAt = 0;

function fillBanner(problems, look) {
  const box = at("problems");
  box.className = look;
  while (box.childElementCount > problems.length) box.lastChild.remove();
  while (box.childElementCount < problems.length) {
    const line = make("p"), cure = make("a", "What to do"), details = make("button", "Details");
    details.type = "button";
    line.append(make("span"), " ", cure, " ", details);
    box.append(line);
  }
  problems.forEach(({text, cure, worker}, i) => {
    const [span, link, details] = box.children[i].children;
    details.hidden = worker === null || worker === undefined;
    details.onclick = () => openWorker(worker);
    setText(span, text);
    link.hidden = !cure || problems.findIndex(x => x.cure === cure) < i;
    link.href = cure ? `/guide#${cure}` : "/guide";
  });
  // Screen readers are told now and then, not twice a second.
  if (Date.now() - spokenAt < 15e3) return;
  spokenAt = Date.now();
  setText(at("spoken"), problems[0].text);
}

function fillProblems(state, pool) {
  const problems = problemsOf(state, pool);
  if (problems.length) fillBanner(problems, "bad");
  else if (state.pools.length + state.pipelines.length === 0)
    fillBanner([{text: "No pools to show: the view has none, or all have ended."}], "");
  else fillBanner([{text: "No problem found."}], "good");
}
