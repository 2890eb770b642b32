/// Placements that go round are asked about tasks that are refused then.

#include "libpool/policies/catalogue.hpp"
#include "support/giving_options.hpp"
#include "support/placement_world.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <string>

using test::placement_world;
using names = placement_world::names;
using namespace std::chrono_literals;

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
    placement_world w{placement.make(),
                      {libpool::assignment::eager, false, within}};
    w.join_all(2, 1);
    CHECK(w.submit_all(3) == names{0, 1, 0});
    CHECK(w.submit_only({0}) == placement_world::nobody);
    CHECK(w.books().refused == 1);
    w.pass(1ns);
    w.finish(0);
    CHECK(w.submit() == 1);
  }
}
