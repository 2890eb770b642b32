/// Room for waiting tasks.

#include "libpool/core/waiting_capacity.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <deque>

namespace core_waiting_capacity_tests {

using libpool::overflow;
using in_state = libpool::task::condition;

namespace {

struct world {
  explicit world(std::size_t most, overflow on_overflow = overflow::refuse)
    : capacity(limits_of(most, on_overflow), tasks, leases, workers) {
    // nop
  }

  static libpool::limits limits_of(std::size_t most, overflow on_overflow) {
    libpool::limits result;
    result.capacity = most;
    result.on_overflow = on_overflow;
    return result;
  }

  void add(in_state state, int number = 1) {
    for (; number > 0; --number)
      tasks.enter(added.emplace_back(), state);
  }

  std::deque<libpool::worker> all;
  std::deque<libpool::task> added;
  libpool::pool_tasks tasks;
  libpool::task_leases leases{libpool::lease_bounds{}};
  libpool::pool_workers workers{false, false};
  libpool::waiting_capacity capacity;
};

} // namespace

TEST_CASE("waiting and assigned tasks and reserved places take room") {
  world w{4};
  CHECK(w.capacity.room() == 4);
  w.add(in_state::waiting);
  w.add(in_state::assigned);
  w.add(in_state::running);
  CHECK(w.capacity.room() == 2);
  CHECK(w.capacity.reserve(2));
  CHECK(w.capacity.is_full());
  CHECK(w.capacity.room(1) == 1);
  w.capacity.unreserve(2);
  CHECK(w.capacity.room() == 2);
}

TEST_CASE("no place is reserved if tasks are dropped to make room") {
  world w{4, overflow::drop_oldest};
  CHECK_FALSE(w.capacity.reserve(2));
  CHECK(w.capacity.room() == 4);
  CHECK(w.capacity.drops_oldest());
  CHECK(w.capacity.has_room_for(99));
}

TEST_CASE("a pool holds the tasks that can wait and those that workers have "
          "places for") {
  world w{2};
  w.all.emplace_back().window = 3;
  w.workers.joined(w.all[0]);
  CHECK(w.capacity.can_hold(5));
  CHECK_FALSE(w.capacity.can_hold(6));
  w.add(in_state::running, 3);
  CHECK(w.capacity.has_room_for(2));
  CHECK_FALSE(w.capacity.has_room_for(3));
  w.add(in_state::waiting, 2);
  CHECK_FALSE(w.capacity.has_room_for(1));
}

} // namespace core_waiting_capacity_tests
