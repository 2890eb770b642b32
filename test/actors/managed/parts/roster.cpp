/// The workers of a managed pool, in numbers.

#include "libpool/actors/managed/roster.hpp"
#include "libpool/actors/caf/handles.hpp"
#include "support/hand_cranked.hpp"

#include <caf/all.hpp>
#include <doctest/doctest.h>

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

using libpool::managed_worker;
using libpool::roster;
using libpool::worker;
using libpool::worker_number;

namespace {

/// A roster of actors that do nothing. The test is the dispatcher.
struct roster_world : test::hand_cranked {
  caf::actor spawn() {
    handles.push_back(system().spawn(
      [](caf::event_based_actor*) -> caf::behavior { return {[](int) {}}; }));
    return handles.back();
  }

  managed_worker& add(const caf::actor& handle, std::size_t seats = 1) {
    auto added = std::make_unique<managed_worker>();
    added->handle = handle;
    added->receiver.actor = &libpool::actor_behind(handle);
    added->seats = seats;
    added->is = worker::condition::serving;
    return workers.add(std::move(added));
  }

  managed_worker& add(std::size_t seats = 1) {
    return add(spawn(), seats);
  }

  ~roster_world() {
    for (auto& each : handles)
      caf::anon_send_exit(each, caf::exit_reason::user_shutdown);
    run();
  }

  std::vector<caf::actor> handles;
  roster workers;
};

using list = std::vector<managed_worker*>;

} // namespace

TEST_CASE_FIXTURE(roster_world,
                  "workers are numbered in the order of joining") {
  CHECK(add().number == worker_number{0});
  auto& second = add();
  CHECK(second.number == worker_number{1});
  workers.remove(second);
  CHECK(add().number == worker_number{2});
}

TEST_CASE_FIXTURE(roster_world,
                  "a worker has a restriction that names only itself") {
  add();
  CHECK(add().alone.only == std::vector<worker_number>{worker_number{1}});
}

TEST_CASE_FIXTURE(roster_world, "a worker is found by number until it leaves") {
  auto& added = add();
  auto number = added.number;
  CHECK(workers.find(number) == &added);
  workers.take_out(added);
  CHECK(workers.find(number) == &added);
  workers.remove(added);
  CHECK(workers.find(number) == nullptr);
}

TEST_CASE_FIXTURE(
  roster_world,
  "the roster of a pool contains a worker until the worker is removed") {
  auto& added = add();
  auto& actor = *added.receiver.actor;
  CHECK(workers.serves(actor));
  CHECK(workers.serves(added));
  CHECK(workers.size() == 1);
  workers.take_out(added);
  CHECK(!workers.serves(actor));
  CHECK(!workers.serves(added));
  CHECK(workers.size() == 0);
}

TEST_CASE_FIXTURE(roster_world,
                  "an actor that joins again counts as another worker") {
  auto& first = add();
  workers.take_out(first);
  auto& second = add(first.handle);
  CHECK(!workers.serves(first));
  CHECK(workers.serves(second));
  workers.take_out(first); // changes nothing
  CHECK(workers.serves(second));
}

TEST_CASE_FIXTURE(roster_world, "workers are listed in the order of joining") {
  auto& a = add();
  auto& b = add();
  auto& c = add();
  b.is = worker::condition::leaving;
  CHECK(workers.serving() == list{&a, &c});
  CHECK(workers.all() == list{&a, &b, &c});
}

TEST_CASE_FIXTURE(roster_world,
                  "the seats of the pool are those of serving workers") {
  auto& a = add(2);
  auto& b = add(3);
  CHECK(workers.seats() == 5);
  workers.resizes(b, 7);
  b.seats = 7;
  CHECK(workers.seats() == 9);
  workers.take_out(b);
  CHECK(workers.seats() == 2);
  workers.resizes(b, 1); // does not serve
  CHECK(workers.seats() == 2);
  workers.take_out(a);
  workers.take_out(a);
  CHECK(workers.seats() == 0);
}

TEST_CASE_FIXTURE(
  roster_world,
  "a worker that is presumed dead counts neither as serving nor as gone") {
  auto& added = add();
  workers.presume_dead(added);
  CHECK(workers.size() == 0);
  CHECK(workers.seats() == 0);
  CHECK(!workers.has_nobody());
  CHECK(!workers.is_bereft());
  CHECK(workers.died(added));
  CHECK(workers.has_nobody());
  CHECK(workers.is_bereft());
}

TEST_CASE_FIXTURE(
  roster_world,
  "the end of a removed worker does not count as the loss of the last worker") {
  auto& added = add();
  workers.take_out(added);
  CHECK(!workers.died(added));
  CHECK(workers.has_nobody());
  CHECK(!workers.is_bereft());
}

TEST_CASE_FIXTURE(roster_world,
                  "only the end of the last worker counts as its loss") {
  auto& a = add();
  auto& b = add();
  auto& c = add();
  workers.presume_dead(c);
  CHECK(workers.died(a));
  CHECK(workers.died(b));
  CHECK(!workers.is_bereft());
  CHECK(workers.died(c));
  CHECK(workers.is_bereft());
}

TEST_CASE_FIXTURE(
  roster_world, "a new worker ends the state of having lost the last worker") {
  workers.died(add());
  CHECK(workers.is_bereft());
  add();
  CHECK(!workers.is_bereft());
}

TEST_CASE_FIXTURE(roster_world,
                  "a pool counts as empty if its only worker is an inner pool "
                  "that neither has nor expects workers") {
  auto& pool = add(0);
  CHECK(!workers.has_nobody()); // it expects a worker
  pool.has_nobody = true;
  CHECK(workers.has_nobody());
  add();
  CHECK(!workers.has_nobody());
}

TEST_CASE_FIXTURE(
  roster_world,
  "a worker that does not serve any more is leaving until it has left") {
  add();
  auto& b = add();
  auto& c = add();
  workers.take_out(b);
  workers.presume_dead(c);
  CHECK(workers.leaving() == 1);
  workers.remove(b);
  CHECK(workers.leaving() == 0);
}
