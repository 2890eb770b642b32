#include "libpool/policies/least_used.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <tuple>
#include <vector>

using libpool::instant;
using libpool::least_used;
using libpool::task;
using libpool::worker;

namespace {

/// Workers, told to a least_used as the dispatcher would.
struct world {
  explicit world(std::size_t size) {
    for (std::size_t i = 0; i < size; ++i)
      workers.emplace_back().number = libpool::worker_number{i};
  }

  void offer(std::size_t worker) {
    workers[worker].offered = true;
    policy.offered(workers[worker], instant{});
  }

  void withdraw(std::size_t worker) {
    workers[worker].offered = false;
    policy.withdrawn(workers[worker], instant{});
  }

  void assign(std::size_t worker) {
    workers[worker].chosen = ++choices;
    ++workers[worker].in_flight;
    policy.assigned(workers[worker], some, instant{});
  }

  void part(std::size_t task) {
    --workers[task].in_flight;
    policy.unassigned(workers[task], some, instant{});
  }

  worker* choose() {
    return policy.choose(some, instant{});
  }

  /// The choice, found by looking at all workers.
  worker* scanned() {
    worker* best = nullptr;
    for (auto& worker : workers)
      if (worker.offered && (best == nullptr || key(worker) < key(*best)))
        best = &worker;
    return best;
  }

  static std::tuple<std::size_t, std::uint64_t, libpool::worker_number>
  key(const worker& worker) {
    return {worker.in_flight, worker.chosen, worker.number};
  }

  /// Takes the step that `roll` stands for, if it is possible now.
  void take(unsigned roll) {
    auto at = roll / 4 % workers.size();
    if (roll % 4 == 0)
      workers[at].offered ? withdraw(at) : offer(at);
    else if (roll % 4 == 1 && workers[at].in_flight > 0)
      part(at);
    else if (auto* worker = choose())
      assign(static_cast<std::size_t>(worker->number));
  }

  task some;
  std::deque<worker> workers;
  least_used policy;
  std::uint64_t choices = 0;
};

} // namespace

TEST_CASE("the placement least_used chooses no worker while no worker has room "
          "for a task") {
  world w{2};
  CHECK(w.choose() == nullptr);
  w.offer(1);
  w.withdraw(1);
  CHECK(w.choose() == nullptr);
}

TEST_CASE("the placement least_used chooses the worker with the fewest tasks "
          "in flight") {
  world w{3};
  for (std::size_t i = 0; i < 3; ++i)
    w.offer(i);
  w.assign(0);
  w.assign(0);
  w.assign(1);
  w.assign(2);
  w.assign(2);
  CHECK(w.choose() == &w.workers[1]);
  w.part(0);
  w.part(0);
  CHECK(w.choose() == &w.workers[0]);
}

TEST_CASE("among workers with equally few tasks, the worker that was chosen "
          "least recently is chosen") {
  world w{3};
  for (std::size_t i = 0; i < 3; ++i)
    w.offer(i);
  w.assign(1);
  w.assign(0);
  w.assign(2);
  for (std::size_t i = 0; i < 3; ++i)
    w.part(i);
  CHECK(w.choose() == &w.workers[1]);
  w.withdraw(1);
  CHECK(w.choose() == &w.workers[0]);
}

TEST_CASE("among workers that were never chosen, the worker that joined first "
          "is chosen") {
  world w{3};
  w.offer(2);
  w.offer(1);
  CHECK(w.choose() == &w.workers[1]);
}

TEST_CASE("tasks that a worker got while it was unavailable for further tasks "
          "count when the worker is available again") {
  world w{2};
  w.offer(0);
  w.offer(1);
  w.withdraw(0);
  w.assign(0);
  w.assign(1);
  w.assign(0);
  w.offer(0);
  CHECK(w.choose() == &w.workers[1]);
  w.part(0);
  w.part(0);
  CHECK(w.choose() == &w.workers[0]);
}

TEST_CASE("the placement least_used always chooses the same worker as a search "
          "through all workers") {
  CHECK(rc::check("the choice agrees with a scan", [] {
    auto size = *rc::gen::inRange(std::size_t{1}, std::size_t{9});
    world w{size};
    for (auto roll : *rc::gen::arbitrary<std::vector<unsigned>>()) {
      w.take(roll);
      RC_ASSERT(w.choose() == w.scanned());
    }
  }));
}
