#include "libpool/policies/consistent_hash.hpp"
#include "support/placement_world.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <random>
#include <set>
#include <stdexcept>
#include <vector>

namespace consistent_hash_tests {

using libpool::consistent_hash;
using libpool::consistent_hash_options;
using test::placement_world;
using namespace std::chrono_literals;

namespace {

constexpr auto nobody = placement_world::nobody;
constexpr std::size_t keys = 4000;

std::unique_ptr<consistent_hash> hash(double balance = 1.25) {
  consistent_hash_options options;
  options.balance = balance;
  return std::make_unique<consistent_hash>(options);
}

/// Where each of many keys goes while nothing else is in flight.
std::vector<std::size_t> homes(placement_world& w, std::uint64_t step = 1) {
  std::vector<std::size_t> result;
  for (std::uint64_t key = 0; key < keys; ++key) {
    result.push_back(w.submit_key(key * step));
    w.finish(w.last());
  }
  return result;
}

std::vector<std::size_t> counts(const std::vector<std::size_t>& all,
                                std::size_t workers) {
  std::vector<std::size_t> result(workers);
  for (auto value : all)
    ++result.at(value);
  return result;
}

/// The first `count` elements of `all`.
std::vector<std::size_t> first(const std::vector<std::size_t>& all,
                               std::size_t count) {
  return {all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count)};
}

/// The least number of tasks that makes a worker full, by the rules: balance
/// times the mean, the new task included, rounded up.
std::size_t bound(double balance, std::size_t in_flight, std::size_t workers) {
  return static_cast<std::size_t>(
    std::ceil(balance * static_cast<double>(in_flight + 1)
              / static_cast<double>(workers)));
}

} // namespace

TEST_CASE("all tasks with the same key go to the same worker") {
  placement_world w{hash()};
  w.join_all(5);
  CHECK(homes(w) == homes(w));
}

