/// The choice of a worker by home, restriction and placement.

#include "libpool/core/worker_chooser.hpp"
#include "libpool/policies/order/fifo.hpp"
#include "libpool/policies/placement/least_used.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <deque>
#include <vector>

namespace core_worker_chooser_tests {

using libpool::instant;
using libpool::worker_number;

namespace {

constexpr instant now{};

struct world {
  explicit world(bool is_eager = false, bool counts_seats = false)
    : workers(is_eager, counts_seats),
      aside(order, placement, workers),
      chooser(is_eager, placement, workers, aside) {
    // nop
  }

  ~world() {
    for (auto& each : all)
      if (each.is != libpool::worker::condition::unknown)
        take_off(each);
  }

  libpool::worker& join(std::size_t seats = 1) {
    auto& result = all.emplace_back();
    result.number = worker_number{all.size() - 1};
    result.seats = seats;
    workers.joined(result);
    placement.joined(result, now);
    update(result);
    return result;
  }

  void update(libpool::worker& worker) {
    workers.count_seats(worker);
    if (!workers.offer(worker))
      return;
    if (worker.offered)
      placement.offered(worker, now);
    else
      placement.withdrawn(worker, now);
  }

  void take_off(libpool::worker& worker) {
    workers.stops_serving(worker, libpool::worker::condition::leaving);
    update(worker);
    workers.dismissed(worker);
    placement.left(worker, now);
  }

  const libpool::worker* choose(const libpool::task& task) {
    return chooser.choose(task, now).worker;
  }

  std::deque<libpool::worker> all;
  libpool::fifo order;
  libpool::least_used placement;
  libpool::pool_workers workers;
  libpool::waiting_room aside;
  libpool::worker_chooser chooser;
};

struct restricted_task : libpool::task {
  explicit restricted_task(std::vector<worker_number> only) {
    where.only = std::move(only);
    own_notes().where = &where;
  }

  libpool::restriction where;
};

} // namespace

TEST_CASE("no worker is chosen while none can get tasks") {
  world w;
  CHECK(w.choose(libpool::task{}) == nullptr);
  CHECK_FALSE(w.chooser.choose(libpool::task{}, now).is_unplaced);
}

TEST_CASE(
  "the placement chooses the worker of a task that any worker may run") {
  world w;
  auto& first = w.join();
  auto choice = w.chooser.choose(libpool::task{}, now);
  CHECK(choice.worker == &first);
  CHECK(choice.is_picked);
}

TEST_CASE("a task goes to its home only with eager assignment") {
  for (auto is_eager : {false, true}) {
    CAPTURE(is_eager);
    world w{is_eager};
    w.join();
    auto& home = w.join();
    libpool::task task;
    task.own_notes().home = home.number;
    auto choice = w.chooser.choose(task, now);
    CHECK((choice.worker == &home) == is_eager);
    CHECK(choice.is_picked != is_eager);
  }
}

TEST_CASE("a task goes to one of the workers that its restriction names, or "
          "waits for them") {
  world w;
  w.join();
  auto& named = w.join();
  restricted_task task{{named.number}};
  CHECK(w.choose(task) == &named);
  w.workers.suspended(named);
  w.update(named);
  CHECK(w.choose(task) == nullptr);
  CHECK_FALSE(w.chooser.choose(task, now).is_unplaced);
}

TEST_CASE("a preference for workers that cannot get tasks is ignored") {
  world w;
  auto& other = w.join();
  restricted_task task{{worker_number{7}}};
  task.where.loose = true;
  CHECK(w.choose(task) == &other);
}

TEST_CASE("a restriction that names most of many workers finds those that can "
          "get tasks") {
  world w;
  std::vector<worker_number> odd;
  for (std::size_t i = 0; i < 20; ++i) {
    w.join();
    if (i % 2 == 1)
      odd.push_back(w.all.back().number);
  }
  for (std::size_t i = 0; i < 19; ++i) {
    w.workers.suspended(w.all[i]);
    w.update(w.all[i]);
  }
  CHECK(w.choose(restricted_task{odd}) == &w.all[19]);
  w.workers.suspended(w.all[19]);
  w.update(w.all[19]);
  w.workers.reinstated(w.all[18]);
  w.update(w.all[18]);
  CHECK(w.choose(restricted_task{odd}) == nullptr);
}

TEST_CASE(
  "a wide task gathers seats at a worker that may run it and has tasks") {
  world w{false, true};
  auto& worker = w.join(2);
  libpool::task narrow;
  narrow.on = &worker;
  narrow.own_attempt().seats = w.workers.seats.seats_for(narrow);
  w.workers.seats.taken(narrow, worker);
  w.update(worker);
  libpool::task wide;
  wide.own_notes().width = 2;
  CHECK(w.choose(libpool::task{}) == &worker);
  CHECK(w.choose(wide) == nullptr);
  CHECK(w.chooser.gathers_seats(wide));
  restricted_task elsewhere{{worker_number{7}}};
  CHECK_FALSE(w.chooser.gathers_seats(elsewhere));
  w.workers.seats.freed(narrow, worker);
  w.update(worker);
  CHECK(w.choose(wide) == &worker);
}

} // namespace core_worker_chooser_tests
