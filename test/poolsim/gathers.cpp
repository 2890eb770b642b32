/// Messages that are handled by several tasks. All numbers are derived by hand;
/// times are in ms.

#include "poolsim/reading.hpp"
#include "poolsim/report.hpp"
#include "poolsim/simulation.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <cstdint>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace {

using libpool::errc;
using poolsim::fate;
using poolsim::message_fate;
using poolsim::result;
using namespace std::chrono_literals;

result simulated(const std::string& gather, const std::string& rest) {
  return poolsim::simulate(poolsim::read_scenario(
    R"({"policy": "shared_queue", "gather": )" + gather + ", " + rest + "}"));
}

/// -1: not yet.
std::vector<double> ends(const result& result) {
  std::vector<double> all;
  for (const auto& each : result.messages->rows)
    all.push_back(each.finished == poolsim::not_yet
                    ? -1
                    : static_cast<double>(each.finished.count()) / 1e6);
  return all;
}

std::vector<fate> fates(const result& result) {
  std::vector<fate> all;
  for (const auto& each : result.tasks)
    all.push_back(each.is);
  return all;
}

using numbers = std::vector<double>;
using fate_list = std::vector<fate>;

} // namespace

TEST_CASE("a message that is split into parts is answered when its last part "
          "has ended") {
  // Four parts of 1 ms on two workers.
  auto all = simulated(R"({"name": "managed_split_join", "parts": 4})",
                       R"("workers": [{"count": 2}],
                          "tasks": [{"service": "1ms", "count": 2}])");
  CHECK(ends(all) == numbers{2, 4});
  CHECK(all.tasks.size() == 8);
  CHECK(all.messages->answered == 2);
  CHECK(all.messages->response.mean == 3ms);
}

TEST_CASE("with a quorum of two, a message is answered at the second success, "
          "and all workers finish their tasks") {
  // The second message waits for each worker behind the first one: 1 + 1 and
  // 2 + 2 ms.
  auto all = simulated("\"quorum\"", R"("workers": [{"count": 3}], "tasks": [
    {"service": ["1ms", "2ms", "5ms"], "count": 2, "every": "1ms"}])");
  CHECK(ends(all) == numbers{2, 4});
  CHECK(all.books.completed == 6);
  CHECK(all.now == 10ms);
}

TEST_CASE("at the first success for a message, the gather plan first_success "
          "cancels the unstarted tasks of the message") {
  // Both workers are asked twice. Worker 0 ends the first message at 1 ms, and
  // the second one at 2 ms, which worker 1 has not begun by then.
  auto all = simulated("{\"name\": \"first_success\", \"asked\": 2}",
                       R"("workers": [{"count": 2}], "tasks": [
                          {"service": ["1ms", "5ms"], "count": 2}])");
  CHECK(ends(all) == numbers{1, 2});
  CHECK(fates(all)
        == fate_list{fate::completed, fate::completed, fate::completed,
                     fate::cancelled});
  CHECK(all.tasks[3].why == errc::not_needed);
  CHECK(all.now == 5ms);
}

TEST_CASE("the gather plan 'hedged' sends a message to a second worker if "
          "there is no answer after a delay") {
  // Worker 0 begins at 0 ms, worker 1 at 3 ms, and has it after 1 ms.
  auto all = simulated(R"({"name": "hedged", "after": "3ms", "budget": 100})",
                       R"("workers": [{"count": 2}],
                 "tasks": [{"service": ["10ms", "1ms"]}])");
  CHECK(ends(all) == numbers{4});
  CHECK(all.messages->asked_again == 1);
  CHECK(all.tasks[1].started == 3ms);
  CHECK(all.messages->rows[0].tasks == std::vector<std::size_t>{0, 1});
}

