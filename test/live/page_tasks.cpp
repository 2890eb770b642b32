/// Tasks in the stream of the page, and their details.

#include "told_by.hpp"

#include <doctest/doctest.h>

#include <set>
#include <string>
#include <tuple>

using nlohmann::json;
using test::told_by;

namespace page_tasks_tests {

namespace {

/// A pool with a task that has ended, and a task that is stuck.
const std::string tasks = R"js(
  const now = 1e6;
  const runs = {flows: ["gold", "silver"], kinds: ["job", ""], ended: 2, spans: [
    [0, 0, now - 4e3, now - 3e3, 1, 4711, 250, 0], [0, 1, now - 2e3, now - 1e3, 0, 4712, 3, 1]]};
  const task = {number: 4700, kind: "job", flow: "silver", trace: "abc", wait_ms: 20};
  const members = [test.worker(0), test.worker(1, {running_for_s: 42, is_stuck: true, task})];
  const window = {...test.pool().window, service_ms: {p50: 5, p95: 6, p99: 7}};
  const problems = [{text: "worker 1 has run one task for 42 s", cure: "a-stuck-handler",
                    loses_tasks: false, worker: 1}];
  test.send([test.pool({members, all_members: 2, window, problems})], [test.recent({runs})], now);
  const stream = at("stream");
  const boxOf = number => streamState.boxes.find(b => b.span && b.span.task === number);
  const at_box = (type, box) => {
    const {left, top} = stream.getBoundingClientRect();
    stream.dispatchEvent(new MouseEvent(type, {bubbles: true,
      clientX: left + box.x + box.width / 2, clientY: top + box.y + box.height / 2}));
  };
  const press = key => stream.dispatchEvent(new KeyboardEvent("keydown", {key}));
  const details = () => [at("details").open, at("details-title").textContent,
    ...[...at("details").querySelectorAll("dd")].map(dd => dd.textContent)];
)js";

} // namespace

TEST_CASE("a task in the stream tells its number, kind, flow, wait and run to "
          "the pointer and to keys, and has the colour of its flow") {
  auto told = told_by(tasks + R"js(
    const seen = [];
    at_box("mousemove", boxOf(4711));
    seen.push(at("chosen").textContent);
    press("ArrowRight");
    seen.push(at("chosen").textContent);
    press("ArrowDown");
    seen.push(at("chosen").textContent);
    seen.push(boxOf(4711).colour !== boxOf(4712).colour);
    seen.push(boxOf(4712).colour === streamState.boxes.find(b => b.isRunning).colour);
    test.tell(seen);)js");
  CHECK(
    told[0]
    == "Task 4\u202F711 (job), flow gold, worker 0: waited 250 ms, ran 1 s, "
       "completed. Enter or a click: details");
  CHECK(told[1]
        == "Task 4\u202F712, flow silver, worker 0: waited 3 ms, ran 1 s, not "
           "completed. Enter or a click: details");
  CHECK(
    told[2]
    == "Task 4\u202F700 (job), flow silver, worker 1: waited 20 ms, running "
       "for 42 s, stuck. Enter or a click: details");
  CHECK(told[3] == true);
  CHECK(told[4] == true);
}

TEST_CASE(
  "the viewer chooses whether tasks have the colour of their flow or of "
  "their kind, and the address keeps the choice beside the pool") {
  auto told = told_by(tasks + R"js(
    const seen = [];
    const colours = () => [boxOf(4711), boxOf(4712), streamState.boxes.find(b => b.isRunning)].map(b => b.colour);
    const look = () => seen.push([colours(), at("colours").value, location.hash,
      [...at("stream-legend").children].map(li => li.textContent.trim())]);
    const pick = async (id, value) => {
      at(id).value = value;
      const changed = new Promise(resolve => addEventListener("hashchange", resolve, {once: true}));
      at(id).dispatchEvent(new Event("change"));
      await changed;
      look();
    };
    (async () => {
      look();
      await pick("colours", "kind");
      await pick("pool", "pool");
      await pick("colours", "flow");
      test.tell(seen);
    })();)js");
  auto check = [&](const json& look, bool by_kind, const std::string& address) {
    const auto& [one, two, running] = look[0].get<std::tuple<int, int, int>>();
    CHECK((one == running) == by_kind); // both are jobs
    CHECK((two == running) != by_kind); // both are of flow silver
    CHECK(look[1] == (by_kind ? "kind" : "flow"));
    CHECK(look[2] == address);
    auto shown = look[3].get<std::set<std::string>>();
    auto names = by_kind ? std::set<std::string>{"job", "unknown kind"}
                         : std::set<std::string>{"gold", "silver"};
    names.insert({"still running", "not completed"});
    CHECK(shown == names);
  };
  REQUIRE(told.size() == 4);
  check(told[0], false, "");
  check(told[1], true, "#&kind");
  check(told[2], true, "#pool&kind");
  check(told[3], false, "#pool");
}

