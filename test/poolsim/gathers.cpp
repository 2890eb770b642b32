/// Messages that are handled by several tasks. All numbers are derived by hand;
/// times are in ms.

#include "poolsim/runs.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace poolsim_gathers_tests {

namespace {

using poolsim::fate;
using namespace std::chrono_literals;

poolsim::result simulated(const std::string& gather, const std::string& rest) {
  return test::simulated(R"("policy": "shared_queue", "gather": )" + gather
                         + ", " + rest);
}

/// The outcome of each message, and when it was settled.
std::string answers_of(const poolsim::result& result) {
  std::string all;
  const auto told = nlohmann::json::parse(test::report_of(result));
  for (const auto& each : told.at("messages").at("rows")) {
    all += (all.empty() ? "" : "; ") + each["outcome"].get<std::string>();
    if (!each["finished"].is_null())
      all += " at " + std::to_string(each["finished"].get<int>() / 1'000'000);
  }
  return all;
}

struct simulation {
  std::string fact;
  std::string gather;
  std::string rest;
  std::string story;
  std::string answers;
};

} // namespace

TEST_CASE("messages of gather plans have answers when their tasks suffice") {
  const std::string quorum{"\"quorum\""};
  const std::string everybody{"\"broadcast_all\""};
  const std::string first{R"({"name": "first_success", "asked": 2})"};
  const std::string hedged{R"({"name": "hedged", "after": "3ms",
                               "budget": 100})"};
  const std::string two_workers{R"("workers": [{"count": 2}], "tasks": )"};
  const std::vector<simulation> rows{
    {"a message in parts is answered when its last part has ended",
     R"({"name": "managed_split_join", "parts": 4})",
     two_workers + R"([{"service": "1ms", "count": 2}])",
     "0: 0-1 on 0; 0: 0-1 on 1; 0: 1-2 on 0; 0: 1-2 on 1; 0: 2-3 on 0; 0: 2-3 "
     "on 1; 0: 3-4 on 0; 0: 3-4 on 1",
     "answered at 2; answered at 4"},
    // The second message waits for each worker behind the first one: 1 + 1 and
    // 2 + 2 ms.
    {"with a quorum of two, a message is answered at the second success",
     quorum,
     R"("workers": [{"count": 3}], "tasks": [
       {"service": ["1ms", "2ms", "5ms"], "count": 2, "every": "1ms"}])",
     "0: 0-1 on 0; 0: 0-2 on 1; 0: 0-5 on 2; 1: 1-2 on 0; 1: 2-4 on 1; 1: 5-10 "
     "on 2",
     "answered at 2; answered at 4"},
    // Worker 0 ends the first message at 1 ms, and the second one at 2 ms,
    // which worker 1 has not begun by then.
    {"at the first success, first_success cancels the unstarted tasks", first,
     two_workers + R"([{"service": ["1ms", "5ms"], "count": 2}])",
     "0: 0-1 on 0; 0: 0-5 on 1; 0: 1-2 on 0; 0: -2 cancelled:not_needed",
     "answered at 1; answered at 2"},
    {"hedged sends a message to a second worker after a delay", hedged,
     two_workers + R"([{"service": ["10ms", "1ms"]}])",
     "0: 0-10 on 0; 3: 3-4 on 1", "answered at 4"},
    {"hedged uses no second worker if the first one answers in time", hedged,
     two_workers + R"([{"service": "3ms"}])", "0: 0-3 on 0", "answered at 3"},
    {"broadcast_all waits for the slowest worker", everybody,
     two_workers + R"([{"service": ["1ms", "8ms"]}])",
     "0: 0-1 on 0; 0: 0-8 on 1", "answered at 8"},
    {"broadcast_all waits for its timeout",
     R"({"name": "broadcast_all", "timeout": "5ms"})",
     two_workers + R"([{"service": ["1ms", "8ms"]}])",
     "0: 0-1 on 0; 0: 0-8 on 1", "failed:timeout at 5"},
    {"broadcast_all can be content with what has come by its timeout",
     R"({"name": "broadcast_all", "timeout": "5ms", "join_what_came": true})",
     two_workers + R"([{"service": ["1ms", "8ms"]}])",
     "0: 0-1 on 0; 0: 0-8 on 1", "answered at 5"},
    {"if a worker crashes, a split message fails, and its other parts too",
     R"({"name": "managed_split_join", "parts": 3})",
     R"("workers": [{}, {"crash": "2ms"}], "tasks": [{"service": "5ms"}])",
     "0: 0-5 on 0; 0: 0-2 on 1 failed:worker_crashed; 0: -2 "
     "cancelled:not_needed",
     "failed:too_few_answers at 2"},
    // Workers 0 and 1 are busy until 4 ms when they are asked, since 2 has not
    // joined. Then 1 leaves: its first message runs again on 2, for 4 ms.
    {"if a worker leaves, another worker gets its tasks",
     R"({"name": "quorum", "asked": 2, "needed": 2})",
     R"("workers": [{}, {"leave": "3ms"}, {"join": "2ms"}],
        "tasks": [{"service": "4ms", "count": 2}])",
     "0: 0-4 on 0; 0: -3 cancelled:worker_down; 0: 4-8 on 0; 0: -3 "
     "cancelled:worker_down; 3: 3-7 on 2; 3: 7-11 on 2",
     "answered at 7; answered at 11"},
    {"broadcast_all does not wait for a worker that has left", everybody,
     R"("workers": [{}, {"leave": "2ms"}], "tasks": [{"service": "5ms"}])",
     "0: 0-5 on 0; 0: -2 cancelled:worker_down", "answered at 5"},
    {"a message is refused if there are too few workers", quorum,
     R"("workers": [{}], "tasks": [{"service": "5ms"}])", "",
     "refused:too_few_workers"},
    // Answered after 1 ms each, and thinks 2 ms in between. Worker 1 ends at
    // 5 ms at the earliest, so that worker 0 has all answers.
    {"a client submits its next message after the previous answer", first,
     R"("workers": [{"count": 2}], "clients": [
       {"service": ["1ms", "50ms"], "calls": 3, "think": "2ms"}])",
     "0: 0-1 on 0; 0: 0-50 on 1; 3: 3-4 on 0; 3: -4 cancelled:not_needed; 6: "
     "6-7 on 0; 6: -7 cancelled:not_needed",
     "answered at 1; answered at 4; answered at 7"},
    // The second worker is asked at 3 ms.
    {"a deadline counts from the arrival of the message", hedged,
     two_workers + R"([{"service": "9ms", "deadline": "5ms"}])",
     "0: 0-5 on 0 cancelled:deadline_exceeded; 3: 3-5 on 1 "
     "cancelled:deadline_exceeded",
     "failed:too_few_answers at 5"},
    {"a message can have no answer when the simulation ends", everybody,
     R"("until": "3ms", )" + two_workers + R"([{"service": ["1ms", "8ms"]}])",
     "0: 0-1 on 0; 0: 0- on 1 running", "open"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.fact);
    auto all = simulated(row.gather, row.rest);
    CHECK(test::story_of(all) == row.story);
    CHECK(answers_of(all) == row.answers);
  }
}

