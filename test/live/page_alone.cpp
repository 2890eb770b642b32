/// The page in a browser, with a server that is made up.

#include "told_by.hpp"

#include <doctest/doctest.h>

#include <string>

using nlohmann::json;
using test::told_by;

namespace page_alone_tests {

TEST_CASE("in the picture of recent tasks, the lane of a worker is filled in "
          "proportion to the busy time of the worker") {
  const auto* script = R"(
    const spans = [], now = 1e6;
    let n = 0;
    const add = (worker, every, length) => {
      for (let t = now - 12e3; t + length <= now; t += every)
        spans.push([worker, 0, t, t + length, 1, ++n, 0, 0]);
    };
    add(0, 20, 5);     // tiny, 25 % of the time
    add(1, 100, 100);  // all the time
    add(2, 1000, 300); // large
    add(3, 2, .02);    // far below a pixel
    spans.push([4, 0, now - 11e3, now - 7500, 0, ++n, 0, 0]); // fails
    const flows = [""], members = [0, 1, 2, 3, 4].map(i => test.worker(i));
    members[4].running_for_s = 2.5;
    const shares = [];
    for (let t = now - 12e3; t < now; t += 500)
      shares.push([5, 0, t, 500, .125, 0, 10, 0]);
    members.push(test.worker(5));
    test.send([test.pool({members, all_members: 6})],
              [test.recent({runs: {spans, shares, flows, kinds: [""], ended: spans.length}})], now);
    test.tell(members.map(m => test.filled(m.number, 10e3)));)";
  for (auto width : {1000, 390}) {
    CAPTURE(width);
    const auto filled = told_by(script, width);
    const auto busy = {.25, 1.0, .3, .01, .5, .125};
    REQUIRE(filled.size() == busy.size());
    auto lane = filled.begin();
    for (auto share : busy)
      CHECK((lane++)->get<double>() == doctest::Approx(share).epsilon(0.03));
  }
}

TEST_CASE("the page states how long no data have arrived, and dims old "
          "data, which stay readable") {
  SUBCASE("if no data come over an open connection") {
    auto told = told_by(R"(
      test.send([test.pool()], [test.recent()]);
      const before = test.banner();
      setTimeout(() => {
        const silent = {...test.banner(), contrast: test.contrast()};
        test.send([test.pool()], [test.recent()]);
        test.tell([before, silent, test.banner()]);
      }, 7000);)");
    CHECK(told[0]["text"] == "No problem found.");
    CHECK(told[0]["look"] == "good");
    CHECK(told[0]["isDimmed"] == false);
    auto text = told[1]["text"].get<std::string>();
    CHECK(text.find("No data for ") == 0);
    CHECK(text.find(" s, since ") != std::string::npos);
    CHECK(told[1]["look"] == "bad");
    CHECK(told[1]["isDimmed"] == true);
    CHECK(told[1]["contrast"] >= 4.5);
    CHECK(told[2] == told[0]);
  }
  SUBCASE("if the connection breaks") {
    auto told = told_by(R"(
      test.send([test.pool()], [test.recent()]);
      test.breakOff();
      test.tell(test.banner());)");
    CHECK(told["text"].get<std::string>().find("No data for ") == 0);
    CHECK(told["look"] == "bad");
    CHECK(told["isDimmed"] == true);
  }
  SUBCASE("if no data have ever come") {
    auto told = told_by("setTimeout(() => test.tell(test.banner()), 7000);");
    CHECK(
      told["text"].get<std::string>().find("No data since this page was opened")
      == 0);
    CHECK(told["look"] == "bad");
  }
}

TEST_CASE(
  "the page shows the problems, rates and ages that the server sends, by "
  "no bounds of its own") {
  auto told = told_by(R"(
    const seen = [];
    test.send([], []);
    seen.push(test.banner());
    const members = [test.worker(0, {running_for_s: 99}),
                     test.worker(1, {running_for_s: 2, is_stuck: true})];
    const pool = test.pool({members, all_members: 2, refused: 20,
      problems: [{text: "all is slow", cure: "a-hot-key", loses_tasks: false}]});
    for (let i = 0; i < 20; ++i)
      test.send([pool], [test.recent({oldest_waiting_ms: 1e3 + 500 * i,
                                      longest_running_ms: 2e3 + 500 * i})]);
    seen.push(test.banner());
    for (const kind of ["wait", "service"])
      seen.push([at(kind + "-legend").textContent,
                 at(kind + "-chart").querySelectorAll("path.curve").length]);
    seen.push([at("figure-arrived").textContent,
               at("figure-completed").textContent,
               at("rates-legend").textContent.slice(0, 24),
               at("figure-left").parentNode.firstChild.textContent]);
    seen.push([...at("workers").tBodies[0].rows]
      .map(row => row.cells[2].classList.contains("bad")));
    seen.push([false, true].map(is_full =>
      stageBox({name: "s", held: 2, credit: 2, answered: 0, failed: 0, workers: 1,
                busy: null, is_full}).className));
    test.tell(seen);)");
  CHECK(told[0]["text"].get<std::string>().find("No pools to show") == 0);
  CHECK(told[0]["look"] == "");
  CHECK(told[1]["text"] == "All is slow.");
  CHECK(told[1]["cure"] == "/guide#a-hot-key");
  CHECK(told[1]["look"] == "bad");
  CHECK(told[2] == json{"p50 –p95 –p99 –oldest waiting 11 s", 1});
  CHECK(told[3] == json{"p50 –p95 –p99 –longest running 12 s", 1});
  CHECK(told[4]
        == json{"300/s120 in total", "195/s100 in total",
                "arrived 300completed 195", "workers that left"});
  CHECK(told[5] == json{false, true});
  CHECK(told[6] == json{"stage", "stage full"});
}

} // namespace page_alone_tests

TEST_CASE("the page shows the share of tasks that were answered with errors, "
          "and the most frequent error, if the pool sees answers") {
  auto told = told_by(R"js(
    const figure = () => ["span", "small"].map(of => at("figure-errors").querySelector(of).textContent);
    const window = {...test.pool().window, completed_per_s: 50, error_answers_per_s: 39,
      answered_errors: [{error: "request_timeout", flow: "acme", kind: "", count: 390}]};
    const problems = [{text: "x", cure: "error-answers", worker: null}];
    const rates = () => [...at("rates-legend").children].map(li => li.textContent);
    const seen = [];
    for (const sees_answers of [true, false]) {
      test.send([test.pool({window, problems, sees_answers, error_answers: sees_answers ? 4711 : null})],
                [test.recent({error_answers_per_s: sees_answers ? 39 : null})]);
      seen.push([...figure(), rates().some(text => text.startsWith("error answers")),
                 at("figure-errors").parentNode.className]);
    }
    test.tell(seen);)js");
  CHECK(told[0]
        == json{"78 %", "4\u202F711 in total, mostly request_timeout", true,
                "bad"});
  CHECK(told[1][0] == "–");
  CHECK(told[1][1] == "this pool does not see answers");
  CHECK(told[1][2] == false);
}
