/// Tasks that are sent to a worker together (leases).

#include "libpool/core/dispatcher.hpp"
#include "libpool/policies/order/earliest_deadline.hpp"
#include "libpool/policies/order/fair_queuing_options.hpp"
#include "libpool/policies/order/make_fair_queuing.hpp"
#include "libpool/policies/placement/least_used.hpp"
#include "support/dispatcher_world.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>

using libpool::assignment;
using std::chrono::milliseconds;

namespace {

/// Leases of at most 4 tasks and 100 ms, which are overdue after a second.
libpool::limits leasing(libpool::limits within = {}) {
  within.leases = {4, milliseconds{100}, milliseconds{1000}};
  return within;
}

/// A worker joins, whose tasks are known to take that many milliseconds.
void prepare(test::dispatcher_world& w, int service = 1) {
  w.does("join, submit, start 0");
  w.at(service);
  w.finish(0);
}

/// The same with lazy assignment.
struct lazy_world : test::dispatcher_world {
  explicit lazy_world(libpool::limits within = {},
                      assignment when = assignment::lazy)
    : dispatcher_world(leasing(std::move(within)), when) {
    prepare(*this);
  }

  explicit lazy_world(libpool::composition how, libpool::limits within = {})
    : dispatcher_world(std::move(how), leasing(std::move(within))) {
    prepare(*this);
  }
};

libpool::composition by_deadline() {
  auto result = test::composed(assignment::lazy, false);
  result.order = std::make_unique<libpool::earliest_deadline>();
  return result;
}

} // namespace

TEST_CASE("a worker that ends a task is sent at most half of the tasks that "
          "wait, in their order") {
  lazy_world w;
  w.does("submit 7");
  CHECK(w.pool.leases().followers() == 0);
  CHECK(w.finish(1) == "end 1: completed; send 2+3+4 to 0");
  CHECK(w.pool.leases().followers() == 2);
  CHECK(w.pool.leases().count() == 1);
  CHECK(w.finish(2) == "end 2: completed");
  CHECK(w.pool.leases().followers() == 1);
  CHECK(w.does("finish 3, finish 4")
        == "end 3: completed; end 4: completed; send 5 to 0");
}

TEST_CASE("a lease has no more tasks than the limit, and than take its time") {
  for (auto [service, sent] : {std::pair{1, "2+3+4+5"}, std::pair{40, "2+3"},
                               std::pair{60, "2"}, std::pair{200, "2"}}) {
    test::dispatcher_world w{leasing()};
    prepare(w, service);
    w.does("submit 31, start 1");
    w.at(2 * service);
    CHECK(w.finish(1)
          == "end 1: completed; send " + std::string{sent} + " to 0");
  }
}

TEST_CASE("a task is sent alone to a worker that does not take leases, has a "
          "window above 1 or is not the only one with room, and before any "
          "service time is known") {
  test::dispatcher_world unknown{leasing()};
  CHECK(unknown.does("submit 8, join") == "send 0 to 0");
  lazy_world w;
  w.workers[0].takes_leases = false;
  w.does("submit 7");
  CHECK(w.finish(1) == "end 1: completed; send 2 to 0");
  w.workers[0].takes_leases = true;
  w.dispatches = false;
  w.does("join, finish 2");
  CHECK(w.dispatch() == "send 3 to 1; send 4+5 to 0");
  lazy_world deep;
  deep.does("retire 0, join 2");
  CHECK(deep.does("submit 20, finish 1")
        == "send 1 to 1; send 2 to 1; end 1: completed; send 3 to 1");
}

TEST_CASE("a task that must be alone, that has to end before the lease or that "
          "a handler waits for ends a lease") {
  for (std::size_t reason = 0; reason < 3; ++reason) {
    lazy_world w;
    w.does("submit 3");
    auto& special = w.add();
    special.is_alone = reason == 0;
    if (reason == 1)
      special.deadline = test::dispatcher_world::moment(100);
    if (reason == 2)
      special.own_notes().asking = &w.workers[0];
    w.submit(special);
    w.does("submit 9");
    CHECK(w.finish(1) == "end 1: completed; send 2+3 to 0");
  }
}

