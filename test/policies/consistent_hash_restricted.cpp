/// Keys beside homes, wishes and restrictions.

#include "libpool/policies/consistent_hash.hpp"
#include "support/placement_world.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace consistent_hash_restricted_tests {

using test::placement_world;
using names = placement_world::names;

namespace {

constexpr auto nobody = placement_world::nobody;

std::unique_ptr<libpool::consistent_hash> hash() {
  return std::make_unique<libpool::consistent_hash>();
}

} // namespace

TEST_CASE("a task whose key is in flight at a worker goes to this worker "
          "rather than to the home of the task") {
  placement_world w{hash()};
  w.join_all(4);
  auto first = w.submit_key(7);
  auto home = (first + 2) % 4;
  auto submit_home = [&] {
    auto& task = w.add();
    task.key = 7;
    task.home = libpool::worker_number{home};
    return w.submit(task);
  };
  CHECK(submit_home() == first);
  w.finish(0);
  w.finish(1);
  CHECK(submit_home() == home); // nothing of the key is in flight
}

TEST_CASE("a task whose key is in flight at a worker goes to this worker "
          "rather than to a worker that the task prefers") {
  placement_world w{hash()};
  w.join_all(4);
  auto first = w.submit_key(7);
  auto& task = w.add();
  task.key = 7;
  task.where = &w.best_on({(first + 1) % 4, (first + 2) % 4});
  CHECK(w.submit(task) == first);
}

TEST_CASE("a restricted task goes to the first permitted worker that follows "
          "the key of the task on the hash ring") {
  for (std::uint64_t key = 0; key < 50; ++key) {
    CAPTURE(key);
    // The workers in the order in which the key finds them: the one that it
    // goes to is left out, and so on.
    placement_world w{hash()};
    w.join_all(5);
    names left{0, 1, 2, 3, 4};
    auto submit_to = [&](const names& some) {
      auto& task = w.add();
      task.key = key;
      task.where = &w.only_on(some);
      auto result = w.submit(task);
      w.finish(w.last());
      return result;
    };
    auto free_choice = w.submit_key(key);
    w.finish(w.last());
    names ring;
    while (!left.empty()) {
      ring.push_back(submit_to(left));
      left.erase(std::find(left.begin(), left.end(), ring.back()));
    }
    CHECK(ring.front() == free_choice);
    for (std::size_t i = 0; i < ring.size(); ++i)
      for (auto j = i; j < ring.size(); ++j)
        CHECK(
          submit_to({std::min(ring[i], ring[j]), std::max(ring[i], ring[j])})
          == ring[i]);
  }
}

TEST_CASE(
  "the tie rule chooses among the permitted workers of a task without a key") {
  placement_world w{hash()};
  w.join_all(4);
  CHECK(w.submit_only({1, 2, 3}) == 1);
  CHECK(w.submit_only({1, 2, 3}) == 2);
  CHECK(w.submit_only({1, 2, 3}) == 3);
  w.finish(1);
  CHECK(w.submit_only({1, 2, 3}) == 2);
}

TEST_CASE(
  "tasks of a key run one after the other even if their restrictions differ") {
  placement_world w{hash()};
  w.join_all(3);
  auto home = w.submit_key(7);
  auto other = (home + 1) % 3;
  auto& task = w.add();
  task.key = 7;
  task.where = &w.only_on({other});
  CHECK(w.submit(task) == nobody);
  CHECK(w.submit_key(7) == nobody); // it does not overtake
  CHECK(w.submit_key(8) != nobody);
  w.finish(0);
  CHECK(w.worker_of(1) == other);
  CHECK(w.worker_of(2) == other);
}

} // namespace consistent_hash_restricted_tests
