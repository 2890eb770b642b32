/// Retries after errors: their times, their budget, and the tokens of rates.

#include "support/dispatcher_world.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>
#include <string>

namespace core_retrying_tests {

using libpool::retry_verdict;
using test::dispatcher_world;
using namespace std::chrono_literals;

namespace {

libpool::limits retries(unsigned times) {
  libpool::limits result;
  result.backoff = libpool::retry_backoff{1ms, 1, 1ms, times};
  return result;
}

libpool::limits within(const libpool::retry_budget& budget) {
  auto result = retries(1000);
  result.budget = budget;
  return result;
}

/// Limits for the pool, and for each flow.
libpool::limits throttled(const libpool::throttle& of_all,
                          const libpool::throttle& of_each_flow = {}) {
  auto result = retries(1000);
  result.throttles.of_all = of_all;
  result.throttles.of_each_flow = of_each_flow;
  return result;
}

libpool::throttle rate(double per_second, bool counts_retries = false) {
  return {{}, libpool::rate{per_second, 1, counts_retries}};
}

struct world : dispatcher_world {
  explicit world(const libpool::limits& limits) : dispatcher_world(limits) {
    // nop
  }

  /// The handler of the task answers with an error.
  retry_verdict answer_error(std::size_t task, libpool::duration wait = {}) {
    auto result = pool.answered_with_error(tasks[task], wait, now, now);
    if (result != retry_verdict::yes)
      pool.finished(tasks[task], libpool::ending::completed, now);
    return result;
  }

  std::string fail(std::size_t task, libpool::duration wait = {}) {
    answer_error(task, wait);
    return decided();
  }

  std::uint64_t refused() const {
    return pool.record().retries_refused;
  }
};

} // namespace

TEST_CASE("each retry that the options permit happens, however many tasks are "
          "retried") {
  world w{retries(2)};
  w.join(100);
  w.submit_all(100);
  for (auto attempt = 1; attempt <= 2; ++attempt) {
    for (std::size_t i = 0; i < 100; ++i)
      CHECK(w.answer_error(i) == retry_verdict::yes);
    w.decided();
    CHECK(w.pool.books().waiting == 100);
    w.at(2 * attempt);
  }
  CHECK(w.answer_error(0) == retry_verdict::no);
  CHECK(w.pool.record().retries == 200);
  CHECK(w.refused() == 0);
}

TEST_CASE("a budget limits the tasks that are retried at the same time to a "
          "share of the tasks at workers, or to a number if that is larger") {
  world w{within({0.25, 2})};
  w.join(16);
  w.submit_all(16);
  auto permitted = 0;
  for (std::size_t i = 0; i < 8; ++i)
    permitted += w.answer_error(i) == retry_verdict::yes ? 1 : 0;
  CHECK(permitted == 3); // a quarter of 13, 12 and 11 tasks is less than 4
  CHECK(w.refused() == 5);
  for (std::size_t i = 8; i < 16; ++i)
    w.finish(i);
  w.at(2); // tasks 0, 1 and 2 are at workers again
  CHECK(w.answer_error(0) == retry_verdict::over_budget); // more than 2
  CHECK(w.answer_error(1) == retry_verdict::yes);
  w.at(4);
  w.finish(1);
  w.finish(2);
  w.submit_all(2);
  CHECK(w.answer_error(16) == retry_verdict::yes);
  CHECK(w.answer_error(17) == retry_verdict::yes);
  CHECK(w.refused() == 6);
}

TEST_CASE("each flow has its own budget if flows are known") {
  auto limits = within({0.1, 1});
  limits.by_flow = true;
  world w{limits};
  w.join(10);
  for (auto i = 0; i < 5; ++i)
    w.submit_of("broken");
  w.submit_of("healthy");
  CHECK(w.answer_error(0) == retry_verdict::yes);
  for (std::size_t i = 1; i < 5; ++i)
    CHECK(w.answer_error(i) == retry_verdict::over_budget);
  CHECK(w.answer_error(5) == retry_verdict::yes);
}

TEST_CASE("a retry takes no token, and does not wait for one") {
  SUBCASE("of its flow") {
    world w{throttled({}, rate(10))};
    w.does("join 3");
    CHECK(w.submit_of("a") == "send 0 to 0");
    CHECK(w.submit_of("a") == ""); // waits for the next token
    CHECK(w.fail(0, 1ms) == "");
    CHECK(w.at(1) == "send 0 to 0");
    CHECK(w.fail(0, 9ms) == "");
    CHECK(w.at(10) == "send 0 to 0");
    CHECK(w.at(99) == "");
    CHECK(w.at(100) == "send 1 to 0");
  }
  SUBCASE("of the pool, if it is the next task") {
    world w{throttled(rate(10))};
    CHECK(w.does("join 3, submit 2") == "send 0 to 0");
    CHECK(w.fail(0, 1ms) == "");
    CHECK(w.at(1) == "send 0 to 0");
    CHECK(w.at(99) == "");
    CHECK(w.at(100) == "send 1 to 0");
  }
  SUBCASE("unless the rate counts retries") {
    world w{throttled({}, rate(10, true))};
    w.does("join 3");
    CHECK(w.submit_of("a") == "send 0 to 0");
    CHECK(w.submit_of("a") == "");
    CHECK(w.fail(0, 1ms) == "");
    CHECK(w.at(1) == "");
    CHECK(w.at(100) == "send 0 to 0"); // was accepted first
    CHECK(w.at(200) == "send 1 to 0");
  }
}

TEST_CASE("a retry without a token that comes back gives none back") {
  world w{throttled({}, rate(10))};
  w.does("join 3");
  CHECK(w.submit_of("a") == "send 0 to 0");
  CHECK(w.fail(0, 100ms) == "");
  CHECK(w.submit_of("a") == "");
  CHECK(w.at(100) == "send 0 to 0; send 1 to 0");
  w.tasks[0].recalled = true;
  CHECK(w.come_back(0) == "send 0 to 0");
  CHECK(w.does("finish 0") == "end 0: completed");
  CHECK(w.submit_of("a") == "");
  CHECK(w.at(199) == "");
  CHECK(w.at(200) == "send 2 to 0");
}

TEST_CASE("a retry that waits for a place goes before tasks that wait for a "
          "token") {
  world w{throttled({}, {2, libpool::rate{10, 2}})};
  w.does("join 3");
  CHECK(w.submit_of("a") == "send 0 to 0");
  CHECK(w.submit_of("a") == "send 1 to 0");
  CHECK(w.fail(0, 150ms) == "");
  CHECK(w.at(100) == "");
  CHECK(w.submit_of("a") == "send 2 to 0");
  w.add().urgent = true;
  w.tasks.back().flow = libpool::flow_ref{"a"};
  CHECK(w.submit(w.tasks.back()) == ""); // urgent, and waits for a token
  CHECK(w.at(150) == "");                // task 0 waits for a place
  CHECK(w.finish(1) == "end 1: completed; send 0 to 0");
  CHECK(w.finish(2) == "end 2: completed");
  CHECK(w.at(200) == "send 3 to 0");
}

} // namespace core_retrying_tests
