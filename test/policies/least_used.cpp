#include "libpool/policies/least_used.hpp"
#include "support/policy_world.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <cstddef>
#include <memory>
#include <tuple>
#include <vector>

namespace least_used_tests {

using libpool::assignment;

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
