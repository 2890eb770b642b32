/// Pools that leave workers several messages of a flow at a time.

#include "leasing_world.hpp"

#include <caf/all.hpp>
#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

using test::from_to;
using test::numbers;
using test::scripted;
using namespace std::chrono_literals;

namespace {

/// Messages are numbers: the thousands are the flow.
int thousands(int x) {
  return x / 1000;
}

struct world : test::leasing_world {
  explicit world(std::uint64_t seed = 0) : leasing_world(seed) {
    goes_by_flow = true;
    flows.flow_of = libpool::flow_by<int>(thousands);
  }

  /// The messages of the flow among the first `n` that were handled.
  numbers of_flow(int flow, std::size_t n) const {
    numbers result;
    std::copy_if(seen.begin(), seen.begin() + static_cast<std::ptrdiff_t>(n),
                 std::back_inserter(result),
                 [=](int x) { return thousands(x) == flow; });
    return result;
  }

  numbers of_flow(int flow) const {
    return of_flow(flow, seen.size());
  }

  libpool::flow_stats row(const std::string& name) const {
    for (auto& each : stats().flows)
      if (each.name == name)
        return each;
    FAIL("no flow ", name);
    return {};
  }
};

} // namespace

// -- turns --------------------------------------------------------------------

TEST_CASE_FIXTURE(world, "a worker gets messages of the same flow in groups") {
  populate(1);
  send(1001, 1300);
  send(2001, 2300);
  run();
  CHECK(of_flow(1) == from_to(1001, 1300));
  CHECK(of_flow(2) == from_to(2001, 2300));
  CHECK(stats().leases > 0);
  CHECK(stats().leases < 50);
}

TEST_CASE_FIXTURE(
  world,
  "flows share the time of a worker equally, in turns of 50 microseconds") {
  populate(1);
  send(1001, 1900);
  send(2001, 2300);
  send(3001, 3300);
  run();
  REQUIRE(stats().leases > 0);
  for (std::size_t n = 1; n <= 900; ++n) {
    auto first = of_flow(1, n).size();
    auto second = of_flow(2, n).size();
    auto third = of_flow(3, n).size();
    if (second == 300 || third == 300)
      break;
    CHECK(std::max({first, second, third}) - std::min({first, second, third})
          <= 52);
  }
}

TEST_CASE_FIXTURE(world, "with messages in groups, a flow with three times the "
                         "share of another flow gets three times the service") {
  flows.shares = {{"1", 3.0}};
  flows.guess = 10us;
  populate(1);
  send(1001, 1900);
  send(2001, 2900);
  run();
  REQUIRE(stats().leases > 0);
  CHECK(of_flow(1, 800).size() > 530);
  CHECK(of_flow(1, 800).size() < 670);
}

TEST_CASE_FIXTURE(world, "the option guess of fair_queuing limits the time for "
                         "which a worker handles one flow") {
  flows.guess = 5us;
  populate(1);
  send(1001, 1300);
  run();
  CHECK(seen == from_to(1001, 1300));
  CHECK(stats().leases >= 50);
}

TEST_CASE_FIXTURE(world, "the first message of a new flow waits for at most "
                         "one turn of another flow") {
  populate(1);
  during = [this](scripted&, int x) {
    if (x == 1100)
      client.send(pool, 2001);
  };
  send(1001, 1500);
  run();
  REQUIRE(stats().leases > 0);
  CHECK(place_of(2001) < place_of(1100) + 55);
}

// -- messages that come back --------------------------------------------------

TEST_CASE_FIXTURE(
  world, "messages that are taken back keep their places in the flow") {
  populate(1);
  during = [&](scripted&, int x) {
    if (x % 1000 == 120)
      send_urgent(x + 500);
  };
  send(1001, 1300);
  send(2001, 2300);
  run();
  REQUIRE(stats().leases > 0);
  for (auto flow : {1, 2}) {
    auto handled = of_flow(flow);
    auto urgent_one = std::find(handled.begin(), handled.end(),
                                flow * 1000 + 620);
    CHECK(urgent_one - handled.begin() == 120);
    REQUIRE(urgent_one != handled.end());
    handled.erase(urgent_one);
    CHECK(handled == from_to(flow * 1000 + 1, flow * 1000 + 300));
  }
}

TEST_CASE_FIXTURE(
  world, "urgent messages are the next of their flow, one after the other") {
  populate(1);
  during = [&](scripted&, int x) {
    if (x < 1500 && x % 13 == 0)
      for (auto twice : {0, 300})
        send_urgent(x + 500 + twice);
  };
  send(1001, 1200);
  run();
  REQUIRE(stats().leases > 0);
  for (auto x = 1001; x <= 1200; ++x)
    if (x % 13 == 0) {
      CHECK(place_of(x + 500) == place_of(x) + 1);
      CHECK(place_of(x + 800) == place_of(x) + 2);
    }
}

