/// Times at which tasks are looked at.

#include "libpool/core/task_watch.hpp"

#include <doctest/doctest.h>

#include <chrono>

namespace core_task_watch_tests {

using libpool::instant;
using libpool::never;
using libpool::task;
using libpool::task_watch;
using namespace std::chrono_literals;

namespace {

constexpr instant start{100s};

libpool::limits hopeless() {
  libpool::limits result;
  result.drop_hopeless = true;
  return result;
}

} // namespace

TEST_CASE("a task is due at its deadline until it is settled") {
  task task;
  task_watch watch{{}};
  watch.accepted(task);
  CHECK(watch.next() == never);
  task.deadline = start;
  watch.accepted(task);
  CHECK(watch.next() == start);
  CHECK_FALSE(watch.has_due(start - 1ns));
  CHECK(watch.has_due(start));
  watch.settled(task);
  CHECK_FALSE(watch.has_due(start));
}

TEST_CASE("a task that was sent is due at the time limit or at its deadline, "
          "whichever is earlier") {
  libpool::limits within;
  within.time_limit = 5s;
  task early;
  task late;
  task_watch watch{within};
  early.deadline = start + 3s;
  late.deadline = start + 9s;
  for (auto* each : {&early, &late}) {
    watch.accepted(*each);
    watch.sent(*each, start);
  }
  CHECK(&watch.take_due() == &early);
  CHECK(watch.next() == start + 5s);
  CHECK(watch.limit_from(start) == start + 5s);
  watch.came_back(late);
  CHECK(watch.next() == start + 9s);
  CHECK(task_watch{{}}.limit_from(start) == never);
}

TEST_CASE("a task is due when the estimate of its kind shows that it would end "
          "after its deadline") {
  task ended;
  task task;
  task_watch watch{hopeless()};
  watch.completed(ended, 4s);
  task.deadline = start + 10s;
  watch.accepted(task);
  CHECK(watch.next() == start + 6s);
  CHECK_FALSE(watch.is_hopeless(task, start));
  CHECK(watch.is_hopeless(task, start + 6s));
  watch.sent(task, start);
  CHECK(watch.next() == start + 10s);
}

TEST_CASE(
  "a task that is hopeless on arrival lowers the estimate of its kind") {
  task ended;
  task task;
  task_watch watch{hopeless()};
  watch.completed(ended, 40s);
  task.accepted = start;
  task.deadline = start + 10s;
  CHECK(watch.is_hopeless(task, start));
  for (auto i = 0; i < 100 && watch.is_hopeless(task, start); ++i)
    watch.dropped(task);
  CHECK_FALSE(watch.is_hopeless(task, start));
}

} // namespace core_task_watch_tests
