/// Messages that are handled by several tasks, beyond stories.txt.

#include "libpool/simulator/simulator.hpp"
#include "poolsim/runs.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
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

/// Asks one worker after the other until one succeeds.
class in_turn final : public libpool::gather_plan {
public:
  std::unique_ptr<libpool::gather_plan> clone() const override {
    return std::make_unique<in_turn>();
  }

  std::unique_ptr<libpool::gather_votes> make_votes() const override {
    return std::make_unique<votes>();
  }

  libpool::scatter asks() const noexcept override {
    libpool::scatter result;
    result.asks_more = true;
    return result;
  }

private:
  class votes final : public libpool::gather_votes {
  public:
    void began(std::size_t, libpool::instant) noexcept override {
      says_ = libpool::verdict::wait();
    }

    void asked_another(libpool::instant) noexcept override {
      says_ = libpool::verdict::wait();
    }

    void found_nobody(libpool::instant) noexcept override {
      says_ = libpool::verdict::too_few(1);
    }

    void succeeded(std::size_t, libpool::instant) noexcept override {
      says_ = libpool::verdict::answer();
    }

    void failed(std::size_t, libpool::instant) noexcept override {
      says_ = libpool::verdict::ask(1);
    }

    libpool::verdict decide() const noexcept override {
      return says_;
    }

  private:
    libpool::verdict says_;
  };
};

} // namespace

TEST_CASE(
  "no further worker is asked for a message that a user has cancelled") {
  const std::string scenario = R"({"policy": "shared_queue",
    "workers": [{"count": 3}],
    "tasks": [{"service": "10ms", "errors": {"busy": 1}}])";
  auto all = libpool::simulate(scenario + "}", in_turn{});
  CHECK(all.tasks.size() == 3);
  CHECK(all.messages.at(0).finished == 30ms);
  all = libpool::simulate(
    scenario + R"(, "events": [{"do": "cancel", "at": "15ms"}]})", in_turn{});
  CHECK(all.tasks.size() == 2);
  CHECK(all.messages.at(0).state == libpool::simulated_answer::failed);
  CHECK(all.messages.at(0).finished == 15ms);
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

TEST_CASE("the delay of the gather plan 'hedged' begins again if the worker of "
          "a message leaves") {
  auto all = simulated(R"({"name": "hedged", "after": "3ms", "budget": 100})",
                       R"("workers": [{"leave": "2ms"}, {"count": 2}],
                          "tasks": [{"service": "4ms"}])");
  REQUIRE(all.tasks.size() == 2);
  CHECK(all.tasks[0].started == 2ms);
  CHECK(all.tasks[1].submitted == 5ms);
  CHECK(all.messages->rows.at(0).finished == 6ms);
}

TEST_CASE("a message asks a paused worker if other workers are too few") {
  auto all = simulated(R"({"name": "quorum", "asked": 2, "needed": 2})",
                       R"("workers": [{"count": 2}],
                          "tasks": [{"at": "1ms", "service": "3ms"}],
                          "events": [{"do": "pause", "at": 0, "worker": 0},
                                     {"do": "resume", "at": "5ms",
                                      "worker": 0}])");
  CHECK(all.messages->refused == 0);
  CHECK(all.messages->rows.at(0).finished == 8ms);
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
