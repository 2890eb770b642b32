#include "libpool/policies/placement/consistent_hash.hpp"
#include "support/policy_world.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>

namespace consistent_hash_tests {

using names = test::policy_world::names;
using namespace std::chrono_literals;

namespace {

constexpr auto nobody = test::policy_world::nobody;
constexpr std::size_t keys = 4000;

struct world : test::policy_world {
  explicit world(std::size_t size, double balance = 1.25,
                 std::size_t window = 8)
    : policy_world(std::make_unique<libpool::consistent_hash>(
      libpool::consistent_hash_options{balance})) {
    join_all(size, window);
  }

  /// The worker of a task with the key that takes no time.
  std::size_t serve_key(std::uint64_t key,
                        libpool::restriction* where = nullptr) {
    auto result = submit_key(key, where);
    finish(last());
    return result;
  }

  /// Where each of many keys goes while nothing else is in flight.
  names homes(std::uint64_t step = 1) {
    names result;
    for (std::uint64_t key = 0; key < keys; ++key)
      result.push_back(serve_key(key * step));
    return result;
  }
};

/// How many of the first `some` of `all` are at each of 8 workers.
names counts(const names& all, std::size_t some) {
  names result(8);
  for (std::size_t i = 0; i < some; ++i)
    ++result.at(all[i]);
  return result;
}

} // namespace

// -- the ring -----------------------------------------------------------------

TEST_CASE("all tasks with the same key go to the same worker, and when a "
          "worker leaves, only the keys of this worker move") {
  world w{6};
  auto before = w.homes();
  CHECK(w.homes() == before);
  w.retire(2);
  auto after = w.homes();
  for (std::size_t i = 0; i < keys; ++i) {
    CHECK(after[i] != 2);
    if (before[i] != 2)
      CHECK(after[i] == before[i]);
  }
}

TEST_CASE(
  "about 1/n of all keys move to a worker that joins, and no other keys move") {
  for (std::size_t n : {1U, 2U, 4U, 9U, 19U}) {
    CAPTURE(n);
    world w{n};
    auto before = w.homes();
    w.join();
    auto after = w.homes();
    std::size_t moved = 0;
    for (std::size_t i = 0; i < keys; ++i)
      if (after[i] != before[i]) {
        ++moved;
        CHECK(after[i] == n);
      }
    // The part of the ring behind 64 points of 64·(n+1) is 1/(n+1) on average
    // with a standard deviation of 1/(8·(n+1)); five of them are allowed, as
    // are two of the draw of keys.
    auto expected = static_cast<double>(keys) / static_cast<double>(n + 1);
    CHECK(static_cast<double>(moved)
          < expected * 1.7 + 2 * std::sqrt(expected));
    CHECK(static_cast<double>(moved) > expected * 0.3);
  }
}

TEST_CASE("keys are spread over all workers, whether their numbers are small, "
          "adjacent or distant, and so are tasks without a key") {
  // 64 points each: a worker's part has a standard deviation of 1/8.
  for (std::uint64_t step : {std::uint64_t{1}, std::uint64_t{64},
                             std::uint64_t{1} << 32, std::uint64_t{1} << 48}) {
    CAPTURE(step);
    for (auto count : counts(world{8}.homes(step), keys)) {
      CHECK(count > keys / 8 * 4 / 10);
      CHECK(count < keys / 8 * 16 / 10);
    }
  }
  // Of 50 keys a worker of 8 has 6 on average, and 25 or more by chance once in
  // 10^8 times even where its part is half as large again.
  for (const auto& all : {world{8}.homes(), world{8}.serve_all(50, 1ns)})
    for (auto count : counts(all, 50))
      CHECK(count < 25);
}

TEST_CASE("a restricted task goes to the first permitted worker that follows "
          "the key of the task on the hash ring") {
  for (std::uint64_t key = 0; key < 50; ++key) {
    CAPTURE(key);
    // The workers in the order in which the key finds them: the one that it
    // goes to is left out, and so on.
    world w{5};
    auto serve_on = [&](const names& some) {
      return w.serve_key(key, &w.only_on(some));
    };
    auto free_choice = w.serve_key(key);
    names left{0, 1, 2, 3, 4};
    names ring;
    while (!left.empty()) {
      ring.push_back(serve_on(left));
      left.erase(std::find(left.begin(), left.end(), ring.back()));
    }
    CHECK(ring.front() == free_choice);
    for (std::size_t i = 0; i < ring.size(); ++i)
      for (auto j = i; j < ring.size(); ++j)
        CHECK(serve_on({std::min(ring[i], ring[j]), std::max(ring[i], ring[j])})
              == ring[i]);
  }
}

TEST_CASE(
  "the tie rule chooses among the permitted workers of a task without a key") {
  world w{4};
  for (std::size_t worker : {1U, 2U, 3U})
    CHECK(w.submit_only({1, 2, 3}) == worker);
  w.finish(1);
  CHECK(w.submit_only({1, 2, 3}) == 2);
}

// -- the load bound -----------------------------------------------------------

TEST_CASE(
  "a worker that gets a task with a new key stays within the load bound") {
  for (auto balance : {1.01, 1.25, 2.0})
    for (std::uint64_t seed : {1U, 2U, 3U}) {
      CAPTURE(balance);
      CAPTURE(seed);
      std::mt19937_64 draws{seed};
      world w{7, balance, 1000};
      for (auto i = 0; i < 1000; ++i) {
        // By the rules: balance times the mean, the new task included, rounded
        // up.
        auto most =
          std::ceil(balance * static_cast<double>(w.books().open() + 1) / 7);
        // Every key is new, since keys that are pinned go past the bound.
        auto worker = w.submit_key(draws());
        CHECK(static_cast<double>(w.workers.at(worker).in_flight) <= most);
        if (draws() % 3 == 0)
          w.finish(w.running().front());
      }
    }
}

TEST_CASE("a key whose worker is full goes to another worker, and returns when "
          "the first worker has room again") {
  // Its home has two tasks of other keys. With balance 1.25 it takes ceil(1.25
  // · (2 + 1) / 2) = 2 at most; with 4, more.
  for (auto balance : {1.25, 4.0}) {
    world w{2, balance};
    auto home = w.serve_key(1000);
    w.submit_only({home});
    w.submit_only({home});
    CHECK(w.submit_key(1000) == (balance < 2 ? 1 - home : home));
    for (std::size_t i : {1U, 2U, 3U})
      w.finish(i);
    CHECK(w.submit_key(1000) == home);
  }
}

// -- keys in flight -----------------------------------------------------------

TEST_CASE("a key with a task in flight stays with its worker even if the "
          "worker is full, or new workers join") {
  world w{1};
  for (std::uint64_t key = 0; key < 100; ++key)
    w.submit_key(key);
  w.join_all(9, 100);
  for (std::uint64_t key = 0; key < 100; ++key)
    CHECK(w.submit_key(key) == 0);
}

TEST_CASE("tasks of a key wait while the worker of the key leaves and still "
          "runs a task of the key, and tasks of other keys do not wait") {
  world w{3};
  auto home = w.submit_key(7);
  CHECK(w.submit_key(7) == home);
  w.retire(home); // the second one comes back, the first one runs
  CHECK(w.worker_of(1) == nobody);
  CHECK(w.submit_key(7) == nobody);
  for (std::uint64_t key = 100; key < 200; ++key) {
    auto worker = w.submit_key(key);
    CHECK(worker != nobody);
    CHECK(worker != home);
  }
  CHECK(w.books().waiting == 2);
  w.finish(0);
  CHECK(w.books().waiting == 0);
  CHECK(w.worker_of(1) != nobody);
  CHECK(w.worker_of(1) != home);
  CHECK(w.worker_of(2) == w.worker_of(1));
}

TEST_CASE("tasks of a key wait while the worker of the key hangs in a task of "
          "the key") {
  world w{3};
  auto& due = w.add();
  due.own_notes().key = 7;
  due.deadline = w.now + 10ns;
  auto home = w.submit(due);
  w.submit_key(7);
  w.pass(10ns);
  CHECK(w.worker_of(1) == nobody);
  CHECK(w.submit_key(7) == nobody);
  SUBCASE("the waiting tasks go to the worker once its task has ended") {
    w.finish(0);
    CHECK(w.worker_of(1) == home);
  }
  SUBCASE(
    "the waiting tasks go to another worker once the worker has terminated") {
    w.leave(home);
    CHECK(w.worker_of(1) != nobody);
    CHECK(w.worker_of(1) != home);
  }
  CHECK(w.worker_of(2) == w.worker_of(1));
}

TEST_CASE("a task whose key is in flight at a worker goes to this worker "
          "rather than to its home or to a worker that the task prefers") {
  world w{4};
  auto first = w.submit_key(7);
  auto home = (first + 2) % 4;
  CHECK(w.submit_key(7, &w.best_on({(first + 1) % 4, home})) == first);
  auto submit_home = [&] {
    auto& task = w.add();
    task.own_notes().key = 7;
    task.own_notes().home = libpool::worker_number{home};
    return w.submit(task);
  };
  CHECK(submit_home() == first);
  for (std::size_t i : {0U, 1U, 2U})
    w.finish(i);
  CHECK(submit_home() == home); // nothing of the key is in flight
}

} // namespace consistent_hash_tests
