/// When a managed pool tells its outer pools how much room it has.

#include "libpool/actors/managed/published_room.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

using path = std::vector<std::uint64_t>;

namespace {

/// A pool with 3 places, which it has published.
struct room_world {
  room_world() {
    REQUIRE(room.round_ended({3, false}, books));
  }

  /// Whether the pool reports to all outer pools that it has 3 places.
  bool reports_to_all() {
    auto report = room.round_ended({3, false}, books);
    return report && report->is_for_all;
  }

  static constexpr std::uint64_t own_number = 7;
  libpool::published_room room{own_number};
  libpool::ledger books;
};

} // namespace

TEST_CASE("a pool publishes and reports each change of its room once") {
  libpool::published_room room{7};
  CHECK(room.get().seats == 0);
  for (libpool::room now :
       {libpool::room{3, false}, {0, false}, {0, true}, {0, false}}) {
    auto report = room.round_ended(now, {});
    REQUIRE(report);
    CHECK(report->passed == path{7});
    CHECK(!report->is_for_all);
    CHECK(report->room.seats == now.seats);
    CHECK(room.get().seats == now.seats);
    CHECK(room.get().expects_change == now.expects_change);
    CHECK(!room.round_ended(now, {}));
  }
}

TEST_CASE_FIXTURE(room_world, "a pool that was full reports room once to all "
                              "outer pools when a task leaves the queue") {
  books.accepted = books.waiting = 10;
  room.was_full(books);
  CHECK(!reports_to_all());
  ++books.accepted;
  ++books.waiting;
  CHECK(!reports_to_all()); // for a new message
  --books.waiting;
  SUBCASE("to a worker") {
    ++books.sent;
  }
  SUBCASE("as cancelled") {
    ++books.cancelled;
  }
  CHECK(reports_to_all());
  CHECK(!reports_to_all());
}

TEST_CASE_FIXTURE(room_world, "a pool reports once to all outer pools that "
                              "another pool has joined as a worker") {
  room.pool_joined();
  CHECK(reports_to_all());
  CHECK(!reports_to_all());
}

TEST_CASE_FIXTURE(room_world, "a pool forwards the report of an inner pool if "
                              "its own room has changed, or to all") {
  auto report = room.inner_changed({2, false}, {{2, false}, {5, 6}, false});
  REQUIRE(report);
  CHECK(report->passed == path{5, 6, own_number});
  CHECK(room.is_own(*report));
  CHECK(room.get().seats == 2);
  libpool::room_report other{{9, false}, {5}, false};
  CHECK(!room.is_own(other));
  CHECK(!room.inner_changed({2, false}, other));
  other.is_for_all = true;
  report = room.inner_changed({2, false}, other);
  REQUIRE(report);
  CHECK(report->is_for_all);
}
