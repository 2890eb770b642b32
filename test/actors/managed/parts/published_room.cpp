/// When a managed pool tells its outer pools how much room it has.

#include "libpool/actors/managed/published_room.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

using libpool::ledger;
using libpool::published_room;
using libpool::room_report;
using numbers = std::vector<std::uint64_t>;

namespace {

constexpr std::uint64_t own_number = 7;

/// The books of a pool in which so many of ten accepted tasks still wait.
ledger waiting(std::uint64_t tasks) {
  ledger books;
  books.accepted = 10;
  books.waiting = tasks;
  books.sent = 10 - tasks;
  return books;
}

} // namespace

TEST_CASE("a pool shows 0 places to outer pools before it publishes a number "
          "of places") {
  published_room room{own_number};
  CHECK(room.get().seats == 0);
  CHECK(!room.get().expects_change);
}

TEST_CASE(
  "a pool publishes and reports a change of its number of places once") {
  published_room room{own_number};
  auto report = room.round_ended({3, false}, {});
  REQUIRE(report);
  CHECK(report->room.seats == 3);
  CHECK(report->passed == numbers{own_number});
  CHECK(!report->is_for_all);
  CHECK(room.get().seats == 3);
  CHECK(!room.round_ended({3, false}, {}));
}

TEST_CASE(
  "a pool publishes whether a change of its number of places is expected") {
  published_room room{own_number};
  auto report = room.round_ended({0, true}, {});
  REQUIRE(report);
  CHECK(report->room.expects_change);
  CHECK(room.get().expects_change);
  CHECK(!room.round_ended({0, true}, {}));
  CHECK(room.round_ended({0, false}, {}));
}

TEST_CASE("a pool that was full reports room to all outer pools when a task "
          "leaves the queue") {
  published_room room{own_number};
  room.round_ended({3, false}, {});
  room.was_full(waiting(4));
  CHECK(!room.round_ended({3, false}, waiting(4)));
  auto report = room.round_ended({3, false}, waiting(3));
  REQUIRE(report);
  CHECK(report->is_for_all);
  CHECK(!room.round_ended({3, false}, waiting(2)));
}

TEST_CASE("a pool that was full reports room to all outer pools when a waiting "
          "task is cancelled") {
  published_room room{own_number};
  room.round_ended({3, false}, {});
  auto books = waiting(4);
  room.was_full(books);
  --books.waiting;
  ++books.cancelled;
  CHECK(room.round_ended({3, false}, books));
}

TEST_CASE(
  "a pool that was full does not report room for a new message in its queue") {
  published_room room{own_number};
  room.round_ended({3, false}, {});
  auto books = waiting(4);
  room.was_full(books);
  ++books.accepted;
  ++books.waiting;
  CHECK(!room.round_ended({3, false}, books));
}

TEST_CASE("a pool reports once to all outer pools that another pool has joined "
          "as a worker") {
  published_room room{own_number};
  room.round_ended({3, false}, {});
  room.pool_joined();
  auto report = room.round_ended({3, false}, {});
  REQUIRE(report);
  CHECK(report->is_for_all);
  CHECK(!room.round_ended({3, false}, {}));
}

TEST_CASE("a pool forwards the report of an inner pool with the list of pools "
          "that have forwarded the report") {
  published_room room{own_number};
  room_report reported{{2, false}, {5, 6}, false};
  auto report = room.inner_changed({2, false}, reported);
  REQUIRE(report);
  CHECK(report->passed == numbers{5, 6, own_number});
  CHECK(room.get().seats == 2);
}

TEST_CASE("a pool whose own number of places is unchanged does not forward the "
          "report of an inner pool") {
  published_room room{own_number};
  room.round_ended({2, false}, {});
  CHECK(!room.inner_changed({2, false}, {{9, false}, {5}, false}));
}

TEST_CASE("a report for all outer pools is forwarded even if the number of "
          "places is unchanged") {
  published_room room{own_number};
  room.round_ended({2, false}, {});
  auto report = room.inner_changed({2, false}, {{9, false}, {5}, true});
  REQUIRE(report);
  CHECK(report->is_for_all);
}

TEST_CASE("a pool recognises a report that the pool has forwarded before") {
  published_room room{own_number};
  CHECK(room.is_own({{1, false}, {5, own_number, 6}, false}));
  CHECK(!room.is_own({{1, false}, {5, 6}, false}));
}