TEST_CASE_FIXTURE(world, "if a message crashes its worker, other messages that "
                         "the worker got in the same group do not fail") {
  populate(2);
  during = [](scripted&, int x) {
    if (x == 1003)
      test::crash();
  };
  auto sent = request(1001, 1010);
  run();
  for (std::size_t i = 0; i < sent.size(); ++i) {
    auto answer = client.answer_to(sent[i]);
    CHECK(answer.count == 1);
    CHECK(test::failed_by_crash(answer) == (i == 2));
  }
}

TEST_CASE_FIXTURE(
  world, "several workers that join together are shared out one by one") {
  flows.shares = {{"1", 3.0}};
  populate(1);
  std::vector<libpool::flow_stats> told;
  during = [&](scripted&, int x) {
    if (x != 3000)
      return;
    caf::anon_send(pool, caf::sys_atom{}, libpool::resize_atom{}, 9);
    told.push_back(row("1"));
    told.push_back(row("2"));
  };
  send(3000, 3000);
  send(1001, 1100);
  send(2001, 2100);
  run();
  REQUIRE(told.size() == 2);
  CHECK(told[0].running == 6);
  CHECK(told[1].running == 2);
}

TEST_CASE_FIXTURE(
  world,
  "a message goes behind messages of its flow that a worker may give back") {
  populate(1);
  during = [this](scripted&, int x) {
    if (x != 1010)
      return;
    client.send(pool, 1031); // while the worker has all others
    send_urgent(5000);       // and gives them back
  };
  send(1001, 1030);
  run();
  REQUIRE(stats().leases > 0);
  CHECK(of_flow(1) == from_to(1001, 1031));
}

TEST_CASE_FIXTURE(
  world,
  "one message of each of many flows are handled in the order of arrival") {
  flows.flow_of = libpool::flow_by<int>([](int x) { return x; });
  populate(1);
  send(1, 100);
  run();
  CHECK(seen == from_to(1, 100));
  CHECK(stats().leases == 0);
}

TEST_CASE_FIXTURE(
  world,
  "an idle worker takes over messages of several flows from another worker") {
  populate(2);
  std::size_t at_the_end_of_first = 0;
  during = [&](scripted&, int x) {
    if (x != 1010)
      return;
    run(); // this handler takes long
    at_the_end_of_first = seen.size();
  };
  send(1001, 1060);
  send(2001, 2060);
  run();
  REQUIRE(stats().leases > 0);
  CHECK(seen.size() == 120);
  CHECK(at_the_end_of_first == 120);
}

// -- statistics ---------------------------------------------------------------

TEST_CASE_FIXTURE(
  world,
  "the counters of flows include messages that wait without a task object") {
  populate(1);
  std::vector<libpool::pool_stats> told;
  during = [&](scripted&, int x) {
    if (x == 1130)
      told.push_back(stats());
  };
  send(1001, 1200);
  send(2001, 2300);
  run();
  REQUIRE(told.size() == 1);
  REQUIRE(told[0].leases > 0);
  auto& books = told[0].tasks;
  CHECK(books.balances());
  CHECK(books.accepted == 500);
  CHECK(books.completed == place_of(1130));
  CHECK(books.running == 1);
  CHECK(books.waiting == 499 - place_of(1130));
  REQUIRE(told[0].flows.size() == 2);
  CHECK(told[0].flows[0].name == "2"); // more of it wait
  CHECK(told[0].flows[1].waiting == 70);
  CHECK(told[0].flows[1].running == 1);
  CHECK(told[0].flows[1].served == 129);
  CHECK(told[0].flows[0].waiting + told[0].flows[1].waiting == books.waiting);
}

TEST_CASE_FIXTURE(
  world, "the seat time of a flow includes the times of its leased messages") {
  populate(1);
  send(1001, 1100);
  send(2001, 2050);
  run();
  REQUIRE(stats().leases > 0);
  CHECK(row("1").served == 100);
  CHECK(row("1").seat_time == 100us);
  CHECK(row("2").served == 50);
  CHECK(row("2").seat_time == 50us);
  CHECK(row("1").waiting == 0);
  CHECK(row("1").running == 0);
}

