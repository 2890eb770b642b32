#include "libpool/policies/least_used.hpp"
#include "support/policy_world.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <tuple>
#include <vector>

namespace least_used_tests {

using libpool::assignment;
using names = test::policy_world::names;
using namespace std::chrono_literals;

namespace {

struct world : test::policy_world {
  explicit world(std::size_t size, assignment when = assignment::eager)
    : policy_world(std::make_unique<libpool::least_used>(), when) {
    join_all(size, 3);
  }

  /// The choice, found by looking at all workers.
  std::size_t scanned() const {
    auto key = [](const libpool::worker& worker) {
      return std::tuple{worker.in_flight, worker.chosen, worker.number};
    };
    const libpool::worker* best = nullptr;
    for (const auto& worker : workers)
      if (worker.offered && (best == nullptr || key(worker) < key(*best)))
        best = &worker;
    return best == nullptr ? nobody : static_cast<std::size_t>(best->number);
  }

  /// Takes the step that `roll` stands for, if it is possible now.
  void take(unsigned roll) {
    auto at = roll / 4 % workers.size();
    if (roll % 4 == 0)
      workers[at].pauses ? resume(at) : pause(at);
    else if (roll % 4 == 1 && !running().empty())
      finish(running()[roll / 4 % running().size()]);
    else
      submit();
  }
};

} // namespace

TEST_CASE("the placement least_used chooses the worker with the fewest tasks "
          "in flight, then the one chosen least recently, then the oldest") {
  world w{3};
  for (std::size_t worker : {0U, 0U, 1U, 2U, 2U})
    w.submit_only({worker});
  CHECK(w.submit() == 1);
  w.finish(0);
  w.finish(1);
  CHECK(w.submit() == 0);
  world v{3};
  CHECK(v.serve_all(4, 1ns) == names{0, 1, 2, 0});
  v.sample(1, 1ns);
  CHECK(v.submit_all(3) == names{2, 0, 1});
}

TEST_CASE("tasks that a worker got while it was unavailable for further tasks "
          "count when the worker is available again") {
  world w{2};
  w.pause(0);
  w.submit_home(0);
  w.submit();
  w.submit_home(0);
  w.resume(0);
  CHECK(w.submit() == 1);
}

TEST_CASE("the placement least_used always chooses the same worker as a search "
          "through all workers") {
  CHECK(rc::check("the choice agrees with a scan", [] {
    world w{*rc::gen::inRange(std::size_t{1}, std::size_t{9}),
            *rc::gen::element(assignment::eager, assignment::lazy)};
    for (auto roll : *rc::gen::arbitrary<std::vector<unsigned>>()) {
      w.take(roll);
      auto* chosen = w.policies.placement->choose({}, w.now);
      RC_ASSERT((chosen == nullptr ? world::nobody
                                   : static_cast<std::size_t>(chosen->number))
                == w.scanned());
    }
  }));
}

} // namespace least_used_tests
