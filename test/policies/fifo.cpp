#include "libpool/policies/fifo.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <deque>
#include <vector>

using libpool::fifo;
using libpool::instant;
using libpool::task;

namespace {

using numbers = std::vector<std::uint64_t>;

/// A fifo with tasks of its own.
struct world {
  task& add(std::uint64_t number, bool urgent = false) {
    auto& task = tasks.emplace_back();
    task.number = number;
    task.urgent = urgent;
    task.rank = order.rank(task);
    order.added(task, instant{});
    return task;
  }

  /// The number of the next one, which is taken out; 0 if none waits.
  std::uint64_t next() {
    auto* task = order.choose(instant{});
    if (task == nullptr)
      return 0;
    order.removed(*task, instant{});
    return task->number;
  }

  numbers all() {
    numbers result;
    while (auto number = next())
      result.push_back(number);
    return result;
  }

  std::deque<task> tasks;
  fifo order;
};

} // namespace

TEST_CASE("tasks are served in the order in which they arrived") {
  world w;
  CHECK(w.next() == 0);
  w.add(1);
  w.add(2);
  w.add(3);
  CHECK(w.all() == numbers{1, 2, 3});
}

TEST_CASE(
  "the choice of the next task does not remove the task from the queue") {
  world w;
  auto& first = w.add(1);
  w.add(2);
  CHECK(w.order.choose(instant{}) == &first);
  CHECK(w.order.choose(instant{}) == &first);
  CHECK(w.next() == 1);
  CHECK(w.next() == 2);
}

TEST_CASE("urgent tasks are served before all other tasks, in the order in "
          "which they arrived") {
  world w;
  w.add(1);
  w.add(2, true);
  w.add(3);
  w.add(4, true);
  CHECK(w.all() == numbers{2, 4, 1, 3});
}

TEST_CASE(
  "a task that comes back gets its old place in the order of acceptance") {
  world w;
  auto& old = w.add(1);
  CHECK(w.next() == 1);
  w.add(2);
  w.add(3);
  w.add(4, true);
  w.order.added(old, instant{});
  CHECK(w.all() == numbers{4, 1, 2, 3});
}

TEST_CASE("a task can be removed from the middle of the queue") {
  world w;
  w.add(1);
  auto& middle = w.add(2);
  w.add(3);
  w.order.removed(middle, instant{});
  CHECK(w.all() == numbers{1, 3});
}
