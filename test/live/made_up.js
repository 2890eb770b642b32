// A server that is made up: runs before the script of the page.
"use strict";

const test = {
  percentiles: {p50: null, p95: null, p99: null},

  worker: (number, more) => ({
    number, name: "squarer", state: "busy", in_flight: 1, busy_share: null,
    completed: 0, failed: 0, stolen: 0, mean_ms: 0, max_ms: 0,
    running_for_s: null, is_stuck: false, is_paused: false, task: null, ...more}),

  pool: more => ({
    name: "pool", problems: [], policy: "shared_queue", workers: 4, busy: 4,
    leaving: 0, stand_ins: 0, slots: 4, waiting: 0, assigned: 0, sent: 0, running: 4, held: 0,
    overdue: 0, parked: 0, retrying: 0, is_paused: false, capacity: null, accepted: 100, refused: 0, completed: 100,
    failed: 0, cancelled: 0, sees_answers: true, error_answers: 0, refusals: {}, errors: {},
    retries: 0, retries_refused: 0, restarts: 0, left: {removed: 0, crashed: 0, ended: 0}, stolen: 0,
    gathered: 0, hedged: 0, oldest_waiting_s: null, longest_running_s: null,
    window: {seconds: 10, arrived_per_s: 300, completed_per_s: 195, failed_per_s: 0,
             refused_per_s: 0, cancelled_per_s: 0, retries_per_s: 0, error_answers_per_s: 0, answered_errors: [], crashed: 0, wait_ms: test.percentiles, service_ms: test.percentiles},
    flows: [], limits: [], flows_are_clients: false, all_members: 0, members: [], nodes: [], unreachable: [],
    ...more}),

  recent: more => ({
    name: "pool", waiting: [["", 0]], arrived_per_s: 300, completed_per_s: 195,
    failed_per_s: 0, error_answers_per_s: 0, refused_per_s: 0, oldest_waiting_ms: null,
    longest_running_ms: null, wait_ms: test.percentiles,
    service_ms: test.percentiles, runs: {spans: [], flows: [""], kinds: [""], ended: 0}, ...more}),

  number: 0,
  send(pools, recent, at_ms, more) {
    const event = {state: {version: "0", control: "off", pools, pipelines: [], ...more},
                   recent: {number: ++test.number, at_ms: at_ms || 1e6 + 500 * test.number,
                            pools: recent}};
    EventSource.made[0].onmessage({data: JSON.stringify(event)});
  },

  breakOff: () => EventSource.made[0].onerror(),

  banner: () => ({
    text: document.querySelector("#problems span").textContent,
    look: document.getElementById("problems").className,
    cure: document.querySelector("#problems a").hidden ? ""
      : document.querySelector("#problems a").getAttribute("href"),
    isDimmed: getComputedStyle(document.getElementById("figures")).filter !== "none"}),

  // The contrast ratio of WCAG 2 between the muted text of a figure and its panel.
  contrast() {
    const style = node => getComputedStyle(node), dt = document.querySelector("#figures dt");
    const bytes = colour => colour.match(/[\d.]+/g).slice(0, 3).map(Number);
    const back = bytes(style(document.body).backgroundColor);
    const opacity = Number(style(document.getElementById("figures")).opacity);
    const luminance = colour => bytes(colour)
      .map((x, i) => (opacity * x + (1 - opacity) * back[i]) / 255)
      .map(x => x <= .03928 ? x / 12.92 : ((x + .055) / 1.055) ** 2.4)
      .reduce((sum, x, i) => sum + x * [.2126, .7152, .0722][i], 0);
    const [low, high] = [style(dt).color, style(dt.closest(".panel")).backgroundColor]
      .map(luminance).sort((x, y) => x - y);
    return (high + .05) / (low + .05);
  },

  // The share of a lane that is filled, from so many milliseconds ago until now.
  filled(lane, ms) {
    const canvas = document.getElementById("stream"), row = 20, height = row - 3;
    const left = 46, right = canvas.width - 8, width = Math.round((right - left) * ms / streamState.time);
    const {data} = canvas.getContext("2d").getImageData(right - width, lane * row + 2, width, height);
    let sum = 0;
    for (let i = 3; i < data.length; i += 4) sum += data[i];
    return sum / 255 / width / height;
  },

  tell(value) {
    const text = document.createElement("pre");
    text.id = "told";
    text.textContent = JSON.stringify(value);
    document.body.append(text);
  },
};

window.EventSource = class {
  static made = [];
  constructor() { EventSource.made.push(this); }
};
window.fetch = () => Promise.resolve({ok: true, json: () => Promise.resolve([])});
