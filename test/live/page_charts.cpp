/// Figures, charts, pipelines and sizes of the page.

#include "told_by.hpp"

#include <doctest/doctest.h>

#include <string>

using nlohmann::json;
using test::told_by;

namespace page_charts_tests {

TEST_CASE("figures are in groups, and figures of problems are marked, not by "
          "colour alone") {
  auto told = told_by(R"js(
    const seen = () => Object.fromEntries(["work", "workers", "trouble"].map(group =>
      [group, [...document.querySelectorAll(`#group-${group} dd`)].map(dd =>
        dd.id.slice(7) + dd.firstChild.textContent)]));
    test.send([test.pool()], [test.recent()]);
    const good = seen();
    const members = [test.worker(0, {running_for_s: 40, is_stuck: true})];
    const window = {...test.pool().window, failed_per_s: 5, refused_per_s: 2, crashed: 1};
    test.send([test.pool({members, all_members: 1, window, overdue: 1, is_paused: true, stand_ins: 1,
      waiting: 7, oldest_waiting_s: 2,
      problems: [{text: "all is slow", cure: "too-few-workers", loses_tasks: false, worker: null}]})],
      [test.recent()]);
    test.tell([good, seen(), at("figure-workers").textContent,
      getComputedStyle(at("figure-failed").parentNode).borderLeftColor
        !== getComputedStyle(at("figure-cancelled").parentNode).borderLeftColor]);)js");
  CHECK(told[0]
        == json{
          {"work",
           {"arrived", "completed", "waiting", "running", "oldest", "longest"}},
          {"workers", {"workers", "left"}},
          {"trouble",
           {"failed", "errors", "refused", "cancelled", "crashed", "overdue",
            "retries"}}});
  CHECK(told[1]
        == json{{"work",
                 {"arrived", "completed", "waiting!", "running", "oldest!",
                  "longest!"}},
                {"workers", {"workers", "left"}},
                {"trouble",
                 {"failed!", "errors", "refused!", "cancelled", "crashed!",
                  "overdue!", "retries"}}});
  CHECK(told[2] == "4paused, 0 idle, 4 busy, 1 stand-in");
  CHECK(told[3] == true);
}

TEST_CASE("each chart says whether it shows now or a mean of ten seconds") {
  auto told = told_by(R"js(
    test.tell([...document.querySelectorAll(".charts h2 small, #group-work h2 small")]
      .map(small => small.textContent));)js");
  REQUIRE(told.size() == 5);
  for (const auto& each : told) {
    auto text = each.get<std::string>();
    CAPTURE(text);
    CHECK((text.find("now") != std::string::npos
           || text.find("10 s") != std::string::npos));
  }
}

TEST_CASE(
  "the figures of waiting tasks are marked if tasks wait behind a slow "
  "worker or behind stuck workers, and the worker is marked in the table "
  "of workers") {
  auto told = told_by(R"js(
    const marked = () => [...document.querySelectorAll("#figures div.bad dd")].map(dd => dd.id.slice(7));
    const numbers = () => [...at("workers").querySelectorAll("td.bad:first-child")].map(td => td.textContent);
    const problem = {text: "worker 1 takes 100 ms", cure: "one-slow-worker", loses_tasks: false, worker: 1};
    const seen = [];
    const look = (members, more) => {
      test.send([test.pool({members, all_members: 2, ...more})], [test.recent()]);
      seen.push([marked(), numbers()]);
    };
    const members = [test.worker(0), test.worker(1)];
    look(members, {problems: [problem]});
    look(members, {problems: [problem], assigned: 9, oldest_waiting_s: .5});
    look(members, {problems: [problem], assigned: 9, oldest_waiting_s: 70});
    const window = {...test.pool().window, completed_per_s: 0};
    const stuck = members.map(m => ({...m, running_for_s: 60, is_stuck: true}));
    look(stuck, {waiting: 5, oldest_waiting_s: 60});
    look(stuck, {waiting: 5, oldest_waiting_s: 60, window});
    test.tell(seen);)js");
  const json all{"0", "1"};
  CHECK(told[0] == json{json::array(), {"1"}});
  CHECK(told[1] == json{{"waiting"}, {"1"}});
  CHECK(told[2] == json{{"waiting", "oldest"}, {"1"}});
  CHECK(told[3] == json{{"longest"}, all});
  CHECK(told[4] == json{{"completed", "waiting", "oldest", "longest"}, all});
}

TEST_CASE("failed and refused tasks of workers and flows are marked only while "
          "tasks of the pool fail or are refused") {
  auto told = told_by(R"js(
    const marks = () => ["workers", "flows"].map(id => at(id).querySelectorAll("td.bad").length);
    const flow = {name: "gold", waiting: 0, running: 0, share: 1, seat_s: 1, lag_ms: 0, served: 9,
      refused: 3, mean_wait_ms: 1, waiting_for_s: null};
    const pool = {members: [test.worker(0, {failed: 2})], all_members: 1, flows: [flow], failed: 2, refused: 3};
    const seen = [];
    for (const rate of [0, 1]) {
      const window = {...test.pool().window, failed_per_s: rate, refused_per_s: rate};
      test.send([test.pool({...pool, window})], [test.recent()]);
      seen.push(marks());
    }
    test.tell(seen);)js");
  CHECK(told == json{{0, 0}, {1, 1}});
}

TEST_CASE("the chart of waiting tasks names flows only if the pool has flows, "
          "and keeps tasks apart that are in no flow listed") {
  auto told = told_by(R"js(
    const flow = {name: "gold", waiting: 4, running: 0, share: 1, seat_s: 1, lag_ms: 0, served: 9,
      refused: 0, mean_wait_ms: 1, waiting_for_s: null};
    const legend = () => [at("waiting-note").textContent,
      ...[...at("waiting-legend").children].map(li => li.textContent)];
    test.send([test.pool({waiting: 3})], [test.recent({waiting: [["", 3]], waiting_others: 0})]);
    const seen = [legend()];
    test.send([test.pool({name: "fair", waiting: 6, flows: [flow]})],
      [test.recent({name: "fair", waiting: [["gold", 4]], waiting_others: 2})]);
    test.tell([...seen, legend()]);)js");
  CHECK(told[0] == json{"now", "waiting 3"});
  CHECK(told[1]
        == json{"now, by flow", "gold 4", "retrying, or other flows 2"});
}

TEST_CASE(
  "the chart of waiting tasks names clients of a pool without flows, and "
  "tasks that waited without viewers are of unknown clients") {
  auto told = told_by(R"js(
    const pool = test.pool({waiting: 9, flows_are_clients: true});
    test.send([pool], [test.recent({waiting: [["", 5]], waiting_others: 0})]);
    test.send([pool], [test.recent({waiting: [["actor 12", 7], ["", 1]], waiting_others: 1})]);
    test.tell([at("waiting-note").textContent,
      ...[...at("waiting-legend").children].map(li => li.textContent)]);)js");
  CHECK(told
        == json{"now, by client", "actor 12 7", "no client 1",
                "retrying, or unknown clients 1"});
}

/// Has the server send points of the last seconds. The values of times are from
/// `low` to `high`.
std::string points(int seconds, const std::string& low,
                   const std::string& high) {
  return R"js(
    for (let i = 0; i <= 2 * )js"
         + std::to_string(seconds) + R"js(; ++i) {
      const at_ms = 1e6 + 500 * i, value = i % 2 ? )js"
         + low + " : " + high + R"js(;
      const times = {p50: value, p95: value, p99: value};
      test.send([test.pool()], [test.recent({waiting: [["a", 7]], wait_ms: times,
        service_ms: times, oldest_waiting_ms: value, longest_running_ms: value,
        failed_per_s: 299, refused_per_s: 298})], at_ms);
    })js";
}

