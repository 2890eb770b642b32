#include "libpool/core/seat_book.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

using libpool::seat_book;
using libpool::task;
using libpool::worker;

namespace {

using numbers = std::vector<std::uint64_t>;

/// Workers, which are well, and a book of their seats.
struct book_world {
  explicit book_world(bool counts = true) : book(counts) {
    // nop
  }

  worker& join(std::size_t seats) {
    auto& result = workers.emplace_back();
    result.number = libpool::worker_number{workers.size() - 1};
    result.seats = seats;
    result.is = worker::condition::serving;
    all.insert(result);
    book.joined(result, all);
    book.counted(result, true);
    offer(result);
    return result;
  }

  void offer(worker& worker) {
    worker.offered = true;
    book.offered(worker, true);
  }

  /// Sends a task of the width `width` to the worker `to`, which is offered
  /// again.
  task& send(std::size_t width, worker& to) {
    auto& result = of(width);
    result.seats = book.seats_for(result);
    book.taken(result, to);
    if (book.has_place(to))
      offer(to);
    return result;
  }

  task& of(std::size_t width) {
    auto& result = tasks.emplace_back();
    result.width = width;
    return result;
  }

  /// Numbers of the workers that have room for a task of the width `width`.
  numbers with_room(std::size_t width) {
    std::vector<worker*> found;
    book.collect(of(width), found);
    numbers result;
    for (const auto* each : found)
      result.push_back(static_cast<std::uint64_t>(each->number));
    return result;
  }

  std::deque<task> tasks;
  std::deque<worker> workers;
  libpool::workers_by_number all;
  seat_book book;
};

} // namespace

TEST_CASE(
  "a task takes as many seats of the pool as it needs, but at most all seats") {
  book_world w;
  w.join(2);
  w.join(3);
  CHECK(w.book.seats() == 5);
  CHECK(w.book.seats_for(w.of(4)) == 4);
  CHECK(w.book.seats_for(w.of(9)) == 5);
}

TEST_CASE("a task takes at most as many seats of a worker as the worker has") {
  book_world w;
  auto& first = w.join(2);
  w.join(3);
  auto& sent = w.send(4, first);
  CHECK(sent.seats == 4);
  CHECK(sent.seats_there == 2);
  CHECK(first.seats_taken == 2);
  CHECK_FALSE(w.book.has_place(first));
}

TEST_CASE("a task fits if the pool has as many free seats as the task takes") {
  book_world w;
  auto& first = w.join(2);
  w.join(3);
  auto& sent = w.send(3, first);
  CHECK(w.book.fits(w.of(2)));
  CHECK_FALSE(w.book.fits(w.of(3)));
  w.book.freed(sent, first);
  CHECK(w.book.fits(w.of(5)));
}

TEST_CASE("the function collect finds the workers that have enough free seats "
          "for a task") {
  book_world w;
  auto& first = w.join(2);
  w.join(3);
  w.send(1, first);
  CHECK(w.with_room(1) == numbers{0, 1});
  CHECK(w.with_room(2) == numbers{1});
  CHECK(w.book.fits_on_all(w.of(1)));
  CHECK_FALSE(w.book.fits_on_all(w.of(2)));
}

TEST_CASE("an idle worker has room even for a task that needs more seats than "
          "the worker has") {
  book_world w;
  w.join(2);
  auto& second = w.join(4);
  w.send(1, second);
  CHECK(w.with_room(4) == numbers{0});
}

TEST_CASE("while each worker has one seat, workers are not sorted by free "
          "seats, and each worker has room") {
  book_world w;
  auto& first = w.join(1);
  CHECK_FALSE(first.room_hook.is_linked());
  CHECK(w.book.fits_on_all(w.of(5)));
  w.join(2);
  CHECK(first.room_hook.is_linked());
}

TEST_CASE("the seats of an unavailable worker, and the seats that its tasks "
          "take, are not counted") {
  book_world w;
  auto& first = w.join(2);
  w.join(3);
  auto& sent = w.send(2, first);
  CHECK(w.book.counted(first, false));
  CHECK_FALSE(w.book.counted(first, false));
  CHECK(w.book.seats() == 3);
  CHECK(w.book.fits(w.of(3)));
  SUBCASE("a task that ends while its worker is unavailable frees no seats of "
          "the pool") {
    w.book.freed(sent, first);
    CHECK(w.book.counted(first, true));
    CHECK(w.book.fits(w.of(5)));
  }
  SUBCASE(
    "a task that still runs when its worker returns takes its seats again") {
    CHECK(w.book.counted(first, true));
    CHECK(w.book.fits(w.of(3)));
    CHECK_FALSE(w.book.fits(w.of(4)));
  }
}

TEST_CASE("a task is too wide if it needs more seats than all workers of the "
          "pool have together") {
  book_world w;
  CHECK_FALSE(w.book.is_too_wide(w.of(100)));
  auto& first = w.join(2);
  w.join(3);
  CHECK_FALSE(w.book.is_too_wide(w.of(5)));
  CHECK(w.book.is_too_wide(w.of(6)));
  w.book.counted(first, false);
  CHECK_FALSE(w.book.is_too_wide(w.of(5)));
  w.book.retired(first);
  CHECK(w.book.is_too_wide(w.of(4)));
}

TEST_CASE("if the number of seats of a worker changes, the pool counts the new "
          "number") {
  book_world w;
  auto& first = w.join(1);
  w.book.counted(first, false);
  w.book.resized(first, 4, w.all);
  w.book.counted(first, true);
  w.offer(first);
  CHECK(w.book.seats() == 4);
  CHECK_FALSE(w.book.is_too_wide(w.of(4)));
  CHECK(first.room_hook.is_linked());
}

TEST_CASE("the window of a worker decides whether the worker has room if seats "
          "are not counted") {
  book_world w{false};
  auto& first = w.join(1);
  CHECK(w.book.fits(w.of(9)));
  CHECK(w.book.has_room(first, w.of(9)));
  CHECK_FALSE(w.book.is_too_wide(w.of(9)));
  CHECK(w.book.has_place(first));
  first.in_mailbox = first.window;
  CHECK_FALSE(w.book.has_place(first));
}
