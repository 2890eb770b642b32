/// Which tasks are tried again, and when.

#include "libpool/core/task_retries.hpp"

#include <doctest/doctest.h>

#include <array>
#include <chrono>
#include <optional>

namespace core_task_retries_tests {

using libpool::ending;
using libpool::errc;
using libpool::instant;
using libpool::retry_verdict;
using libpool::task;
using libpool::task_retries;
using namespace std::chrono_literals;

namespace {

constexpr instant now{1s};

/// Limits with waiting times of at most 1 ms.
libpool::limits limits_of(unsigned times) {
  libpool::limits result;
  result.backoff = libpool::retry_backoff{1ms, 1, 1ms, times};
  return result;
}

struct sent_task : task {
  explicit sent_task(task_retries& by) {
    is = condition::sent;
    by.sent(*this);
  }
};

} // namespace

TEST_CASE("without a backoff, no task is retried after an error") {
  task_retries retries{{}, false};
  sent_task task{retries};
  CHECK(retries.answered_with_error(task, 0s, now) == retry_verdict::no);
}

TEST_CASE("a task is retried after errors at most as often as permitted, after "
          "the time that was asked for") {
  task_retries retries{limits_of(2), false};
  sent_task task{retries};
  for (auto attempt = 0; attempt < 2; ++attempt) {
    CHECK(retries.answered_with_error(task, 5s, now) == retry_verdict::yes);
    CHECK(retries.next_attempt(task, ending::to_be_retried, now) == now + 5s);
  }
  CHECK(retries.answered_with_error(task, 5s, now) == retry_verdict::no);
}

TEST_CASE("a task is not retried if its deadline comes earlier") {
  task_retries retries{limits_of(2), false};
  sent_task task{retries};
  task.deadline = now + 1s;
  CHECK(retries.answered_with_error(task, 1s, now) == retry_verdict::no);
  CHECK(retries.answered_with_error(task, 1s - 1ns, now) == retry_verdict::yes);
}

TEST_CASE("the budget limits the tasks that are retried at the same time") {
  auto within = limits_of(9);
  within.budget = libpool::retry_budget{0.5, 1};
  task_retries retries{within, false};
  sent_task first{retries};
  sent_task second{retries};
  auto fails = [&](task& each) {
    return retries.answered_with_error(each, 1s, now);
  };
  CHECK(fails(first) == retry_verdict::yes);
  CHECK(fails(first) == retry_verdict::yes);
  CHECK(fails(second) == retry_verdict::over_budget);
  sent_task third{retries};
  sent_task fourth{retries};
  CHECK(fails(second) == retry_verdict::yes); // half of four tasks
  retries.came_back(fourth);
  CHECK(fails(third) == retry_verdict::over_budget);
  retries.ended(second);
  retries.ended(first);
  CHECK(fails(third) == retry_verdict::yes);
}

TEST_CASE("a task that crashes workers is tried again until its retries are "
          "exhausted or it is poisoned") {
  libpool::limits within;
  within.retries = 2;
  for (auto poison_after : {0U, 2U}) {
    CAPTURE(poison_after);
    within.poison_after = poison_after;
    task_retries retries{within, false};
    sent_task task{retries};
    auto crash = [&] {
      return retries.next_attempt(task, ending::crashed, now);
    };
    CHECK(crash() == now);
    if (poison_after == 0)
      CHECK(crash() == now);
    CHECK(crash() == std::nullopt);
    CHECK(retries.failure_of(task, ending::crashed)
          == (poison_after > 0 ? errc::poisoned : errc::retries_exhausted));
  }
}

TEST_CASE("a task that must not be repeated fails with the loss of its node") {
  task_retries retries{{}, false};
  sent_task task{retries};
  task.repeatable = false;
  CHECK(retries.next_attempt(task, ending::lost, now) == std::nullopt);
  CHECK(retries.failure_of(task, ending::lost) == errc::node_lost);
}

TEST_CASE("an interrupted task is tried again at once until retries are "
          "stopped") {
  task_retries retries{{}, false};
  sent_task task{retries};
  CHECK(retries.next_attempt(task, ending::interrupted, now) == now);
  retries.stop(errc::no_workers);
  CHECK(retries.next_attempt(task, ending::interrupted, now) == std::nullopt);
  CHECK(retries.failure_of(task, ending::interrupted) == errc::no_workers);
}

TEST_CASE("tasks wait for their next attempts in the order of their times") {
  std::array<task, 3> tasks;
  task_retries retries{{}, false};
  CHECK(retries.first() == nullptr);
  CHECK(retries.next() == libpool::never);
  retries.delay(tasks[0], now + 3s);
  retries.delay(tasks[1], now + 1s);
  retries.delay(tasks[2], now + 2s);
  CHECK(retries.delayed() == 3);
  CHECK(retries.first() == &tasks[1]);
  CHECK(retries.next() == now + 1s);
  CHECK(retries.remove(tasks[2]));
  CHECK_FALSE(retries.remove(tasks[2]));
  CHECK(retries.take_due(now) == nullptr);
  CHECK(retries.take_due(now + 3s) == &tasks[1]);
  CHECK(tasks[1].notes().not_before == libpool::never);
  CHECK(retries.take_due(now + 3s) == &tasks[0]);
  CHECK(retries.delayed() == 0);
}

} // namespace core_task_retries_tests
