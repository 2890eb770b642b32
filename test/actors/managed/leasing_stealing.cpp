/// Pools that steal, but are told nothing of where messages are at home: they
/// bind no message before a worker has room for it, and give leases.

#include "leasing_world.hpp"

#include <caf/all.hpp>
#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace managed_leasing_stealing_tests {

using libpool::actor_pool;
using test::from_to;
using test::scripted;
using namespace std::chrono_literals;

namespace {

using content = libpool::message_content;

struct world : test::leasing_world {
  using leasing_world::leasing_world;

  void populate(std::size_t n) {
    pool = actor_pool::make(
      system(), n, [this] { return make_worker(); },
      actor_pool::work_stealing(homes, options));
    run();
  }

  libpool::home_options homes;
};

} // namespace

TEST_CASE_FIXTURE(
  world,
  "busy workers of a pool with stealing get leases of several messages") {
  populate(2);
  send(1, 200);
  run();
  CHECK(sorted() == from_to(1, 200));
  auto told = stats();
  CHECK(told.leases > 0);
  CHECK(told.leases < 40);
  CHECK(told.tasks.completed == 200);
  CHECK(told.total.completed == 200);
  CHECK(told.total.busy == 200us);
  CHECK(told.total.stolen == 0);
}

TEST_CASE_FIXTURE(
  world, "messages without homes are not assigned to a worker without room") {
  populate(2);
  send(1, 20);
  auto books = stats().tasks;
  CHECK(books.accepted == 20);
  CHECK(books.assigned == 0);
  CHECK(books.sent == 2);
  CHECK(books.waiting == 18);
}

TEST_CASE_FIXTURE(
  world, "messages without homes go to workers in the order of arrival") {
  options.leases = false;
  populate(3);
  during = [this](scripted&, int x) { pass(std::chrono::microseconds{x % 7}); };
  send(1, 100);
  run();
  auto is_first = [](int x) { return x <= 3; }; // of its worker
  seen.erase(std::remove_if(seen.begin(), seen.end(), is_first), seen.end());
  CHECK(seen == from_to(4, 100));
}

TEST_CASE_FIXTURE(world, "an urgent message starts before all waiting messages "
                         "that have no home worker") {
  populate(2);
  during = [this](scripted&, int x) {
    if (x == 10)
      caf::anon_send<caf::message_priority::high>(pool, 1000);
  };
  send(1, 100);
  run();
  REQUIRE(stats().leases > 0);
  CHECK(place_of(1000) <= place_of(10) + 2); // the other worker may be in one
}

TEST_CASE_FIXTURE(
  world,
  "an idle worker takes over messages from a lease in a pool with stealing") {
  populate(2);
  std::size_t at_the_end_of_first = 0;
  during = [&](scripted& self, int x) {
    if (x != 10)
      return;
    auto address = self.address();
    run(); // the other worker ends all the rest meanwhile
    at_the_end_of_first = seen.size();
  };
  send(1, 60);
  run();
  REQUIRE(stats().leases > 0);
  CHECK(sorted() == from_to(1, 60));
  CHECK(at_the_end_of_first == 60);
}

TEST_CASE_FIXTURE(
  world,
  "functions about messages switch a pool with stealing to eager assignment") {
  SUBCASE("about their homes") {
    homes.home_of = [](const content&) { return std::optional<std::size_t>{}; };
  }
  SUBCASE("about the cost of moving them") {
    homes.move_cost = [](const content&) { return 0ns; };
  }
  SUBCASE("about their kinds") {
    homes.kind_of = [](const content&) { return std::uint64_t{1}; };
  }
  SUBCASE("about their service times") {
    homes.estimate_of = [](const content&) {
      return std::optional<libpool::duration>{};
    };
  }
  SUBCASE("about the workers that may run them") {
    options.may_run_on = [](const content&) {
      return std::optional<libpool::worker_choice>{};
    };
  }
  populate(2);
  send(1, 100);
  auto books = stats().tasks;
  CHECK(books.sent == 2);
  CHECK(books.assigned == 98);
  run();
  CHECK(sorted() == from_to(1, 100));
  CHECK(stats().leases == 0);
}

TEST_CASE_FIXTURE(
  world,
  "home_of is called only when a worker has room, if recent tasks were tiny") {
  auto asked = 0;
  homes.home_of = [&](const content&) -> std::optional<std::size_t> {
    ++asked;
    return std::nullopt;
  };
  populate(2);
  send(1, 4);
  CHECK(asked == 4); // nobody knows yet how long they take
  run();
  send(5, 100);
  CHECK(asked == 6);
  run();
  CHECK(asked == 100);
  CHECK(sorted() == from_to(1, 100));
}

TEST_CASE("with work_stealing, messages that workers get in groups are neither "
          "lost nor repeated, in random interleavings") {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    CAPTURE(seed);
    world w{seed};
    w.options.restart.max = 1000;
    w.options.restart.pause = 0ns;
    w.populate(3);
    w.during = [&](scripted& self, int x) {
      if (x % 61 == 0) { // and another one comes
        self.quit();
        caf::anon_send(w.pool, caf::sys_atom{}, caf::put_atom{},
                       w.make_worker());
      }
      if (x % 97 == 0)
        test::crash();
      if (x % 53 == 0)
        w.pass(2ms);
      if (x % 71 == 0)
        caf::anon_send(w.pool, caf::sys_atom{}, libpool::resize_atom{},
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

} // namespace managed_leasing_stealing_tests
