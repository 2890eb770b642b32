/// Limits on the messages that workers have.

#include "leasing_world.hpp"
#include "libpool/pool.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

using libpool::actor_pool;
using libpool::errc;
using libpool::pause_scope;
using libpool::rate;
using libpool::throttle;
using libpool::throttles;
using test::from_to;
using test::leasing_world;
using test::managed_world;
using test::scripted;
using namespace std::chrono_literals;

namespace {

/// Messages name their flow by their last digit.
struct throttling_world : managed_world {
  throttling_world() {
    options.throttled_by = libpool::flow_by<int>([](int x) { return x % 10; });
    options.busy_until = libpool::busy_until::answer;
  }
};

} // namespace

TEST_CASE_FIXTURE(throttling_world, "a flow has no more messages at workers "
                                    "than its limit, and holds up no other") {
  options.throttles.of_flows["1"] = throttle{1, {}};
  populate(3, promising());
  for (auto x : {1, 11, 21, 2, 3})
    request(x);
  CHECK(promises.size() == 3); // 1, 2 and 3
  CHECK(books().waiting == 2);
  deliver(0, 1);
  CHECK(promises.size() == 4); // and 11
  deliver(1, 2);
  CHECK(promises.size() == 4);
  actor_pool::set_limits(pool, {});
  run();
  CHECK(promises.size() == 5);
  for (std::size_t i = 2; i < 5; ++i)
    deliver(i, 1);
}

TEST_CASE_FIXTURE(throttling_world,
                  "all flows together have no more messages at workers than "
                  "their limit") {
  options.throttles.of_all = throttle{2, {}};
  populate(3, promising());
  for (auto x : from_to(1, 4))
    request(x);
  CHECK(promises.size() == 2);
  throttles fewer;
  fewer.of_all = throttle{1, {}};
  actor_pool::set_limits(pool, fewer); // ends nothing that runs
  run();
  deliver(0, 1);
  CHECK(promises.size() == 2);
  deliver(1, 1);
  CHECK(promises.size() == 3);
  deliver(2, 1);
  deliver(3, 1);
}

TEST_CASE_FIXTURE(throttling_world, "messages begin at most at their rate, and "
                                    "no alarm is lost") {
  options.busy_until = libpool::busy_until::handler;
  options.throttles.of_flows["1"] = throttle{{}, rate{100, 2}};
  populate(2, doubling());
  for (auto x : {1, 11, 21, 31, 2})
    request(x);
  CHECK(doubled == test::numbers{1, 11, 2});
  advance(9ms);
  CHECK(doubled.size() == 3);
  advance(1ms);
  CHECK(doubled == test::numbers{1, 11, 2, 21});
  advance(10ms);
  CHECK(doubled.size() == 5);
  advance(20ms); // the bucket is full again
  for (auto x : {41, 51, 61})
    request(x);
  CHECK(doubled.size() == 7);
  advance(10ms);
  CHECK(doubled.size() == 8);
}

TEST_CASE_FIXTURE(throttling_world,
                  "a pool whose messages wait for their rate lives until they "
                  "have ended") {
  options.busy_until = libpool::busy_until::handler;
  options.throttles.of_all = throttle{{}, rate{100, 1}};
  populate(1, doubling());
  auto first = request(1);
  auto second = request(2);
  pool = nullptr;
  run();
  CHECK(result_of(first) == 2);
  advance(10ms);
  CHECK(result_of(second) == 4);
}

TEST_CASE_FIXTURE(throttling_world,
                  "stats name the limits and pauses that hold "
                  "back messages") {
  options.throttles.of_flows["1"] = throttle{1, rate{100, 5}};
  populate(3, promising());
  actor_pool::pause(pool, pause_scope::of_flow("2"));
  for (auto x : {1, 11, 21, 2, 3})
    request(x);
  auto rows = stats().limits;
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].name == "1");
  CHECK(rows[0].parked == 2);
  CHECK(rows[0].most_running == 1);
  CHECK(rows[0].per_second == 0); // there are tokens
  CHECK_FALSE(rows[0].is_paused);
  CHECK(rows[1].name == "2");
  CHECK(rows[1].is_paused);
  throttles less;
  less.of_all = throttle{1, {}};
  actor_pool::set_limits(pool, less);
  run();
  rows = stats().limits;
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].is_of_pool);
  CHECK(rows[0].most_running == 1);
  CHECK(rows[0].parked == 2); // of flow 1
  actor_pool::set_limits(pool, {});
  actor_pool::resume(pool, pause_scope::of_flow("2"));
  run();
  CHECK(stats().limits.empty());
  for (std::size_t i = 0; i < 5; ++i)
    deliver(i, 1);
}

