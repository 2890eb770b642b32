/// Workers of a pool: joins, rests, pauses, and the tasks that they can get.

#include "libpool/core/pool_workers.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>
#include <deque>
#include <vector>

namespace core_pool_workers_tests {

using libpool::instant;
using libpool::pool_workers;
using libpool::worker_number;
using in_state = libpool::worker::condition;
using namespace std::chrono_literals;

namespace {

constexpr instant start{1s};

struct world {
  explicit world(bool is_eager = false, bool counts_seats = false)
    : workers(is_eager, counts_seats) {
    // nop
  }

  libpool::worker& join(std::size_t places = 1) {
    auto& result = all.emplace_back();
    result.number = worker_number{all.size() - 1};
    result.window = result.seats = places;
    workers.joined(result);
    update(result);
    return result;
  }

  void update(libpool::worker& worker) {
    workers.count_seats(worker);
    workers.offer(worker);
    workers.give_room(worker);
  }

  void send(libpool::worker& to) {
    ++to.in_flight;
    workers.sent(to);
    update(to);
  }

  std::deque<libpool::worker> all;
  pool_workers workers; // destroyed before its workers
};

} // namespace

TEST_CASE("a worker gets tasks until its window is full") {
  world w;
  auto& worker = w.join(2);
  CHECK(w.workers.offered() == 1);
  CHECK(w.workers.with_room() == 1);
  w.send(worker);
  CHECK(worker.offered);
  CHECK(w.workers.busy() == 1);
  w.send(worker);
  CHECK(w.workers.offered() == 0);
  CHECK(w.workers.with_room() == 0);
  w.workers.came_back(worker);
  w.update(worker);
  CHECK(w.workers.offered() == 1);
  CHECK(w.workers.busy() == 1);
}

TEST_CASE(
  "with eager assignment, tasks are assigned to a worker without room") {
  world w{true};
  auto& worker = w.join();
  w.send(worker);
  CHECK(w.workers.offered() == 1);
  CHECK(w.workers.with_room() == 0);
  worker.waits = true;
  w.update(worker);
  CHECK(w.workers.offered() == 0);
}

TEST_CASE("with eager assignment, a worker is ready if it has room and tasks "
          "that were not sent") {
  world w{true};
  auto& worker = w.join();
  CHECK(w.workers.first_ready() == nullptr);
  libpool::task task;
  worker.deque.add(task);
  w.update(worker);
  CHECK(w.workers.first_ready() == &worker);
  worker.deque.remove(task);
  w.update(worker);
  CHECK(w.workers.first_ready() == nullptr);
}

TEST_CASE("a worker is idle while it is fit and has no tasks") {
  world w{true};
  auto& worker = w.join();
  CHECK(w.workers.keep_idle(worker));
  CHECK_FALSE(w.workers.keep_idle(worker));
  CHECK(w.workers.idle() == 1);
  w.send(worker);
  CHECK(w.workers.keep_idle(worker));
  CHECK(w.workers.idle() == 0);
}

TEST_CASE("a worker that rests, hangs, pauses or is paused gets no tasks") {
  world w;
  auto& worker = w.join();
  auto is_offered = [&] {
    w.update(worker);
    return worker.offered;
  };
  w.workers.rest(worker, start);
  CHECK_FALSE(is_offered());
  CHECK(w.workers.end_rest(worker));
  CHECK_FALSE(w.workers.end_rest(worker));
  CHECK(is_offered());
  w.workers.hangs(worker);
  CHECK_FALSE(is_offered());
  CHECK(w.workers.hanging() == 1);
  w.workers.ends_hanging(worker);
  CHECK(is_offered());
  CHECK(worker.overran);
  w.workers.paused(worker, true);
  CHECK(w.workers.has_pauses());
  CHECK_FALSE(is_offered());
  w.workers.paused(worker, false);
  CHECK_FALSE(w.workers.has_pauses());
  CHECK(is_offered());
  CHECK(w.workers.suspended(worker));
  CHECK_FALSE(w.workers.suspended(worker));
  CHECK(w.workers.has_suspended());
  CHECK_FALSE(is_offered());
  CHECK(w.workers.reinstated(worker));
  CHECK_FALSE(w.workers.reinstated(worker));
  CHECK(is_offered());
  w.workers.suspended(true);
  CHECK(w.workers.is_suspended());
  CHECK_FALSE(is_offered());
}

TEST_CASE("rests end in the order of their times") {
  world w;
  auto& later = w.join();
  auto& sooner = w.join();
  CHECK(w.workers.next_rested() == libpool::never);
  w.workers.rest(later, start + 2s);
  w.workers.rest(sooner, start + 1s);
  CHECK(w.workers.next_rested() == start + 1s);
  CHECK(w.workers.take_rested(start) == nullptr);
  CHECK(w.workers.take_rested(start + 2s) == &sooner);
  CHECK(w.workers.take_rested(start + 2s) == &later);
  CHECK(w.workers.take_rested(start + 2s) == nullptr);
}

TEST_CASE("after a crash, a worker rests as long as its slowest recent task "
          "took, unless the crash came late") {
  world w;
  auto& worker = w.join();
  worker.slowest_lately = 5s;
  libpool::task task;
  task.started = start;
  w.workers.rest_after(task, worker, start + 5s);
  CHECK(w.workers.next_rested() == libpool::never);
  w.workers.rest_after(task, worker, start + 1s);
  CHECK(w.workers.next_rested() == start + 5s);
  worker.slowest_lately = 2s;
  w.workers.rest_after(task, worker, start + 1s);
  CHECK(w.workers.next_rested() == start + 5s);
}

TEST_CASE("a worker that leaves counts as neither busy, hanging nor paused") {
  world w;
  auto& worker = w.join();
  w.send(worker);
  w.workers.hangs(worker);
  w.workers.suspended(worker);
  w.workers.paused(worker, true);
  w.workers.rest(worker, start);
  CHECK(w.workers.stops_serving(worker, in_state::leaving));
  CHECK_FALSE(w.workers.stops_serving(worker, in_state::gone));
  CHECK(w.workers.busy() == 0);
  CHECK(w.workers.hanging() == 0);
  CHECK_FALSE(w.workers.has_suspended());
  CHECK_FALSE(w.workers.has_pauses());
  CHECK(w.workers.next_rested() == libpool::never);
  w.workers.ends_hanging(worker);
  w.workers.came_back(worker);
  w.update(worker);
  w.workers.dismissed(worker);
  CHECK(worker.is == in_state::unknown);
  CHECK_FALSE(w.workers.has(worker.number));
}

TEST_CASE("the places of a pool are the windows of its workers or, if seats "
          "are counted, their seats") {
  for (auto counts_seats : {false, true}) {
    CAPTURE(counts_seats);
    world w{false, counts_seats};
    auto& first = w.join(2);
    w.join(3).seats = 4;
    CHECK(w.workers.places() == (counts_seats ? 6U : 5U));
    w.workers.seats.counted(first, false);
    w.workers.resized(first, 0);
    w.update(first);
    CHECK(w.workers.places() == (counts_seats ? 4U : 3U));
    CHECK_FALSE(first.offered);
  }
}

TEST_CASE("a restriction is lost when all of its workers have left or are "
          "pools without workers") {
  world w;
  libpool::restriction where;
  where.only = {worker_number{0}, worker_number{1}};
  auto& first = w.join();
  CHECK_FALSE(w.workers.are_lost(where)); // the other worker may join
  auto& second = w.join();
  w.workers.stops_serving(first, in_state::leaving);
  CHECK_FALSE(w.workers.are_lost(where));
  second.has_nobody = true;
  CHECK(w.workers.are_lost(where));
  where.open = true;
  CHECK_FALSE(w.workers.are_lost(where));
}

} // namespace core_pool_workers_tests