TEST_CASE(
  "an idle worker gets the later half of the oldest lease, when nothing "
  "else waits") {
  lazy_world w;
  w.does("submit 9, finish 1");
  CHECK(w.does("submit 0, cancel 6, cancel 7, cancel 8, cancel 9")
        == "end 6: cancelled, the client has ended; end 7: cancelled, the "
           "client has ended; end 8: cancelled, the client has ended; end 9: "
           "cancelled, the client has ended");
  CHECK(w.join() == "recall 5 from 0; recall 4 from 0");
  CHECK(w.come_back(5) == "send 5 to 1");
  CHECK(w.come_back(4).empty());
  CHECK(w.workers[0].followers == 1);
}

TEST_CASE("a task with an earlier deadline takes back the followers with later "
          "deadlines") {
  lazy_world w{by_deadline()};
  w.does("submit, due 5000, due 4000, due 2000, due 3000, submit 4");
  CHECK(w.finish(1) == "end 1: completed; send 4+5+3+2 to 0");
  CHECK(w.does("due 3500") == "recall 2 from 0; recall 3 from 0");
  w.does("return 2, return 3");
  CHECK(w.does("finish 4, finish 5")
        == "end 4: completed; end 5: completed; send 10+3+2 to 0");
}

TEST_CASE("a follower does not begin before its turn, and is sent again if the "
          "tasks before it come back without having begun") {
  lazy_world w;
  w.does("submit 9, finish 1");
  CHECK(w.does("start 3, finish 3, crash 4").empty());
  CHECK(w.cancel(2) == "recall 2 from 0");
  CHECK(w.come_back(2)
        == "send 3+4+5 to 0; end 2: cancelled, the client has "
           "ended");
  CHECK(w.finish(3) == "end 3: completed");
}

TEST_CASE(
  "with eager assignment, a lease has the next tasks of its worker, and "
  "with work stealing at most half of them") {
  for (bool steals : {false, true}) {
    test::dispatcher_world w{leasing(), assignment::eager, steals};
    prepare(w);
    w.does("submit 5");
    CHECK(w.finish(1)
          == std::string{"end 1: completed; send 2+3"} + (steals ? "" : "+4+5")
               + " to 0");
    if (steals)
      CHECK(w.pool.next_tick() == libpool::never);
  }
}

TEST_CASE("with work stealing, an idle worker waits for overdue followers of "
          "other workers") {
  test::dispatcher_world w{leasing(), assignment::eager, true};
  prepare(w);
  w.does("submit 5, finish 1, start 2");
  CHECK(w.join() == "send 4 to 1");
  w.finish(4);
  w.finish(5);
  CHECK(w.pool.next_tick() == test::dispatcher_world::moment(1001));
  CHECK(w.at(1001) == "recall 3 from 0");
  CHECK(w.come_back(3) == "send 3 to 1");
  CHECK(w.pool.next_tick() == libpool::never);
}

TEST_CASE("in fair queuing, a task that is wider than the one before it does "
          "not follow it, and one that is as wide does") {
  for (std::size_t width : {1U, 2U}) {
    auto how = test::composed(assignment::lazy, false);
    how.order = libpool::make_fair_queuing({});
    lazy_world w{std::move(how)};
    w.does("submit 2");
    w.submit_wide(width);
    w.does("submit 9");
    CHECK(w.finish(1)
          == "end 1: completed; send "
               + std::string{width == 1 ? "2+3+4+5" : "2"} + " to 0");
  }
}

TEST_CASE("when the handler of a worker waits for a task of its own pool, the "
          "followers of the worker go to others") {
  lazy_world w;
  w.does("submit 9, finish 1, start 2");
  auto& asked = w.add();
  asked.own_notes().asker = &w.tasks[2];
  CHECK(w.submit(asked) == "recall 5 from 0; recall 4 from 0; recall 3 from 0");
  w.does("return 5, return 4");
  CHECK_FALSE(w.workers[0].waits);
  w.come_back(3);
  CHECK(w.workers[0].waits);
}
