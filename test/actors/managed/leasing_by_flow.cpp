/// Pools that leave workers several messages of a flow at a time.

#include "leasing_world.hpp"

#include <algorithm>
#include <array>
#include <chrono>

using libpool::actor_pool;
using libpool::pause_scope;
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
    waits_in = line::of_flows;
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

  /// Sets the limit of the flow, and lifts others.
  void limit(const std::string& flow, std::size_t most_running) const {
    libpool::throttles within;
    within.of_flows[flow].most_running = most_running;
    actor_pool::set_limits(pool, within);
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

TEST_CASE_FIXTURE(world, "a worker gets messages of the same flow in groups, "
                         "and their times count for the flow") {
  populate(1);
  send(1001, 1300);
  send(2001, 2300);
  run();
  CHECK(of_flow(1) == from_to(1001, 1300));
  CHECK(of_flow(2) == from_to(2001, 2300));
  CHECK(stats().leases > 0);
  CHECK(stats().leases < 50);
  CHECK(row("1").served == 300);
  CHECK(row("1").seat_time == 300us);
  CHECK(row("2").seat_time == 300us);
  CHECK(row("1").waiting == 0);
  CHECK(row("1").running == 0);
}

TEST_CASE_FIXTURE(
  world,
  "flows share the time of a worker equally, in turns of 50 microseconds") {
  populate(1);
  send(1001, 1900);
  send(2001, 2300);
  send(3001, 3300);
  run_leased();
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
  run_leased();
  CHECK(of_flow(1, 800).size() > 530);
  CHECK(of_flow(1, 800).size() < 670);
}

TEST_CASE_FIXTURE(world, "the messages of a lease are of several flows, as "
                         "fairly as without leases") {
  populate(1);
  send(1001, 1300);
  send(2001, 2300);
  run_leased();
  for (std::size_t n = 100; n < 600; n += 50) {
    CAPTURE(n);
    CHECK(of_flow(1, n).size() + 33 >= n / 2);
    CHECK(of_flow(2, n).size() + 33 >= n / 2);
  }
}

// -- idle workers -------------------------------------------------------------

TEST_CASE_FIXTURE(world, "an idle worker takes over messages of a lease while "
                         "another flow is held back") {
  populate(2);
  SUBCASE("no flow") {}
  SUBCASE("by a pause") {
    actor_pool::pause(pool, pause_scope::of_flow("2"));
  }
  SUBCASE("by a limit") {
    limit("2", 0);
  }
  send(2001, 2003);
  std::size_t seen_by_end_of_first = 0;
  at(10, [&](scripted&) {
    run(); // the other worker
    seen_by_end_of_first = of_flow(0).size();
  });
  send(1, 60);
  run_leased();
  CHECK(seen_by_end_of_first == 60);
  actor_pool::resume(pool, pause_scope::of_flow("2"));
  limit("2", 2);
  run();
  CHECK(seen.size() == 63);
}

// -- capacity -----------------------------------------------------------------

TEST_CASE_FIXTURE(world, "messages of a flow that is held back fill the "
                         "capacity, and an idle worker takes messages of other "
                         "flows") {
  options.capacity = 3;
  bool is_paused = false;
  SUBCASE("by a pause, with leases") {
    is_paused = true;
  }
  SUBCASE("by a limit, with leases") {}
  SUBCASE("by a pause, without leases") {
    is_paused = true;
    options.leases = false;
  }
  SUBCASE("by a limit, without leases") {
    options.leases = false;
  }
  populate(2);
  if (is_paused)
    actor_pool::pause(pool, pause_scope::of_flow("2"));
  else
    limit("2", 0);
  send(2001, 2003);
  run();
  auto held_back = client.request(pool, 2004);
  auto first = client.request(pool, 1001);
  auto second = client.request(pool, 3001);
  auto third = client.request(pool, 1002); // no third worker
  run();
  CHECK(client.answer_to(held_back).error() == libpool::errc::queue_full);
  CHECK(client.answer_to(first).get<int>() == 2002);
  CHECK(client.answer_to(second).get<int>() == 6002);
  CHECK(client.answer_to(third).error() == libpool::errc::queue_full);
  actor_pool::resume(pool, pause_scope::of_flow("2"));
  limit("2", 2);
  run();
  CHECK(sorted() == numbers{1001, 2001, 2002, 2003, 3001});
}

// -- messages that come back --------------------------------------------------

TEST_CASE_FIXTURE(world,
                  "urgent messages are the next of their flow, one after the "
                  "other, and messages that are taken back keep their places") {
  populate(1);
  during = [&](scripted&, int x) {
    if (x % 1000 < 500 && x % 13 == 0)
      for (auto more : {500, 800})
        send_urgent(x + more);
  };
  std::array<numbers, 2> expected;
  for (auto flow : {1, 2})
    for (auto x = 1000 * flow + 1; x <= 1000 * flow + 200; ++x) {
      send(x, x);
      expected.at(static_cast<std::size_t>(flow) - 1).push_back(x);
      if (x % 13 == 0)
        for (auto more : {500, 800})
          expected.at(static_cast<std::size_t>(flow) - 1).push_back(x + more);
    }
  run_leased();
  CHECK(of_flow(1) == expected[0]);
  CHECK(of_flow(2) == expected[1]);
}

TEST_CASE_FIXTURE(
  world, "several workers that join together are shared out one by one") {
  flows.shares = {{"1", 3.0}};
  populate(1);
  std::vector<libpool::flow_stats> told;
  at(3000, [&](scripted&) {
    caf::anon_send(pool, caf::sys_atom{}, libpool::resize_atom{}, 9);
    told.push_back(row("1"));
    told.push_back(row("2"));
  });
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
  at(1010, [this](scripted&) {
    client.send(pool, 1031); // while the worker has all others
    send_urgent(5000);       // and gives them back
  });
  send(1001, 1030);
  run_leased();
  CHECK(of_flow(1) == from_to(1001, 1031));
}

// -- statistics ---------------------------------------------------------------

TEST_CASE_FIXTURE(
  world,
  "messages that wait behind others in a lease count as waiting messages of "
  "their flows") {
  populate(1);
  std::vector<libpool::pool_stats> told;
  at(1130, [&](scripted&) { told.push_back(stats()); });
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

TEST_CASE_FIXTURE(world, "all waiting messages of a flow that is held back are "
                         "parked, with and without leases") {
  SUBCASE("with leases") {}
  SUBCASE("without leases") {
    options.leases = false;
  }
  populate(2);
  std::vector<libpool::pool_stats> told;
  at(1010, [&](scripted&) { told.push_back(stats()); });
  limit("1", 1);
  actor_pool::pause(pool, pause_scope::of_flow("2"));
  send(2001, 2100);
  run();
  auto oldest = stats().oldest_waiting;
  CHECK(stats().parked == 100);
  CHECK(row("2").waiting == 100);
  CHECK(row("2").waiting_since == oldest);
  pass(1ms);
  send(1001, 1050);
  run();
  REQUIRE(told.size() == 1);
  CHECK(told[0].parked == 140);
  CHECK(told[0].tasks.waiting == 140);
  CHECK(stats().parked == 100);
  CHECK(stats().tasks.waiting == 100);
  CHECK(row("1").waiting == 0);
  CHECK(row("2").waiting_since == oldest);
  at(2030, [&](scripted&) { told.push_back(stats()); });
  actor_pool::resume(pool, pause_scope::of_flow("2"));
  run();
  REQUIRE(told.size() == 2);
  CHECK(told[1].parked == 0);
  CHECK(stats().parked == 0);
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

TEST_CASE_FIXTURE(
  world, "a message whose flow_of throws is refused while others wait") {
  flows.flow_of = libpool::flow_by<int>([](int x) {
    return x < 0 ? throw std::runtime_error("below zero") : thousands(x);
  });
  populate(1);
  send(1001, 1100);
  auto refused = client.request(pool, -1);
  run_leased();
  CHECK(client.answer_to(refused).error() == libpool::errc::policy_failed);
  CHECK(seen == from_to(1001, 1100));
}