TEST_CASE("the budget of the gather plan 'hedged' limits the share of messages "
          "that go to a second worker") {
  // Eight messages at once, of which a quarter may be asked again.
  auto all = simulated(R"({"name": "hedged", "after": "3ms", "budget": 25})",
                       R"("workers": [{"count": 16}],
                          "tasks": [{"service": "9ms", "count": 8}])");
  CHECK(all.messages->asked_again == 2);
  CHECK(all.tasks.size() == 10);
}

TEST_CASE("the report of a simulation with a gather contains the numbers of "
          "messages, and a row for each message") {
  auto all = simulated("\"broadcast_all\"", R"("workers": [{"count": 2}],
    "tasks": [{"service": ["1ms", "8ms"], "flow": "a"}])");
  auto told = [&](poolsim::detail how) {
    std::stringstream text;
    poolsim::write_report(text, all, how);
    return nlohmann::json::parse(text).at("messages");
  };
  auto whole = told(poolsim::detail::tasks);
  CHECK(whole.at("ledger")
        == nlohmann::json{
          {"answered", 1}, {"failed", 0}, {"refused", 0}, {"open", 0}});
  CHECK(whole.at("asked_again") == 0);
  CHECK(whole.at("response").at("mean") == 8'000'000);
  CHECK(whole.at("rows")
        == nlohmann::json::array({{{"id", 0},
                                   {"flow", "a"},
                                   {"submitted", 0},
                                   {"finished", 8'000'000},
                                   {"outcome", "answered"},
                                   {"tasks", {0, 1}}}}));
  auto summary = told(poolsim::detail::summary);
  CHECK(summary.at("ledger") == whole.at("ledger"));
  CHECK(summary.count("rows") == 0);
}

TEST_CASE("the service time is drawn separately for each task of a message") {
  // The first of two exponential times of 1 ms takes half of that on average;
  // each wait is short, since a message comes each 50 ms. The mean of 20 000
  // has a standard error of 0.5 ms / sqrt(20 000) = 3.5 us, of which 5 are
  // allowed.
  auto all = simulated(R"({"name": "first_success", "asked": 2})",
                       R"("workers": [{"count": 2}], "tasks": [
    {"count": 20000, "every": "50ms",
     "service": {"distribution": "exponential", "mean": "1ms"}}])");
  CHECK(all.messages->answered == 20000);
  CHECK(all.messages->response.mean > 482us);
  CHECK(all.messages->response.mean < 518us);
}

TEST_CASE("every message is settled, and no worker handles a message twice "
          "unless the message is split") {
  for (const auto& entry : libpool::gathering_policies())
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      CAPTURE(std::string{entry.name});
      CAPTURE(seed);
      auto all = simulated('"' + std::string{entry.name} + '"',
                           "\"seed\": " + std::to_string(seed) + R"(,
        "on_crash": ")" + (seed % 2 == 0 ? "retry" : "fail")
                             + R"(",
        "workers": [{"count": 3}, {"crash": "20ms"}, {"leave": "30ms"},
                    {"crash": "41ms"}, {"join": "15ms", "leave": "47ms"},
                    {"join": "22ms"}],
        "tasks": [{"count": 60,
          "every": {"distribution": "exponential", "mean": "1ms"},
          "service": {"distribution": "lognormal", "mean": "3ms", "sigma": 1},
          "deadline": "60ms"}])");
      const auto& messages = *all.messages;
      CHECK(messages.open == 0);
      CHECK(messages.refused == 0);
      CHECK(messages.answered + messages.failed == 60);
      CHECK(all.books.balances());
      CHECK(all.books.open() == 0);
      for (const auto& each : messages.rows) {
        std::multiset<std::uint32_t> ran_on;
        for (auto task : each.tasks)
          if (all.tasks[task].is == fate::completed)
            ran_on.insert(all.tasks[task].worker);
        auto is_split = entry.name == "managed_split_join";
        for (auto worker : ran_on)
          CHECK((is_split || ran_on.count(worker) == 1));
      }
    }
}

} // namespace poolsim_gathers_tests