TEST_CASE(
  "hedged does not use a second worker if the first worker answers in time") {
  auto all = simulated(R"({"name": "hedged", "after": "3ms", "budget": 100})",
                       R"("workers": [{"count": 2}],
                          "tasks": [{"service": "3ms"}])");
  CHECK(ends(all) == numbers{3});
  CHECK(all.messages->asked_again == 0);
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

TEST_CASE("the gather plan broadcast_all waits for the slowest worker, or "
          "until its timeout") {
  auto service = std::string{R"("workers": [{"count": 2}],
    "tasks": [{"service": ["1ms", "8ms"]}])"};
  CHECK(ends(simulated("\"broadcast_all\"", service)) == numbers{8});
  auto late = simulated(R"({"name": "broadcast_all", "timeout": "5ms"})",
                        service);
  CHECK(ends(late) == numbers{5});
  CHECK(late.messages->rows[0].why == errc::timeout);
  auto lenient = simulated(
    R"({"name": "broadcast_all", "timeout": "5ms", "join_what_came": true})",
    service);
  CHECK(ends(lenient) == numbers{5});
  CHECK(lenient.messages->answered == 1);
}

TEST_CASE("if the worker of one part crashes, a split message fails, and its "
          "unstarted parts are cancelled") {
  auto all = simulated(R"({"name": "managed_split_join", "parts": 3})",
                       R"("workers": [{}, {"crash": "2ms"}],
                          "tasks": [{"service": "5ms"}])");
  CHECK(ends(all) == numbers{2});
  CHECK(all.messages->failed == 1);
  CHECK(fates(all)
        == fate_list{fate::completed, fate::failed, fate::cancelled});
}

TEST_CASE("if a worker leaves before it has started its task of a message, "
          "another worker gets the task") {
  // Workers 0 and 1 are busy until 4 ms when they are asked, since 2 has not
  // joined. Then 1 leaves, and 2 begins in its place at 3 ms.
  auto all = simulated(R"({"name": "quorum", "asked": 2, "needed": 2})",
                       R"("workers": [{}, {"leave": "3ms"}, {"join": "2ms"}],
       "tasks": [{"service": "4ms", "count": 2}])");
  // The first message was begun by 0 and 1: it runs again on 2, for 4 ms.
  CHECK(ends(all) == numbers{7, 11});
  CHECK(all.messages->answered == 2);
}

TEST_CASE(
  "the gather plan broadcast_all does not wait for a worker that has left") {
  auto all = simulated("\"broadcast_all\"",
                       R"("workers": [{}, {"leave": "2ms"}],
                          "tasks": [{"service": "5ms"}])");
  CHECK(ends(all) == numbers{5});
  CHECK(all.messages->answered == 1);
}

TEST_CASE("a message is refused if there are not enough workers for the "
          "required answers") {
  auto all = simulated("\"quorum\"", R"("workers": [{}],
    "tasks": [{"service": "5ms"}])");
  CHECK(all.messages->refused == 1);
  CHECK(all.messages->rows[0].why == errc::too_few_workers);
  CHECK(all.tasks.empty());
}

TEST_CASE("a simulated client submits its next message after its previous "
          "message was answered") {
  // Answered after 1 ms each, and thinks 2 ms in between. Worker 1 ends at 5 ms
  // at the earliest, so that worker 0 has all answers.
  auto all = simulated(R"({"name": "first_success", "asked": 2})",
                       R"("workers": [{"count": 2}], "clients": [
      {"service": ["1ms", "50ms"], "calls": 3, "think": "2ms"}])");
  CHECK(ends(all) == numbers{1, 4, 7});
}

TEST_CASE("a deadline counts from the arrival of the message") {
  // The second worker is asked at 3 ms, and both run out of time at 5 ms.
  auto all = simulated(R"({"name": "hedged", "after": "3ms", "budget": 100})",
                       R"("workers": [{"count": 2}],
                 "tasks": [{"service": "9ms", "deadline": "5ms"}])");
  CHECK(ends(all) == numbers{5});
  CHECK(all.messages->failed == 1);
  CHECK(all.tasks[1].finished == 5ms);
}

TEST_CASE("messages that have no answer when the simulation ends are reported "
          "as open") {
  auto all = simulated("\"broadcast_all\"", R"("until": "3ms",
    "workers": [{"count": 2}], "tasks": [{"service": ["1ms", "8ms"]}])");
  CHECK(ends(all) == numbers{-1});
  CHECK(all.messages->open == 1);
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
