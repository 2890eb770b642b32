#include "libpool/nodes/protocol/epochs.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <cstdint>
#include <utility>

namespace nodes_epochs_tests {

using libpool::instant;
using libpool::worker_number;
using verdict = libpool::node_epoch::verdict;
using namespace std::chrono_literals;

namespace {

constexpr worker_number first{1};

instant at(std::chrono::milliseconds time) {
  return instant{} + 1h + time;
}

/// A node that serves the run 5 of a pool in session 1, under a lease of 4 s.
struct world {
  world() {
    link.came_up(at(0ms));
    CHECK(welcomed(5, 1, 0ms) == verdict::of_any_run);
  }

  template <class Message>
  verdict comes(std::uint64_t of, Message message,
                std::chrono::milliseconds time) {
    auto result = epoch.note({first, message}, of, link, at(time));
    if (result != verdict::stray)
      link.told(std::move(message), at(time));
    return result;
  }

  verdict welcomed(std::uint64_t by, std::uint64_t attempt,
                   std::chrono::milliseconds time) {
    return comes(by, libpool::welcome{me, attempt, first, 4s}, time);
  }

  verdict ended(std::uint64_t by, std::chrono::milliseconds time) {
    return comes(by, libpool::gone{first}, time);
  }

  static constexpr libpool::incarnation me{7};
  libpool::node_link link{me};
  libpool::node_epoch epoch;
};

} // namespace

TEST_CASE_FIXTURE(world,
                  "a later run ends the session of a node at once, and an "
                  "earlier run when the lease has run out, also if the node "
                  "leaves") {
  auto time = 2'999ms;
  SUBCASE("an earlier run") {
    time = 3s;
  }
  SUBCASE("a later run") {}
  SUBCASE("while the node leaves") {
    link.leave();
  }
  CHECK(ended(4, 2'999ms) == verdict::stray);
  CHECK(link.session());
  CHECK(ended(time == 3s ? 4 : 6, time) == verdict::of_any_run);
  CHECK(!link.session());
}

TEST_CASE_FIXTURE(world, "a node that has heard a later run does not join the "
                         "earlier run again") {
  ended(6, 100ms);
  CHECK(welcomed(5, 2, 101ms) == verdict::stray);
  CHECK(!link.session());
  CHECK(welcomed(6, 2, 102ms) == verdict::of_any_run);
  CHECK(link.session());
  CHECK(epoch.value() == 6);
}

TEST_CASE_FIXTURE(world, "a node joins an earlier run when the later run has "
                         "been silent for a lease") {
  ended(4, 3s); // says hello
  CHECK(welcomed(4, 2, 3'999ms) == verdict::stray);
  CHECK(welcomed(4, 2, 4s) == verdict::of_any_run);
  CHECK(link.session());
  CHECK(epoch.value() == 4);
}

} // namespace nodes_epochs_tests