TEST_CASE("the axes of charts fit the data") {
  auto told = told_by(points(10, "5.5", "8.5") + R"js(
    const texts = id => [...at(id).querySelectorAll("text:not(.end)")].map(t => t.textContent);
    test.tell([texts("wait-chart"), texts("waiting-chart")]);)js");
  CHECK(told[0]
        == json{"5 ms", "10 ms", "−12 s", "−9 s", "−6 s", "−3 s", "now"});
  CHECK(told[1] == json{"0", "4", "8", "−12 s", "−9 s", "−6 s", "−3 s", "now"});
  told = told_by(points(60, ".2", "90000") + R"js(
    test.tell([...at("wait-chart").querySelectorAll("text:not(.end)")]
      .map(t => t.textContent));)js");
  CHECK(told.front() == "1 ms");
  CHECK(told[told.size() - 5] == "−60 s");
  told = told_by(points(10, "70000", "250000") + R"js(
    test.tell([...at("wait-chart").querySelectorAll("text")].map(t => t.textContent));)js");
  CHECK(told
        == json{"60 s", "2 min", "5 min", "−12 s", "−9 s", "−6 s", "−3 s",
                "now", "4.2 min"}); // one text for four curves
}

TEST_CASE("labels of charts do not overlap") {
  const std::string overlaps = R"js(
    const clash = [];
    for (const svg of document.querySelectorAll("svg.chart")) {
      const boxes = [...svg.querySelectorAll("text")].map(t =>
        [t.getBoundingClientRect(), t.textContent]);
      boxes.forEach(([a, x], i) => boxes.slice(i + 1).forEach(([b, y]) => {
        const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
        const high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
        if (wide > 1 && high > 4) clash.push([svg.id, x, y, wide, high]);
      }));
    }
    test.tell(clash);)js";
  for (auto width : {1000, 390})
    for (const auto& data :
         {points(10, "5.5", "8.5"), points(60, ".0002", "3600000"),
          points(40, "1", "1"), points(1, "1000", "50000")}) {
      CAPTURE(width);
      CHECK(told_by(data + overlaps, width) == json::array());
    }
}

