#include "libpool/policies/placement/round_robin.hpp"
#include "libpool/policies/catalogue.hpp"
#include "support/giving_options.hpp"
#include "support/policy_world.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>

using libpool::assignment;
using test::policy_world;
using names = policy_world::names;
using namespace std::chrono_literals;

namespace {

/// Workers of window 1, so that where tasks are bound lazily a busy one has no
/// room.
struct turns_world : policy_world {
  explicit turns_world(std::size_t size, assignment when = assignment::eager,
                       bool steals = false)
    : policy_world(std::make_unique<libpool::round_robin>(), when, steals) {
    join_all(size, 1);
  }
};

} // namespace

TEST_CASE("workers have their turns in order, regardless of when tasks end, "
          "and a worker that joins has its turn after all others") {
  turns_world w{3};
  CHECK(w.submit() == 0);
  w.finish(0);
  CHECK(w.submit_all(2) == names{1, 2});
  w.crash(1);
  w.cancel(2);
  CHECK(w.submit_all(3) == names{0, 1, 2});
  w.join();
  CHECK(w.submit_all(5) == names{3, 0, 1, 2, 3});
}

TEST_CASE(
  "a worker that leaves does not change the turns of the other workers") {
  // After i tasks worker i-1 had the last one, so i is next, if it is there.
  for (std::size_t taken = 0; taken <= 4; ++taken)
    for (std::size_t gone = 0; gone < 4; ++gone) {
      CAPTURE(taken);
      CAPTURE(gone);
      turns_world w{4};
      w.serve_all(taken, 1ns);
      w.retire(gone);
      names expected;
      for (auto next = taken; expected.size() < 6; ++next)
        if (next % 4 != gone)
          expected.push_back(next % 4);
      CHECK(w.submit_all(6) == expected);
    }
}

TEST_CASE("after all workers have left, the turns go on with the first worker "
          "that joins") {
  turns_world w{2};
  w.serve(1ns);
  w.retire(0);
  w.retire(1);
  CHECK(w.submit() == policy_world::nobody);
  w.join_all(2);
  CHECK(w.worker_of(1) == 2);
  CHECK(w.submit() == 3);
}

TEST_CASE("a restricted task goes to the next permitted worker, and the next "
          "task to the worker after this worker") {
  turns_world w{4};
  CHECK(w.submit_only({1, 3}) == 1);
  CHECK(w.submit_only({1, 3}) == 3);
  CHECK(w.submit_only({1, 3}) == 1);
  CHECK(w.submit() == 2);
  CHECK(w.submit_only({0, 2}) == 0); // the next one behind 2, from the end back
  CHECK(w.submit() == 1);
}

TEST_CASE("a task that goes to its home, or that an idle worker steals, does "
          "not use up the turn of a worker") {
  turns_world w{4};
  CHECK(w.submit_home(2) == 2);
  CHECK(w.submit() == 0);
  CHECK(w.submit() == 1);
  turns_world v{3, assignment::eager, true};
  CHECK(v.submit_all(4) == names{0, 1, 2, 0});
  v.finish(2);
  CHECK(v.worker_of(3) == 2);
  CHECK(v.submit() == 1);
}

// Both workers have one task under way, and worker 0 one that waits, so the
// pool is full. It is the turn of worker 1.
TEST_CASE("a task that the pool refuses does not use up the turn of a worker") {
  for (const std::string name : {"round_robin", "weighted_round_robin",
                                 "interleaved_weighted_round_robin"}) {
    CAPTURE(name);
    libpool::chosen<libpool::placement> placement{name};
    test::give(placement, "initial_estimate", libpool::duration{1});
    libpool::limits within;
    within.capacity = 1;
    policy_world w{test::placed_by(placement.make()), within};
    w.join_all(2, 1);
    CHECK(w.submit_all(3) == names{0, 1, 0});
    CHECK(w.submit_only({0}) == policy_world::nobody);
    CHECK(w.books().refused == 1);
    w.pass(1ns);
    w.finish(0);
    CHECK(w.submit() == 1);
  }
}