TEST_CASE_FIXTURE(
  world, "each of thousands of flows is served in the order of its messages") {
  flows.flow_of = libpool::flow_by<int>([](int x) { return x % 3000; });
  populate(2);
  send(1, 12'000);
  run();
  CHECK(sorted() == from_to(1, 12'000));
  std::vector<int> last(3000);
  auto is_in_order = true;
  for (auto x : seen) {
    auto& before = last[static_cast<std::size_t>(x % 3000)];
    is_in_order = is_in_order && before < x;
    before = x;
  }
  CHECK(is_in_order);
}

// -- refusals and ends --------------------------------------------------------

TEST_CASE_FIXTURE(
  world, "a message whose flow_of throws is refused while others wait") {
  flows.flow_of = libpool::flow_by<int>([](int x) {
    if (x < 0)
      throw std::runtime_error("below zero");
    return thousands(x);
  });
  populate(1);
  auto sent = request(1001, 1100);
  auto refused = client.request(pool, -1);
  run();
  REQUIRE(stats().leases > 0);
  CHECK(client.answer_to(refused).error() == libpool::errc::policy_failed);
  for (auto each : sent)
    CHECK(client.answer_to(each).count == 1);
}

TEST_CASE_FIXTURE(world, "a pool that ends answers the waiting messages of all "
                         "flows with pool_closed") {
  populate(1);
  during = [this](scripted&, int x) {
    if (x == 1040)
      caf::anon_send_exit(pool, caf::exit_reason::user_shutdown);
  };
  auto sent = request(1001, 1100);
  for (auto each : request(2001, 2100))
    sent.push_back(each);
  run();
  std::size_t refused = 0;
  for (auto each : sent) {
    auto answer = client.answer_to(each);
    CHECK(answer.count == 1);
    refused += answer.error() == libpool::errc::pool_closed;
  }
  CHECK(refused + seen.size() == 200);
  auto books = stats().tasks;
  CHECK(books.balances());
  CHECK(books.completed == seen.size());
}

TEST_CASE_FIXTURE(
  world, "a draining pool completes the waiting messages of all flows") {
  populate(1);
  during = [this](scripted&, int x) {
    if (x == 1020)
      client.request(pool, caf::sys_atom{}, libpool::drain_atom{});
  };
  send(1001, 1100);
  send(2001, 2100);
  run();
  CHECK(of_flow(1) == from_to(1001, 1100));
  CHECK(of_flow(2) == from_to(2001, 2100));
  pool = nullptr;
}

TEST_CASE_FIXTURE(
  world, "a leased request of a flow is not handled for a terminated client") {
  populate(1);
  test::probe other{*this};
  during = [&](scripted&, int x) {
    if (x == 1020)
      other.die();
  };
  send(1001, 1040);
  for (auto x = 1041; x <= 1045; ++x)
    other.request(pool, x);
  send(1046, 1100);
  run();
  auto told = stats();
  REQUIRE(told.leases > 0);
  CHECK(told.tasks.cancelled == 5);
  CHECK(told.tasks.completed == 95);
  CHECK(std::none_of(seen.begin(), seen.end(),
                     [](int x) { return x > 1040 && x < 1046; }));
  other->inbox.clear();
}

TEST_CASE_FIXTURE(world,
                  "messages of flows fail when the last worker terminates") {
  populate(1);
  options.restart.max = 0;
  during = [](scripted& self, int x) {
    if (x == 1040)
      self.quit();
  };
  auto sent = request(1001, 1100);
  for (auto each : request(2001, 2100))
    sent.push_back(each);
  run();
  for (auto each : sent)
    CHECK(client.answer_to(each).count == 1);
  CHECK(stats().tasks.balances());
}

TEST_CASE_FIXTURE(world,
                  "pools that have to see each task of a flow give no leases") {
  SUBCASE("with a limit for a flow") {
    flows.queue_limit = 1000;
  }
  SUBCASE("with widths") {
    flows.width_of = libpool::width_by<int>([](int) { return 1; });
  }
  SUBCASE("with several seats") {
    flows.seats_per_worker = 2;
  }
  SUBCASE("with the algorithm of Kubernetes") {
    flows.mode = libpool::fair_mode::kubernetes;
  }
  populate(1);
  send(1001, 1040);
  run();
  CHECK(of_flow(1).size() == 40);
  CHECK(stats().leases == 0);
}

TEST_CASE(
  "leases of flows neither lose nor repeat messages, in random interleavings") {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    CAPTURE(seed);
    world w{seed};
    w.options.restart.max = 1000;
    w.options.restart.pause = 0ns;
    w.flows.flow_of = libpool::flow_by<int>([](int x) { return x % 3; });
    w.populate(3);
    w.during = [&](scripted& self, int x) {
      if (x % 61 == 0) { // and another one comes
        self.quit();
        w.client.send(w.pool, caf::sys_atom{}, caf::put_atom{},
                      w.make_worker());
      }
      if (x % 97 == 0)
        test::crash();
      if (x % 53 == 0)
        w.pass(2ms);
      if (x % 71 == 0)
        w.client.send(w.pool, caf::sys_atom{}, libpool::resize_atom{},
                      x % 142 == 0 ? 3 : 2);
    };
    w.send(1, 500);
    for (auto i = 0; i < 200; ++i)
      w.step();
    w.send(501, 1000);
    w.advance(1s);
    w.run();
    CHECK(w.sorted() == from_to(1, 1000));
    auto books = w.stats().tasks;
    CHECK(books.completed + books.failed == 1000);
    CHECK(books.failed == 1000 / 97);
    CHECK(w.stats().leases > 0);
  }
}