TEST_CASE(
  "about 1/n of all keys move to a worker that joins, and no other keys move") {
  for (std::size_t n : {1U, 2U, 4U, 9U, 19U}) {
    CAPTURE(n);
    placement_world w{hash()};
    w.join_all(n);
    auto before = homes(w);
    w.join();
    auto after = homes(w);
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

TEST_CASE(
  "when a worker leaves, only the keys of this worker move to other workers") {
  placement_world w{hash()};
  w.join_all(6);
  auto before = homes(w);
  w.retire(2);
  auto after = homes(w);
  for (std::size_t i = 0; i < keys; ++i) {
    CHECK(after[i] != 2);
    if (before[i] != 2)
      CHECK(after[i] == before[i]);
  }
}

TEST_CASE("keys are spread over all workers, whether their numbers are "
          "adjacent or distant") {
  // 64 points each: a worker's part has a standard deviation of 1/8.
  for (std::uint64_t step : {std::uint64_t{1}, std::uint64_t{64},
                             std::uint64_t{1} << 32, std::uint64_t{1} << 48}) {
    CAPTURE(step);
    placement_world w{hash()};
    w.join_all(8);
    for (auto count : counts(homes(w, step), 8)) {
      CHECK(count > keys / 8 * 4 / 10);
      CHECK(count < keys / 8 * 16 / 10);
    }
  }
}

TEST_CASE("keys that are small numbers are spread over several workers") {
  // Of 50 keys a worker of 8 has 6 on average, and 25 or more by chance once in
  // 10^8 times even where its part is half as large again.
  placement_world w{hash()};
  w.join_all(8);
  auto all = homes(w);
  for (auto count : counts(first(all, 50), 8))
    CHECK(count < 25);
}

TEST_CASE("tasks without a key are spread over the workers") {
  placement_world w{hash()};
  w.join_all(8);
  std::vector<std::size_t> all;
  for (auto i = 0; i < 50; ++i)
    all.push_back(w.serve(1ns));
  for (auto count : counts(all, 8))
    CHECK(count < 25);
}

TEST_CASE(
  "a worker that gets a task with a new key stays within the load bound") {
  for (auto balance : {1.01, 1.25, 2.0}) {
    CAPTURE(balance);
    for (std::uint64_t seed : {1U, 2U, 3U}) {
      CAPTURE(seed);
      std::mt19937_64 draws{seed};
      placement_world w{hash(balance)};
      w.join_all(7, 1000);
      for (auto i = 0; i < 1000; ++i) {
        auto in_flight = w.books().open();
        // Every key is new, since keys that are pinned go past the bound.
        auto worker = w.submit_key(draws());
        CHECK(w.workers.at(worker).in_flight <= bound(balance, in_flight, 7));
        if (draws() % 3 == 0)
          w.finish(w.running().front());
      }
    }
  }
}

TEST_CASE("a key whose worker is full goes to another worker, and returns when "
          "the first worker has room again") {
  placement_world w{hash()};
  w.join_all(2);
  auto home = w.submit_key(1000);
  w.finish(w.last());
  // Fill the home with tasks of other keys: balance 1.25, so that it takes
  // ceil(1.25 · (in flight + 1) / 2) at most: with 1 in flight, 2; with 2, 2.
  CHECK(w.submit_only({home}) == home);
  CHECK(w.submit_only({home}) == home);
  CHECK(w.submit_key(1000) == 1 - home);
  auto strayed = w.last();
  w.finish(1);
  w.finish(2);
  w.finish(strayed);
  CHECK(w.submit_key(1000) == home);
}

TEST_CASE("a larger value of the option 'balance' allows a worker to have more "
          "tasks in flight") {
  placement_world w{hash(4.0)};
  w.join_all(2);
  auto home = w.submit_key(1000);
  w.finish(w.last());
  w.submit_only({home});
  w.submit_only({home});
  CHECK(w.submit_key(1000) == home);
}

TEST_CASE("a key with a task in flight stays with its worker even if the "
          "worker is full") {
  placement_world w{hash()};
  w.join_all(4, 100);
  auto home = w.submit_key(7);
  for (auto i = 0; i < 50; ++i)
    CHECK(w.submit_key(7) == home);
}

TEST_CASE("a key with a task in flight stays with its worker even if new "
          "workers join") {
  placement_world w{hash()};
  w.join();
  CHECK(w.submit_key(0) == 0);
  for (std::uint64_t key = 1; key < 100; ++key)
    w.submit_key(key);
  w.join_all(9, 100);
  for (std::uint64_t key = 0; key < 100; ++key)
    CHECK(w.submit_key(key) == 0);
}

TEST_CASE("tasks of a key wait while the worker of the key leaves and still "
          "runs a task of the key") {
  placement_world w{hash()};
  w.join_all(3);
  auto home = w.submit_key(7);
  CHECK(w.submit_key(7) == home);
  w.retire(home); // the second one comes back, the first one runs
  CHECK(w.worker_of(1) == nobody);
  CHECK(w.submit_key(7) == nobody);
  CHECK(w.books().waiting == 2);
  w.finish(0);
  CHECK(w.books().waiting == 0);
  CHECK(w.worker_of(1) != nobody);
  CHECK(w.worker_of(1) != home);
  CHECK(w.worker_of(2) == w.worker_of(1));
}

TEST_CASE("tasks of other keys do not wait for a worker that leaves") {
  placement_world w{hash()};
  w.join_all(3);
  auto home = w.submit_key(7);
  w.retire(home);
  for (std::uint64_t key = 100; key < 200; ++key) {
    auto worker = w.submit_key(key);
    CHECK(worker != nobody);
    CHECK(worker != home);
  }
}

TEST_CASE("tasks of a key wait while the worker of the key hangs in a task of "
          "the key") {
  placement_world w{hash()};
  w.join_all(3);
  auto& due = w.add();
  due.key = 7;
  due.deadline = w.now + 10ns;
  auto home = w.submit(due);
  w.submit_key(7);
  w.pass(10ns);
  CHECK(w.worker_of(1) == nobody);
  CHECK(w.submit_key(7) == nobody);
  SUBCASE("the waiting tasks go to the worker once its task has ended") {
    w.finish(0);
    CHECK(w.worker_of(1) == home);
    CHECK(w.worker_of(2) == home);
  }
  SUBCASE(
    "the waiting tasks go to another worker once the worker has terminated") {
    w.leave(home);
    CHECK(w.worker_of(1) != nobody);
    CHECK(w.worker_of(1) != home);
    CHECK(w.worker_of(2) == w.worker_of(1));
  }
}

TEST_CASE("tasks of a key start in order even if their worker leaves while it "
          "runs other tasks") {
  placement_world w{hash()};
  w.join(8, 0ns, 2); // two at once
  w.submit_key(1);
  w.submit_key(2); // both run
  w.join_all(2);
  w.retire(0);
  CHECK(w.submit_key(1) == nobody); // waits for the end of the first one
  w.finish(0);
  w.submit_key(1);
  // The one that came first is not behind the other one.
  if (w.worker_of(3) != nobody)
    CHECK(w.worker_of(2) == w.worker_of(3));
  w.finish(1);
  CHECK(w.worker_of(2) != nobody);
  CHECK(w.worker_of(2) == w.worker_of(3));
  CHECK(w.tasks[2].is == libpool::task::condition::running);
  CHECK(w.tasks[3].is == libpool::task::condition::sent);
}

TEST_CASE("the error for a value of at most 1 for the option 'balance' names "
          "the option") {
  auto refused = [](double wrong, const std::string& text) {
    CHECK_THROWS_WITH_AS(
      hash(wrong), ("libpool: balance: must be above 1, got " + text).c_str(),
      std::invalid_argument);
  };
  refused(1.0, "1");
  refused(0.0, "0");
  refused(-1.0, "-1");
  refused(std::numeric_limits<double>::quiet_NaN(), "nan");
}

} // namespace consistent_hash_tests
