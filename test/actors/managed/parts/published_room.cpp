/// When a managed pool tells its outer pools how much room it has.

#include "libpool/actors/managed/published_room.hpp"

#include <doctest/doctest.h>

TEST_CASE("a pool that was full reports room once to all outer pools when a "
          "task leaves the queue, and not for a new message") {
  libpool::published_room room{7};
  libpool::ledger books;
  auto reports_to_all = [&] {
    auto report = room.round_ended({3, false}, books);
    return report && report->is_for_all;
  };
  books.accepted = books.waiting = 10;
  room.was_full(books);
  CHECK(!reports_to_all());
  ++books.accepted;
  ++books.waiting;
  CHECK(!reports_to_all());
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
