#include "libpool/policies/priority.hpp"
#include "libpool/policies/least_used.hpp"
#include "support/placement_world.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <tuple>
#include <vector>

using libpool::assignment;
using libpool::duration;
using libpool::priority;
using test::placement_world;
using names = placement_world::names;
using namespace std::chrono_literals;

namespace {

using bounds = std::numeric_limits<std::int64_t>;

/// One worker that does one task at a time, so that the order shows.
struct ranks_world : placement_world {
  explicit ranks_world(std::optional<duration> age_step = std::nullopt)
    : placement_world(
      std::make_unique<libpool::least_used>(),
      {assignment::lazy,
       false,
       {},
       std::make_unique<priority>(libpool::priority_options{age_step})}) {
    // nop
  }

  void submit_ranked(std::int64_t level) {
    auto& task = add();
    task.priority = level;
    submit(task);
  }

  /// Has all that waits done by one worker: in which order.
  names served() {
    join(1);
    names result;
    while (!running().empty()) {
      result.push_back(running().front());
      finish(result.back());
    }
    return result;
  }
};

} // namespace

TEST_CASE("the task with the highest priority goes first, and among equals the "
          "oldest task") {
  ranks_world w;
  for (auto level : {0, 5, -3, 5, 0, 9, -3})
    w.submit_ranked(level);
  CHECK(w.served() == names{5, 1, 3, 0, 4, 2, 6});
}

TEST_CASE("without ageing, waiting does not raise the priority of a task") {
  ranks_world w;
  w.submit_ranked(0);
  w.pass(1000h);
  w.submit_ranked(1);
  CHECK(w.served() == names{1, 0});
  CHECK_FALSE(priority{}.is_timed());
}

TEST_CASE("with ageing, a task of priority p is served as if the task had "
          "arrived p ageing steps earlier") {
  ranks_world w{10ns};
  w.submit_ranked(0); // at 0: as if at 0
  w.pass(9ns);
  w.submit_ranked(1); // at 9: as if at -1
  w.pass(2ns);
  w.submit_ranked(1); // at 11: as if at 1
  w.pass(9ns);
  w.submit_ranked(2);  // at 20: as if at 0, behind task 0
  w.submit_ranked(-1); // at 20: as if at 30
  w.pass(9ns);
  w.submit_ranked(0); // at 29: as if at 29
  CHECK(w.served() == names{1, 0, 3, 2, 5, 4});
  CHECK(priority{{10ns}}.is_timed());
}

TEST_CASE("with ageing, a task of low priority does not starve") {
  // One task of priority 0, and for each nanosecond one of priority 7, which is
  // as much as can be done. Tasks that came within 7 steps of 10 ns after it go
  // before it, and no others: it is served as the 71st or so.
  ranks_world w{10ns};
  w.submit_ranked(0);
  w.submit_ranked(7);
  w.join(1);
  CHECK(w.tasks[1].is == libpool::task::condition::running);
  std::size_t done = 0;
  while (w.tasks[0].is == libpool::task::condition::waiting) {
    REQUIRE(done < 100);
    w.pass(1ns);
    w.submit_ranked(7);
    w.finish(w.running().front());
    ++done;
  }
  // Task i > 1 came at i - 1, as if at i - 71: before 0 for i <= 70. With i =
  // 71 the tie goes to the older one.
  CHECK(done == 70);
}

TEST_CASE("without ageing, a task of low priority may starve") {
  ranks_world w;
  w.submit_ranked(0);
  w.submit_ranked(7);
  w.join(1);
  for (auto i = 0; i < 1000; ++i) {
    w.pass(1ns);
    w.submit_ranked(7);
    w.finish(w.running().front());
  }
  CHECK(w.tasks[0].is == libpool::task::condition::waiting);
}

TEST_CASE(
  "tasks with extreme priorities are sorted correctly, without overflow") {
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
}

TEST_CASE(
  "the sort key of a task is clamped to the range of its integer type") {
  priority order{{1h}};
  libpool::task task;
  task.accepted = libpool::instant{1000h};
  task.priority = bounds::max();
  CHECK(order.rank(task) == bounds::max());
  task.priority = bounds::min();
  CHECK(order.rank(task) == bounds::min());
  task.priority = 1;
  CHECK(order.rank(task) == duration{-999h}.count());
  task.accepted = libpool::instant::min();
  CHECK(order.rank(task) == bounds::max());
}

TEST_CASE("the error for a value of at most 0 for the option 'age_step' names "
          "the option") {
  CHECK_THROWS_WITH_AS(priority{{0ns}},
                       "libpool: age_step: must be above 0, got 0s",
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(priority{{-1ns}},
                       "libpool: age_step: must be above 0, got -1ns",
                       std::invalid_argument);
}

TEST_CASE("waiting tasks keep their order when a worker leaves") {
  ranks_world w{10ns};
  w.join(1);
  w.submit_ranked(3);
  w.submit_ranked(1);
  w.submit_ranked(5);
  w.tasks[0].repeatable = true;
  w.leave(0); // the running one fails, as nothing is retried
  CHECK(w.books().failed == 1);
  CHECK(w.served() == names{2, 1});
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
          if (it.is != libpool::task::condition::waiting)
            continue;
          // The smaller the sooner.
          auto key = step == 0 ? -it.priority
                               : it.accepted.time_since_epoch().count()
                                   - it.priority * step;
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
