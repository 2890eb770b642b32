#include "libpool/policies/round_robin.hpp"
#include "support/placement_world.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <memory>

using libpool::assignment;
using libpool::round_robin;
using test::placement_world;
using names = placement_world::names;
using namespace std::chrono_literals;

namespace {

/// Workers of window 1, so that where tasks are bound lazily a busy one has no
/// room.
struct turns_world : placement_world {
  explicit turns_world(std::size_t size, assignment when = assignment::eager)
    : placement_world(std::make_unique<round_robin>(), {when}) {
    join_all(size, 1);
  }
};

} // namespace

TEST_CASE("workers have their turns in order, and the first worker follows the "
          "last worker") {
  turns_world w{3};
  CHECK(w.submit_all(7) == names{0, 1, 2, 0, 1, 2, 0});
}

TEST_CASE("the turns of workers do not depend on when tasks end") {
  turns_world w{3};
  CHECK(w.submit() == 0);
  w.finish(0);
  CHECK(w.submit() == 1);
  CHECK(w.submit() == 2);
  w.crash(1);
  w.cancel(2);
  CHECK(w.submit() == 0);
}

TEST_CASE(
  "a worker that leaves does not change the turns of the other workers") {
  // After i tasks worker i-1 had the last one, so i is next, if it is there.
  for (std::size_t taken = 0; taken <= 4; ++taken)
    for (std::size_t gone = 0; gone < 4; ++gone) {
      CAPTURE(taken);
      CAPTURE(gone);
      turns_world w{4};
      for (std::size_t i = 0; i < taken; ++i)
        w.serve(1ns);
      w.retire(gone);
      auto next = taken % 4;
      for (auto i = 0; i < 6; ++i) {
        if (next == gone)
          next = (next + 1) % 4;
        CHECK(w.submit() == next);
        next = (next + 1) % 4;
      }
    }
}

TEST_CASE("a worker that joins has its turn after all other workers") {
  turns_world w{2};
  CHECK(w.submit_all(2) == names{0, 1});
  w.join();
  CHECK(w.submit_all(4) == names{2, 0, 1, 2});
}

TEST_CASE(
  "with lazy assignment, a worker that has no room for a task is passed over") {
  turns_world w{3, assignment::lazy};
  CHECK(w.submit_all(3) == names{0, 1, 2});
  CHECK(w.submit() == placement_world::nobody);
  w.finish(1); // the only one with room
  CHECK(w.worker_of(3) == 1);
  w.finish(0);
  w.finish(2);
  w.finish(3);
  CHECK(w.submit_all(3) == names{2, 0, 1});
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

TEST_CASE("a task that goes to its home, the worker that has its data, does "
          "not use up the turn of a worker") {
  turns_world w{4};
  CHECK(w.submit_home(2) == 2);
  CHECK(w.submit() == 0);
  CHECK(w.submit_home(3) == 3);
  CHECK(w.submit() == 1);
}

TEST_CASE(
  "a task that an idle worker steals does not use up the turn of this worker") {
  placement_world w{std::make_unique<libpool::round_robin>(),
                    {libpool::assignment::eager, true}};
  w.join_all(3, 1);
  CHECK(w.submit_all(4) == placement_world::names{0, 1, 2, 0});
  w.finish(2);
  CHECK(w.worker_of(3) == 2);
  CHECK(w.submit() == 1);
}

TEST_CASE("after all workers have left, the turns go on with the first worker "
          "that joins") {
  turns_world w{2};
  w.serve(1ns);
  w.retire(0);
  w.retire(1);
  CHECK(w.submit() == placement_world::nobody);
  w.join();
  w.join();
  CHECK(w.worker_of(1) == 2);
  CHECK(w.submit() == 3);
}
