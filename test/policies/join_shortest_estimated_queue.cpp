#include "libpool/policies/join_shortest_estimated_queue.hpp"

#include "support/policy_world.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <memory>

namespace join_shortest_estimated_queue_tests {

using libpool::join_shortest_estimated_queue;
using names = test::policy_world::names;
using namespace std::chrono_literals;

namespace {

struct queues_world : test::policy_world {
  explicit queues_world(std::size_t size = 2, double alpha = 0.25)
    : policy_world(std::make_unique<join_shortest_estimated_queue>(
      libpool::shortest_queue_options{alpha})) {
    join_all(size);
  }

  libpool::task& of_kind(std::uint64_t kind) {
    auto& added = add();
    added.kind = kind;
    return added;
  }

  std::size_t submit_of(std::uint64_t kind) {
    return submit(of_kind(kind));
  }

  std::size_t submit_known(libpool::duration estimate) {
    auto& added = add();
    added.estimate = estimate;
    return submit(added);
  }
};

} // namespace

TEST_CASE("the worker with the fewest tasks in flight is chosen while no task "
          "has ended") {
  CHECK(queues_world{3}.submit_all(5) == names{0, 1, 2, 0, 1});
}

TEST_CASE("a worker with one long task gets the next task if the short tasks "
          "of the other worker take longer in total") {
  queues_world w;
  w.serve(w.of_kind(1), 10ns);
  w.serve(w.of_kind(2), 3ns);
  CHECK(w.submit_of(1) == 0); // 10 and 0
  names chosen;
  for (auto i = 0; i < 6; ++i) // 10 and 3, 6, 9, 12; 13 and 12
    chosen.push_back(w.submit_of(2));
  CHECK(chosen == names{1, 1, 1, 1, 0, 1});
}

TEST_CASE(
  "a task that has ended does not count in the load of its worker any more") {
  queues_world w;
  w.serve(w.of_kind(1), 10ns);
  CHECK(w.submit_of(1) == 1); // it was chosen longest ago
  CHECK(w.submit_of(1) == 0);
  w.finish(1);
  CHECK(w.submit_of(1) == 1);
}

TEST_CASE("the estimate for a kind of tasks is a moving average in which a new "
          "sample has the weight alpha, and crashes do not count") {
  queues_world w{2, 0.5};
  w.serve(w.of_kind(1), 10ns);
  w.serve(w.of_kind(1), 20ns); // 15
  w.submit_of(1);
  w.pass(1000ns);
  w.crash(w.last());
  CHECK(w.submit_known(14ns) == 1); // 0 and 14
  CHECK(w.submit_of(1) == 0);       // 15 and 14
  CHECK(w.submit_known(2ns) == 1);  // 15 and 16
  CHECK(w.submit_known(1ns) == 0);
}

TEST_CASE(
  "the estimate of a task of an unknown kind is the mean of the known kinds") {
  queues_world w;
  w.serve(w.of_kind(1), 10ns);
  w.serve(w.of_kind(2), 30ns);
  CHECK(w.submit_of(3) == 0);       // 20 and 0
  CHECK(w.submit_known(19ns) == 1); // 20 and 19
  CHECK(w.submit_known(2ns) == 1);  // 20 and 21
  CHECK(w.submit_known(2ns) == 0);
}

TEST_CASE("a restricted task goes to the permitted worker with the least "
          "work") {
  queues_world w{3};
  CHECK(w.submit_known(5ns) == 0);
  CHECK(w.submit_known(3ns) == 1);
  CHECK(w.submit_only({0, 1}) == 1);
}

} // namespace join_shortest_estimated_queue_tests
