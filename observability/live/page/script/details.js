// -- details of one task ------------------------------------------------------

// The task that the dialog shows: of a worker that runs it, or a span.
const detailState = {worker: null, task: null, span: null};

const memberOf = (pool, number) => pool.members.find(m => m.number === number);

// What is known of the chosen task now: it may have ended since it was chosen.
function chosenTask(pool) {
  const {worker, task} = detailState, store = storeOf(pool.name);
  const member = worker === null ? null : memberOf(pool, worker);
  const runs = member && member.running_for_s !== null
    && (task === null || !member.task || member.task.number === task);
  if (runs)
    return {worker, name: member.name, task: member.task ? member.task.number : null,
            wait: null, kind: "", flow: "", trace: "", ...member.task && {
              kind: member.task.kind, flow: member.task.flow, trace: member.task.trace,
              wait: member.task.wait_ms},
            ran: member.running_for_s * 1e3, isStuck: member.is_stuck, how: "still running"};
  const span = store.spans.filter(s => s.worker === worker && (task === null || s.task === task)).pop()
    || detailState.span;
  return span && {...span, name: member ? member.name : "", trace: "", isStuck: false,
                  ran: span.to - span.from, how: span.ok ? "completed" : "not completed"};
}

function detailRows(of, pool) {
  const {service_ms: usual, wait_ms: waits} = pool.window;
  const beside = (value, {p50, p99}) => milliseconds(value)
    + (p50 === null ? "" : ` (in the last 10 s: p50 ${milliseconds(p50)}, p99 ${milliseconds(p99)})`);
  return [
    ["state", of.how + (of.isStuck ? ", stuck: longer than nearly all tasks of the pool" : "")],
    ["kind", of.kind || "unknown"],
    [flowWord, shown(of.flow)],
    of.trace && ["trace", of.trace],
    ["worker", `${of.worker}${of.name ? ` (${of.name})` : ""}`],
    ["waiting time", beside(of.wait, waits)],
    [of.how === "still running" ? "running for" : "service time", beside(of.ran, usual)],
  ].filter(Boolean);
}

function fillDetails(pool) {
  const dialog = at("details"), of = dialog.open && pool && chosenTask(pool);
  if (dialog.open && !of && detailState.task === null) {
    setText(at("details-title"), `Worker ${detailState.worker} runs no task`);
    dialog.querySelector("dl").replaceChildren();
  }
  if (!of) return;
  if (detailState.task === null) detailState.task = of.task;
  setText(at("details-title"), of.task ? `Task ${grouped(of.task)}` : `A task of worker ${of.worker}`);
  const list = dialog.querySelector("dl"), rows = detailRows(of, pool);
  list.replaceChildren(...rows.flatMap(([name, value]) => [make("dt", name), make("dd", value)]));
}

function openDetails(worker, task, span) {
  Object.assign(detailState, {worker, task, span});
  if (!at("details").open) at("details").showModal();
  fillDetails(chosenPool(known.state));
}

const openWorker = number => openDetails(number, null, null);
const openBox = box => {
  if (box && box.open) openDetails(box.worker, box.span ? box.span.task : null, box.span || null);
};
