/// Pools that are fair to the flows of their messages.

#include "support/crew_world.hpp"

#include <caf/all.hpp>
#include <doctest/doctest.h>

#include <chrono>
#include <string>
#include <vector>

namespace managed_fair_tests {

using libpool::actor_pool;
using libpool::errc;
using libpool::flow_stats;
using libpool::managed_options;
using libpool::outcome;
using test::complaint;
using test::has;
using test::scripted;
using namespace std::chrono_literals;

namespace {

using numbers = std::vector<int>;

/// Messages are numbers: the hundreds are the flow.
int hundreds(int x) {
  return x / 100;
}

struct world : test::crew_world {
  world() {
    flows.flow_of = libpool::flow_by<int>(hundreds);
  }

  void make_fair(const std::vector<std::chrono::milliseconds>& times) {
    make(actor_pool::fair_queuing(flows, options), times);
  }

  void send(const numbers& all) const {
    for (auto x : all)
      caf::anon_send(pool, x);
  }

  flow_stats flow(const std::string& name) const {
    for (auto& each : stats().flows)
      if (each.name == name)
        return each;
    FAIL("no flow ", name);
    return {};
  }

  libpool::flow_options flows;
};

} // namespace

// -- turns of flows -----------------------------------------------------------

TEST_CASE_FIXTURE(world,
                  "flows take turns, however many messages each of them has") {
  make_fair({1ms});
  send({100, 101, 102, 103, 200, 201, 300});
  run();
  CHECK(numbers_in_order() == numbers{100, 200, 300, 101, 201, 102, 103});
}

TEST_CASE_FIXTURE(
  world,
  "by default, fair_queuing treats the messages of each sender as one flow") {
  flows.flow_of = nullptr;
  make_fair({1ms});
  test::probe other{*this};
  for (auto x : {1, 2, 3})
    client.send(pool, x);
  other.send(pool, 4);
  caf::anon_send(pool, 5);
  CHECK(flow(std::to_string(client->id())).waiting == 2);
  CHECK(flow(std::to_string(other->id())).waiting == 1);
  CHECK(flow("").waiting == 1);
  run();
  CHECK(numbers_in_order() == numbers{1, 4, 5, 2, 3});
}

TEST_CASE_FIXTURE(world, "in the mode kubernetes, fair_queuing assigns flows "
                         "to a fixed number of queues") {
  flows.mode = libpool::fair_mode::kubernetes;
  flows.queues = 4096;
  flows.hand_size = 1;
  make_fair({1ms});
  send({100, 101, 102, 200});
  auto rows = stats().flows;
  REQUIRE(rows.size() == 2);
  CHECK(has(rows[0].name, "queue "));
  CHECK(rows[0].waiting == 2);
  CHECK(rows[1].waiting == 1);
}

TEST_CASE_FIXTURE(world, "messages from which flow_of can read no flow name "
                         "share the flow with the empty name") {
  flows.flow_of = libpool::flow_by<std::string>();
  make_fair({1ms});
  send({1, 2});
  CHECK(flow("").waiting == 1);
}

// -- wide messages ------------------------------------------------------------

TEST_CASE_FIXTURE(
  world,
  "a wide message waits for all its seats, and no other message overtakes it") {
  flows.width_of = libpool::width_by<int>([](int x) { return x % 10; });
  flows.guess = 1ms;
  make_fair({1ms, 1ms});
  send({101, 202, 111, 121});
  CHECK(books().sent == 1);
  CHECK(books().waiting == 3);
  run();
  REQUIRE(begun.size() == 4);
  CHECK(numbers_in_order()[0] == 101);
  CHECK(numbers_in_order()[1] == 202); // the last two are sent together
}

TEST_CASE_FIXTURE(world,
                  "a message that needs more seats than the pool has takes all "
                  "seats, or is refused with too_wide::refuse") {
  flows.width_of = libpool::width_by<int>();
  SUBCASE("by default it takes all seats of the pool") {
    make_fair({1ms, 1ms});
    CHECK(client.ask(pool, 3).get<int>() == 6);
  }
  SUBCASE("with too_wide::refuse it is refused, at once even in a busy pool") {
    flows.too_wide = libpool::too_wide::refuse;
    make_fair({1ms, 1ms});
    CHECK(client.ask(pool, 2).get<int>() == 4);
    send({2});
    auto refused = client.request(pool, 3);
    CHECK(client.answer_to(refused).error() == errc::too_wide);
  }
  SUBCASE("a width below 1 is an error of the function") {
    make_fair({1ms});
    CHECK(client.ask(pool, -1).error() == errc::policy_failed);
    CHECK(count(outcome::refused) == 1);
  }
}

TEST_CASE_FIXTURE(world,
                  "a worker that answers later may have several messages") {
  options.busy_until = libpool::busy_until::answer;
  flows.seats_per_worker = 3;
  flows.width_of = libpool::width_by<int>([](int x) { return x % 10; });
  pool = actor_pool::make(
    system(), 1, [this] { return system().spawn<scripted>(promising()); },
    actor_pool::fair_queuing(flows, options));
  for (auto x : {101, 202, 301, 401})
    client.ask(pool, x);
  CHECK(promises.size() == 2); // one seat and two
  deliver(0, 7);
  CHECK(promises.size() == 3);
  deliver(1, 8);
  CHECK(promises.size() == 4);
}

// -- limits -------------------------------------------------------------------

TEST_CASE_FIXTURE(world, "a flow at its queue limit, or a pool at its "
                         "capacity, refuses messages at once, and the stats of "
                         "the flow count them") {
  auto why = errc::flow_full;
  SUBCASE("of a flow") {
    flows.queue_limit = 2;
  }
  SUBCASE("of the pool") {
    options.capacity = 2;
    why = errc::queue_full;
  }
  make_fair({1ms});
  send({100, 101, 102}); // one goes to the worker
  auto refused = client.request(pool, 103);
  CHECK(client.answer_to(refused).error() == why);
  auto other = client.request(pool, 200);
  CHECK(flow("1").refused == 1);
  CHECK(flow("2").refused == (options.capacity ? 1 : 0));
  run();
  CHECK(client.answer_to(other).get<int>() == (options.capacity ? 0 : 400));
}

// -- functions of users -------------------------------------------------------

TEST_CASE_FIXTURE(
  world,
  "messages of an outer pool keep their flows and widths in the inner pool") {
  flows.flow_of = libpool::flow_by<int>();
  flows.width_of = libpool::width_by<int>();
  make_fair({1ms, 1ms});
  auto outer = actor_pool::make(system(), actor_pool::shared_queue());
  caf::anon_send(outer, caf::sys_atom{}, caf::put_atom{}, pool);
  run();
  CHECK(client.ask(outer, 2).get<int>() == 4);
  CHECK(flow("2").served == 1);
  CHECK(flow("2").seat_time == 2ms);
  CHECK(actor_pool::stats(outer).flows.empty()); // a pool without flows
  caf::anon_send(outer, caf::sys_atom{}, caf::delete_atom{}, pool);
  run();
  exit(outer, caf::exit_reason::user_shutdown);
  run();
}

TEST_CASE("the error about an option of fair queuing out of bounds or in "
          "another policy names the option") {
  auto refuses = [](const char* name, auto change) {
    CAPTURE(name);
    libpool::message_functions asked;
    change(asked);
    auto why = complaint([&] {
      actor_pool::managed(libpool::managed_policy_named("shared_queue"), {},
                          asked);
    });
    CHECK(why
          == "libpool: " + std::string{name}
               + ": the policy does not use this option; it is an option of "
                 "actor_pool::fair_queuing");
    CHECK(complaint([&] {
            actor_pool::managed(libpool::managed_policy_named("fair_queuing"),
                                {}, asked);
          })
          == "");
  };
  refuses("flow_of", [](auto& o) { o.flow_of = libpool::flow_by<int>(); });
  refuses("width_of", [](auto& o) { o.width_of = libpool::width_by<int>(); });
  refuses("seats_per_worker", [](auto& o) { o.seats_per_worker = 2; });
  refuses("too_wide", [](auto& o) { o.too_wide = libpool::too_wide::refuse; });
  managed_options windowed;
  windowed.window = 2;
  CHECK(complaint([&] { actor_pool::fair_queuing({}, windowed); })
        == "libpool: window: fair_queuing does not use this option; set "
           "seats_per_worker instead");
  libpool::flow_options wrong;
  wrong.seats_per_worker = 0;
  CHECK(has(complaint([&] { actor_pool::fair_queuing(wrong); }),
            "seats_per_worker: must be at least 1, got 0"));
}

// -- stats --------------------------------------------------------------------

TEST_CASE_FIXTURE(world,
                  "the stats of flows report their length and their service") {
  flows.top_flows = 2;
  make_fair({2ms});
  send({100, 101, 102, 200, 201, 300});
  auto rows = stats().flows;
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].name == "1");
  CHECK(rows[0].waiting == 2);
  CHECK(rows[0].running == 1);
  CHECK(rows[0].lag == -3ms); // it was charged a guess
  CHECK(rows[0].waiting_since == rows[1].waiting_since);
  CHECK(rows[0].waiting_since != libpool::never);
  CHECK(rows[1].name == "2");
  CHECK(rows[1].waiting == 2);
  CHECK(rows[1].running == 0);
  CHECK(rows[1].lag == 0ms);
  run();
  auto first = flow("1");
  CHECK(first.waiting == 0);
  CHECK(first.served == 3);
  CHECK(first.waiting_since == libpool::never);
  CHECK(first.seat_time == 6ms);
  CHECK(first.mean_wait == libpool::duration{0ms + 6ms + 10ms} / 3);
  CHECK(numbers_in_order() == numbers{100, 200, 300, 101, 201, 102});
}

TEST_CASE_FIXTURE(world, "the stats of a flow tell since when its next message "
                         "waits, also if its limit holds back all of them") {
  options.throttles.of_flows["1"] = libpool::throttle{0, {}};
  make_fair({2ms});
  send({100, 101, 200, 201});
  CHECK(flow("1").waiting == 2);
  CHECK(flow("1").waiting_since == flow("2").waiting_since);
  CHECK(flow("1").waiting_since != libpool::never);
  run();
  CHECK(flow("1").waiting_since != libpool::never);
  actor_pool::set_limits(pool, {});
  run();
  CHECK(flow("1").waiting_since == libpool::never);
}

} // namespace managed_fair_tests
