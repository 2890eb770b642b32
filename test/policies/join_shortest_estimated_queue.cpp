#include "libpool/policies/join_shortest_estimated_queue.hpp"

#include "support/placement_world.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <memory>
#include <stdexcept>

namespace join_shortest_estimated_queue_tests {

using libpool::join_shortest_estimated_queue;
using libpool::shortest_queue_options;
using test::placement_world;
using names = placement_world::names;
using namespace std::chrono_literals;

namespace {

struct queues_world : placement_world {
  explicit queues_world(double alpha = 0.25)
    : placement_world(std::make_unique<join_shortest_estimated_queue>(
      shortest_queue_options{alpha})) {
    // nop
  }

  std::size_t submit_of(std::uint64_t kind) {
    auto& added = add();
    added.kind = kind;
    return submit(added);
  }

  std::size_t submit_known(libpool::duration estimate) {
    auto& added = add();
    added.estimate = estimate;
    return submit(added);
  }

  /// A task of that kind runs for that long, alone.
  void learn(std::uint64_t kind, libpool::duration took) {
    submit_of(kind);
    pass(took);
    finish(last());
  }
};

} // namespace

TEST_CASE("the worker with the fewest tasks in flight is chosen while no task "
          "has ended") {
  queues_world w;
  w.join_all(3);
  CHECK(w.submit_all(5) == names{0, 1, 2, 0, 1});
}

TEST_CASE("a worker with one long task gets the next task if the short tasks "
          "of the other worker take longer in total") {
  queues_world w;
  w.join_all(2);
  w.learn(1, 10ns);
  w.learn(2, 3ns);
  CHECK(w.submit_of(1) == 0); // 10 and 0
  CHECK(w.submit_of(2) == 1); // 10 and 3
  CHECK(w.submit_of(2) == 1); // 10 and 6
  CHECK(w.submit_of(2) == 1); // 10 and 9
  CHECK(w.submit_of(2) == 1); // 10 and 12
  CHECK(w.submit_of(2) == 0); // 13 and 12
  CHECK(w.submit_of(2) == 1);
}

TEST_CASE(
  "a task that has ended does not count in the load of its worker any more") {
  queues_world w;
  w.join_all(2);
  w.learn(1, 10ns);
  CHECK(w.submit_of(1) == 1); // it was chosen longest ago
  auto first = w.last();
  CHECK(w.submit_of(1) == 0);
  w.finish(first);
  CHECK(w.submit_of(1) == 1);
}

TEST_CASE("the estimate for a kind of tasks is a moving average in which a new "
          "sample has the weight alpha") {
  queues_world w{0.5};
  w.join_all(2);
  w.learn(1, 10ns);
  w.learn(1, 20ns);                 // 15
  CHECK(w.submit_known(14ns) == 0); // 14 and 0
  CHECK(w.submit_of(1) == 1);       // 14 and 15
  CHECK(w.submit_known(2ns) == 0);  // 16 and 15
  CHECK(w.submit_known(1ns) == 1);
}

TEST_CASE(
  "the estimate of a task of an unknown kind is the mean of the known kinds") {
  queues_world w;
  w.join_all(2);
  w.learn(1, 10ns);
  w.learn(2, 30ns);
  CHECK(w.submit_of(3) == 0);       // 20 and 0
  CHECK(w.submit_known(19ns) == 1); // 20 and 19
  CHECK(w.submit_known(2ns) == 1);  // 20 and 21
  CHECK(w.submit_known(2ns) == 0);
}

TEST_CASE(
  "a task that crashes its worker does not change the estimate of its kind") {
  queues_world w;
  w.join_all(2);
  w.learn(1, 10ns);
  w.submit_of(1);
  w.pass(1000ns);
  w.crash(w.last());
  CHECK(w.submit_known(11ns) == 0); // 11 and 0
  CHECK(w.submit_of(1) == 1);       // 11 and 10
  CHECK(w.submit_known(2ns) == 1);
}

TEST_CASE("a restricted task goes to the permitted worker with the least "
          "work") {
  queues_world w;
  w.join_all(3);
  CHECK(w.submit_known(5ns) == 0);
  CHECK(w.submit_known(3ns) == 1);
  CHECK(w.submit_only({0, 1}) == 1);
}

TEST_CASE("the error for a value of the option 'alpha' that is out of bounds "
          "names the option") {
  CHECK_THROWS_WITH_AS(join_shortest_estimated_queue{{0.0}},
                       "libpool: alpha: must be above 0 and at most 1, got 0",
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(join_shortest_estimated_queue{{1.5}},
                       "libpool: alpha: must be above 0 and at most 1, got 1.5",
                       std::invalid_argument);
}

} // namespace join_shortest_estimated_queue_tests
