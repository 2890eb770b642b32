/// The orders fifo and priority, in which the served task is the one of the
/// highest rank, and the placement least_used.

#include "libpool/policies/order/fifo.hpp"
#include "libpool/policies/order/priority.hpp"
#include "libpool/policies/placement/least_used.hpp"
#include "support/policy_world.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

using libpool::duration;
using libpool::instant;
using libpool::priority;
using libpool::task;
using names = test::policy_world::names;
using namespace std::chrono_literals;

namespace {

/// Workers do one task at a time, so that the order shows.
struct ranks_world : test::policy_world {
  explicit ranks_world(std::unique_ptr<libpool::order> order)
    : policy_world(test::ordered_by(std::move(order))) {
    // nop
  }

  explicit ranks_world(std::optional<duration> age_step = std::nullopt)
    : ranks_world(
      std::make_unique<priority>(libpool::priority_options{age_step})) {
    // nop
  }

  void submit_ranked(std::int64_t level) {
    auto& task = add();
    task.own_notes().priority = level;
    submit(task);
  }

  /// Has all that waits done by one worker: in which order.
  names served() {
    join(1);
    return policy_world::served(0ns);
  }
};

} // namespace

// -- fifo ---------------------------------------------------------------------

TEST_CASE("fifo serves tasks in the order in which they arrived, urgent tasks "
          "before all others") {
  ranks_world w{std::make_unique<libpool::fifo>()};
  CHECK(w.policies.order->choose({}) == nullptr);
  for (auto urgent : {false, true, false, true, false}) {
    auto& task = w.add();
    task.urgent = urgent;
    w.submit(task);
  }
  w.cancel(2); // in the middle
  CHECK(w.policies.order->choose({}) == &w.tasks[1]);
  CHECK(w.policies.order->choose({}) == &w.tasks[1]); // it is still there
  CHECK(w.served() == names{1, 3, 0, 4});
}

TEST_CASE(
  "a task that comes back gets its old place in the order of acceptance") {
  ranks_world w{std::make_unique<libpool::fifo>()};
  w.begins = false;
  w.join(1);
  w.submit_all(3);
  w.tasks.emplace_back().urgent = true;
  w.submit(w.tasks.back());
  w.pause(0);
  w.come_back(0);
  w.begins = true;
  CHECK(w.served() == names{3, 0, 1, 2});
}

// -- priority -----------------------------------------------------------------

TEST_CASE("the task with the highest priority goes first, and among equals the "
          "oldest task, also after a worker has left") {
  ranks_world w;
  w.join(1);
  for (auto level : {9, 0, 5, -3, 5, 0, 9, -3})
    w.submit_ranked(level);
  w.leave(0); // the running one fails, as nothing is retried
  CHECK(w.books().failed == 1);
  CHECK(w.served() == names{6, 2, 4, 1, 5, 3, 7});
}

TEST_CASE("a task of low priority starves, but not with ageing") {
  // One task of priority 0, and for each nanosecond one of priority 7, which is
  // as much as can be done. With ageing, tasks that came within 7 steps of 10
  // ns after it go before it, and no others. Task i > 1 came at i - 1, as if at
  // i - 71: before 0 for i <= 70. With i = 71 the tie goes to the older one.
  for (auto step : {std::optional<duration>{}, std::optional<duration>{10ns}}) {
    ranks_world w{step};
    w.submit_ranked(0);
    w.submit_ranked(7);
    w.join(1);
    auto done = 0;
    for (; w.waits(0) && done < 1000; ++done) {
      w.pass(1ns);
      w.submit_ranked(7);
      w.finish(w.running().front());
    }
    CHECK(done == (step ? 70 : 1000));
  }
}

TEST_CASE("tasks with extreme priorities are sorted correctly, as their rank "
          "is clamped to the range of its integer type") {
  using bounds = std::numeric_limits<std::int64_t>;
  for (auto step : {std::optional<duration>{}, std::optional<duration>{1ns},
                    std::optional<duration>{1h},
                    std::optional<duration>{duration::max()}}) {
    CAPTURE(step.value_or(0ns).count());
    ranks_world w{step};
    w.now += 1000h;
    for (auto level : {std::int64_t{0}, bounds::min(), bounds::max(),
                       bounds::min(), bounds::max()})
      w.submit_ranked(level);
    CHECK(w.served() == names{2, 4, 0, 1, 3});
  }
  CHECK_FALSE(priority{}.is_timed());
  priority order{{1h}};
  CHECK(order.is_timed());
  auto rank = [&order](std::int64_t level, instant accepted) {
    task ranked;
    ranked.accepted = accepted;
    ranked.own_notes().priority = level;
    return order.rank(ranked);
  };
  CHECK(rank(bounds::max(), instant{1000h}) == bounds::max());
  CHECK(rank(bounds::min(), instant{1000h}) == bounds::min());
  CHECK(rank(1, instant{1000h}) == duration{-999h}.count());
  CHECK(rank(1, instant::min()) == bounds::max());
}

TEST_CASE(
  "the served task is always the task that a scan of all waiting tasks finds") {
  CHECK(rc::check("the served task agrees with a scan", [] {
    auto step = *rc::gen::element<std::int64_t>(0, 1, 3, 10);
    ranks_world w{step == 0 ? std::nullopt
                            : std::optional<duration>{duration{step}}};
    w.join(1);
    w.submit_ranked(0);
    for (auto roll : *rc::gen::container<std::vector<unsigned>>(
           rc::gen::inRange(0U, 400U))) {
      if (roll % 4 < 2) {
        w.submit_ranked(static_cast<std::int64_t>(roll / 4 % 7) - 3);
      } else if (roll % 4 == 2) {
        w.pass(duration{roll / 4 % 8});
      } else if (!w.running().empty()) {
        std::optional<std::tuple<std::int64_t, std::size_t>> best;
        for (std::size_t i = 0; i < w.tasks.size(); ++i) {
          const auto& it = w.tasks[i];
          if (!w.waits(i))
            continue;
          // The smaller the sooner.
          auto key = step == 0 ? -it.notes().priority
                               : it.accepted.time_since_epoch().count()
                                   - it.notes().priority * step;
          auto mine = std::tuple{key, i};
          best = best ? std::min(*best, mine) : mine;
        }
        w.finish(w.running().front());
        if (best)
          RC_ASSERT(w.running() == names{std::get<1>(*best)});
      }
    }
  }));
}

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