TEST_CASE_FIXTURE(throttling_world, "senders are flows unless a function says "
                                    "otherwise") {
  options.throttled_by = nullptr;
  options.throttles.of_each_flow = throttle{1, {}};
  populate(3, promising());
  test::probe other{*this};
  request(1);
  request(2);
  other.request(pool, 3);
  run();
  CHECK(promises.size() == 2); // one of each client
  for (std::size_t i = 0; i < 3; ++i)
    deliver(i, 1);
}

TEST_CASE_FIXTURE(leasing_world, "limits hold with lines and leases of flows") {
  waits_in = line::of_flows;
  auto most = std::size_t{2};
  SUBCASE("more than workers") {
    options.throttles.of_each_flow = throttle{20, {}};
    most = 20;
  }
  SUBCASE("as many as workers") {
    options.throttles.of_each_flow = throttle{2, {}};
  }
  SUBCASE("fewer than workers") {
    options.throttles.of_each_flow = throttle{1, {}};
    most = 1;
  }
  during = [&](scripted&, int) {
    auto books = stats().tasks;
    CHECK(books.sent + books.running <= most);
  };
  populate(2);
  send(0, 0);
  run();
  send(1, 200);
  run();
  CHECK(seen.size() == 201);
  CHECK((stats().leases > 0) == (most == 20));
}

TEST_CASE_FIXTURE(throttling_world, "a rate cannot be set for a pool that "
                                    "chooses workers on arrival") {
  pool = actor_pool::make(
    system(), 1, [this] { return system().spawn<scripted>(doubling()); },
    actor_pool::managed(libpool::recipe{}, options));
  run();
  throttles within;
  within.of_all.most_begun = rate{1, 1};
  CHECK_THROWS_WITH_AS(actor_pool::set_limits(pool, within),
                       doctest::Contains("requires lazy assignment"),
                       std::invalid_argument);
  within.of_all = throttle{1, {}};
  actor_pool::set_limits(pool, within);
  CHECK(result_of(request(1)) == 2);
}

TEST_CASE_FIXTURE(throttling_world, "a higher rate takes effect at once") {
  options.busy_until = libpool::busy_until::handler;
  options.throttles.of_all.most_begun = rate{0.01, 1};
  populate(1, doubling());
  request(1);
  auto second = request(2);
  throttles within;
  within.of_all.most_begun = rate{100, 1};
  actor_pool::set_limits(pool, within);
  advance(10ms);
  CHECK(result_of(second) == 4);
}

TEST_CASE("limits out of bounds are refused, with the option's name") {
  libpool::managed_options options;
  auto refuses = [&](const throttles& within, const char* why) {
    options.throttles = within;
    CHECK_THROWS_WITH_AS(actor_pool::shared_queue(options),
                         doctest::Contains(why), std::invalid_argument);
  };
  throttles within;
  within.of_all.most_begun = rate{0, 1};
  refuses(within, "throttles: of_all: most_begun: per_second must be above 0");
  within.of_all.most_begun = rate{1, 0};
  refuses(within, "most_begun: burst must be at least 1, got 0");
  within.of_all = {};
  within.of_flows["a"].most_begun = rate{-1, 1};
  refuses(within, "of_flows: a: most_begun: per_second");
  within.of_flows["a"].most_begun = rate{1, 1};
  options.throttles = within;
  CHECK_THROWS_WITH_AS(actor_pool::managed(libpool::recipe{}, options),
                       doctest::Contains("most_begun requires lazy assignment"),
                       std::invalid_argument);
}