TEST_CASE(
  "a task that is chosen in the stream stays chosen when it has ended") {
  auto told = told_by(tasks + R"js(
    press("ArrowLeft");
    const seen = [streamState.chosen.isRunning];
    members[1].running_for_s = members[1].task = null;
    const ended = {flows: ["silver"], kinds: ["job"], ended: 1, spans: [[1, 0, now - 42e3, now + 400, 1, 4700, 20, 0]]};
    test.send([test.pool({members, all_members: 2, window})], [test.recent({runs: ended})], now + 500);
    seen.push(streamState.chosen.span.task);
    test.tell(seen);)js");
  CHECK(told == json{true, 4700});
}

TEST_CASE("a click or Enter on a task in the stream opens its details") {
  auto told = told_by(tasks + R"js(
    const seen = [];
    at_box("click", boxOf(4711));
    seen.push(details());
    at("details").close();
    press("ArrowRight");
    press("Enter");
    seen.push(details().slice(0, 4));
    test.tell(seen);)js");
  CHECK(told[0]
        == json{true, "Task 4\u202F711", "completed", "job", "gold",
                "0 (squarer)", "250 ms",
                "1 s (in the last 10 s: p50 5 ms, p99 7 ms)"});
  CHECK(told[1] == json{true, "Task 4\u202F712", "not completed", "unknown"});
}

TEST_CASE("a stuck task opens its details from the table, from the figure and "
          "from the sentence about it, and the details follow it") {
  auto told = told_by(tasks + R"js(
    const seen = [];
    for (const button of [at("workers").querySelector("td.bad button"),
                          at("figure-longest").querySelector("button"),
                          document.querySelector("#problems button:not([hidden])")]) {
      button.click();
      seen.push(details());
      at("details").close();
    }
    openWorker(1);
    members[1].running_for_s = null;
    members[1].task = null;
    const ended = {flows: ["silver"], kinds: ["job"], ended: 1, spans: [[1, 0, now - 42e3, now + 400, 1, 4700, 20, 0]]};
    test.send([test.pool({members, all_members: 2, window})], [test.recent({runs: ended})], now + 500);
    seen.push(details().slice(0, 4));
    test.tell(seen);)js");
  const std::string state =
    "still running, stuck: longer than nearly all tasks of the pool";
  const json stuck{true,
                   "Task 4\u202F700",
                   state,
                   "job",
                   "silver",
                   "abc",
                   "1 (squarer)",
                   "20 ms",
                   "42 s (in the last 10 s: p50 5 ms, p99 7 ms)"};
  for (auto i : {0U, 1U, 2U})
    CHECK(told[i] == stuck);
  CHECK(told[3] == json{true, "Task 4\u202F700", "completed", "job"});
}

TEST_CASE("a frozen page stays as it is while a viewer points at tasks, and "
          "shows what came meanwhile when it continues") {
  auto told = told_by(tasks + R"js(
    const seen = [];
    const look = () => seen.push([at("figure-waiting").querySelector("span").textContent,
      streamState.boxes.some(b => b.span && b.span.task === 4900)]);
    at("freeze").click();
    const later = {flows: ["gold"], kinds: ["job"], ended: 1, spans: [[0, 0, now, now + 900, 1, 4900, 1, 0]]};
    test.send([test.pool({members, all_members: 2, window, waiting: 33})], [test.recent({runs: later})], now + 1e3);
    at_box("mousemove", boxOf(4711));
    look();
    at("freeze").click();
    look();
    test.tell([...seen, at("chosen").textContent.slice(0, 10)]);)js");
  CHECK(told == json{{"0", false}, {"33", true}, "Task 4\u202F711"});
}

TEST_CASE("the task that keys have chosen stays chosen behind its details") {
  auto told = told_by(tasks + R"js(
    press("ArrowRight");
    press("ArrowUp");
    const chosen = at("chosen").textContent;
    press("Enter");
    stream.dispatchEvent(new FocusEvent("blur"));
    const seen = [chosen !== "", at("chosen").textContent === chosen];
    at("details").close();
    stream.dispatchEvent(new FocusEvent("blur"));
    test.tell([...seen, at("chosen").textContent]);)js");
  CHECK(told == json{true, true, ""});
}

TEST_CASE("the sentence about a slow worker opens the details of the task that "
          "the worker runs, or of its last task") {
  auto told = told_by(tasks + R"js(
    const slow = [{text: "worker 0 takes 100 ms", cure: "one-slow-worker", loses_tasks: false, worker: 0}];
    const seen = [];
    const look = more => {
      at("details").close();
      const all = [test.worker(0, more), test.worker(2)];
      test.send([test.pool({members: all, all_members: 2, window, problems: slow})], [test.recent()], now + 500);
      document.querySelector("#problems button:not([hidden])").click();
      seen.push(details().slice(0, 3));
    };
    look({});
    look({running_for_s: .05, task: {...task, number: 4800}});
    at("details").close();
    openWorker(2);
    seen.push(details());
    test.tell(seen);)js");
  CHECK(told[0] == json{true, "Task 4\u202F712", "not completed"});
  CHECK(told[1] == json{true, "Task 4\u202F800", "still running"});
  CHECK(told[2] == json{true, "Worker 2 runs no task"});
}

} // namespace page_tasks_tests
