/// Workers that are tried again after they have been passed over.

#include "libpool/policies/fair_share.hpp"
#include "support/estimates_world.hpp"

#include <doctest/doctest.h>

#include <chrono>

namespace probing_tests {

using libpool::estimate_options;
using libpool::fair_share;
using test::estimating;
using world = test::estimates_world<fair_share>;
using namespace std::chrono_literals;

TEST_CASE("an idle worker gets the next task after 'probe_every' tasks per "
          "worker have gone to other workers") {
  estimate_options options;
  options.probe_every = 3;
  world w{options};
  w.join_all(2);
  w.sample(1, 1ns);
  w.sample(0, 100ns); // the last choice of 0
  // 3·2 tasks go past it, the next one does not.
  for (auto i = 0; i < 6; ++i)
    CHECK(w.serve(1ns) == 1);
  CHECK(w.serve(1ns) == 0);
  for (auto i = 0; i < 6; ++i)
    CHECK(w.serve(1ns) == 1);
  CHECK(w.submit() == 0);
  for (auto i = 0; i < 20; ++i)
    CHECK(w.serve(1ns) == 1); // it is not idle
}

TEST_CASE("an idle worker that is due for a task as a probe of its speed gets "
          "the next task that it may run") {
  estimate_options options;
  options.probe_every = 3;
  world w{options};
  w.join_all(2);
  w.sample(1, 1ns);
  w.sample(0, 100ns);
  auto serve = [&w](const world::names& only) {
    auto worker = w.submit_only(only);
    w.pass(1ns);
    w.finish(w.last());
    return worker;
  };
  for (auto i = 0; i < 6; ++i)
    CHECK(serve({0, 1}) == 1);
  CHECK(serve({1}) == 1);
  CHECK(serve({0, 1}) == 0);
  CHECK(serve({0, 1}) == 1);
}

TEST_CASE("a worker with a bad estimate gets no tasks as probes of its speed "
          "if probing is switched off") {
  world w{estimating()};
  w.join_all(2);
  w.sample(1, 1ns);
  w.sample(0, 100ns);
  for (auto i = 0; i < 1000; ++i)
    CHECK(w.serve(1ns) == 1);
}

} // namespace probing_tests