TEST_CASE("a pipeline shows rate, times and workers of each stage, and names "
          "the slowest stage") {
  auto told = told_by(R"js(
    const stage = (name, more) => ({name, held: 2, credit: 4, answered: 900, failed: 0,
      is_full: false, is_slowest: false, completed_per_s: 45, time_ms: 12, workers: 1,
      busy: null, busy_share: null, wait_ms: test.percentiles, ...more});
    const line = {name: "files", problems: [], accepted: 9, refused: 0, completed: 7,
      failed: 0, cancelled: 0, in_line: 2, waiting: 3, slowest: "parse", stages: [
      stage("read"), stage("parse", {is_slowest: true, is_full: true, workers: 8, busy: 7,
        busy_share: .98, wait_ms: {p50: 1, p95: 3, p99: 4}, failed: 2})]};
    test.send([test.pool()], [test.recent()], undefined, {pipelines: [line]});
    test.tell([document.querySelector("#pipelines h2").textContent,
               ...[...document.querySelectorAll(".stage")].map(box =>
                 [box.className, ...[...box.children].map(x => x.textContent)])]);)js");
  CHECK(told[0].get<std::string>().find("the slowest stage is parse")
        != std::string::npos);
  CHECK(told[1]
        == json{"stage", "read 2/4 ", "45/s, 12 ms in the stage", "1 worker",
                "900 completed"});
  CHECK(told[2]
        == json{"stage full slowest", "parse 2/4 full, slowest",
                "45/s, 12 ms in the stage", "7 of 8 workers busy, 98 % of 10 s",
                "waits: p95 3 ms", "900 completed, 2 failed"});
}

TEST_CASE(
  "on a phone nothing is wider than the window, and neither the state of "
  "the connection nor a table is cut") {
  const auto* script = R"js(
    const members = [test.worker(0, {name: "worker_with_a_name_of_some_length"})];
    const name = "a pool with a name that is longer than the window of a phone is wide";
    test.send([test.pool({name, members, all_members: 1})], [test.recent({name})]);
    at("connection").textContent = "not connected, trying again";
    const parts = [...document.querySelectorAll("#connection, .scroll, #workers td")];
    test.tell([document.scrollingElement.scrollWidth <= innerWidth,
      parts.filter(x => x.scrollWidth > x.clientWidth).map(x => x.id || x.dataset.name),
      at("workers-note").textContent]);)js";
  const auto told = json{true, json::array(),
                         "busy: of 10 s; from completed on: since the start"};
  for (auto width : {390, 1600}) {
    CAPTURE(width);
    CHECK(told_by(script, width) == told);
  }
}

} // namespace page_charts_tests
