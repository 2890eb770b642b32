// -- commands, with the control token -----------------------------------------

// The token is kept in this page only.
const control = {token: null, pool: null};

const bearer = token => ({Authorization: `Bearer ${token}`});

function tellControl(text) {
  setText(at("control-told"), text);
}

async function send(pool, command) {
  try {
    const response = await fetch(address(`/api/v1/pools/${encodeURIComponent(pool)}/${command}`),
                                 {method: "POST", headers: bearer(control.token)});
    tellControl((await response.text()).trim());
  } catch (error) {
    tellControl(`The command was not carried out: ${error.message || error}`);
  }
}

// What cannot be undone is asked first.
function confirmed(question, yes) {
  const dialog = at("confirm");
  setText(at("confirm-question"), question);
  setText(at("confirm-yes"), yes);
  dialog.showModal();
  return new Promise(resolve => {
    at("confirm-yes").onclick = () => resolve(true);
    at("confirm-no").onclick = dialog.oncancel = () => resolve(false);
  });
}

async function ask(pool, command, question, yes) {
  if (await confirmed(question, yes)) await send(pool, command);
}

const openTasks = pool => `${grouped(pool.waiting + pool.assigned)} tasks wait and ${grouped(pool.running + pool.sent)} are in flight`;

function commandButton(id, text, does, isDanger) {
  const button = make("button", text, isDanger ? "danger" : "");
  button.type = "button";
  button.id = id;
  button.addEventListener("click", () => does(control.pool));
  return button;
}

const flowChoice = () => at("control-flow").value;
const flowInWords = flow => flow === "" ? "the flow without a name" : `flow ${flow}`;
const ofFlow = (command, flow) => `${command}?flow=${encodeURIComponent(flow)}`;

function poolCommands() {
  const row = make("div", undefined, "commands"), size = make("input");
  size.type = "number";
  size.min = 1;
  size.max = 65536;
  size.id = "control-size";
  size.setAttribute("aria-label", "Number of workers");
  row.append(
    commandButton("command-pause", "Pause", pool => send(pool.name, pool.is_paused ? "resume" : "pause")),
    size,
    commandButton("command-resize", "Resize", pool =>
      send(pool.name, `resize?n=${encodeURIComponent(size.value)}`)),
    commandButton("command-drain", "Drain…", pool => ask(pool.name, "drain",
      `Drain pool ${pool.name}? It accepts no more messages, settles the accepted ones, and ends: ${openTasks(pool)}.`,
      "Drain the pool"), true),
    commandButton("command-cancel-all", "Cancel all…", pool => ask(pool.name, "cancel?all=true",
      `Cancel all messages of pool ${pool.name}? ${openTasks(pool)}. Clients get errors.`,
      "Cancel all messages"), true));
  return row;
}

function flowCommands() {
  const row = make("div", undefined, "commands"), label = make("label", "Flow "), select = make("select");
  row.id = "flow-commands";
  select.id = "control-flow";
  label.append(select);
  row.append(label,
    commandButton("command-pause-flow", "Pause flow", pool => send(pool.name, ofFlow("pause", flowChoice()))),
    commandButton("command-resume-flow", "Resume flow", pool => send(pool.name, ofFlow("resume", flowChoice()))),
    commandButton("command-cancel-flow", "Cancel flow…", pool => {
      const flow = flowChoice();
      ask(pool.name, ofFlow("cancel", flow),
          `Cancel the messages of ${flowInWords(flow)} in pool ${pool.name}? Its clients get errors.`,
          "Cancel the flow");
    }, true));
  return row;
}

function fillFlowChoice(pool) {
  const select = at("control-flow"), names = pool.flows.map(f => f.name);
  at("flow-commands").hidden = !names.some(Boolean);
  const old = [...select.options].map(o => o.value), chosen = old.length > 0 ? select.value : null;
  // A choice that is open, or made, stays.
  const all = chosen !== null && !names.includes(chosen) ? [chosen, ...names] : names;
  if (old.length === all.length && all.every(name => old.includes(name))) return;
  select.replaceChildren(...all.map(name => new Option(shown(name), name)));
  if (chosen !== null) select.value = chosen;
}

function fillControl(state, pool) {
  const isOff = !state.control || state.control === "off" || !pool || pool.policy === "direct";
  at("control").hidden = isOff || once;
  at("unlock").hidden = control.token !== null;
  const commands = at("commands");
  if (isOff || control.token === null) return commands.replaceChildren();
  if (!commands.firstChild) commands.append(poolCommands(), flowCommands());
  const size = at("control-size");
  if (!control.pool || control.pool.name !== pool.name) {
    size.value = pool.workers;
    at("control-flow").replaceChildren();
    tellControl("");
  }
  control.pool = pool;
  setText(at("command-pause"), pool.is_paused ? "Resume" : "Pause");
  fillFlowChoice(pool);
}

async function unlock(token) {
  let why = "";
  try {
    const response = await fetch(address("/api/v1/pools"), {headers: bearer(token)});
    if (!response.ok || (await response.json()).control !== "open") why = "This is not the control token.";
  } catch (error) {
    why = `The token was not checked: ${error.message || error}`;
  }
  control.token = why ? null : token;
  at("control-token").value = "";
  if (known.state) render();
  tellControl(why);
}

at("unlock").addEventListener("submit", event => {
  event.preventDefault();
  unlock(at("control-token").value);
});
