/// Messages of a pool one of whose workers has a handler that does not return.

#include "leasing_world.hpp"

#include <chrono>
#include <map>

namespace managed_stuck_workers_tests {

using test::leasing_world;
using test::scripted;
using namespace std::chrono_literals;

namespace {

/// A message that is handled in the midst of a lease.
constexpr auto in_a_lease = 20;

/// From here on each message is sent by the handler of the one before it.
constexpr auto first_of_chain = 10'000;
constexpr auto last_of_chain = 12'000;

struct world : leasing_world {
  world() {
    during = [this](scripted&, int x) {
      handled_at[x] = now();
      if (x == in_a_lease)
        while_stuck();
      if (x >= first_of_chain && x < last_of_chain)
        client.send(pool, x + 1);
    };
  }

  libpool::instant now() {
    return system().clock().now();
  }

  /// The handler is stuck while another worker handles newer messages, one at a
  /// time, so that exactly one waits.
  void handle_chain() {
    client.send(pool, first_of_chain);
    while (handled_at.count(last_of_chain) == 0 && step()) {
      // step did it
    }
  }

  /// Makes a pool of such a worker and one that cannot have leases.
  void populate_mixed() {
    other = libpool::spawn_pool(system(), 1, [this] { return make_worker(); });
    auto is_first = true;
    options.workers = 2;
    pool = spawn([this, is_first]() mutable {
      return std::exchange(is_first, false) ? make_worker() : other;
    });
    run();
  }

  ~world() {
    if (other)
      caf::anon_send_exit(other, caf::exit_reason::user_shutdown);
    other = nullptr;
  }

  caf::actor other;
  std::map<int, libpool::instant> handled_at;
  std::function<void()> while_stuck = [] {};
};

} // namespace

TEST_CASE_FIXTURE(
  world,
  "a leased message waits behind a stuck handler for at most a millisecond") {
  auto stuck_at = libpool::never;
  while_stuck = [&] {
    stuck_at = now();
    handle_chain();
  };
  SUBCASE("both workers have leases") {
    populate_each_shared(2);
  }
  SUBCASE(
    "the other worker has none, and messages go in the order of arrival") {
    populate_mixed();
  }
  SUBCASE("the other worker has none, and messages go by flows") {
    waits_in = line::of_flows;
    populate_mixed();
  }
  send(1, 60);
  run();
  REQUIRE(stats().leases > 0);
  REQUIRE(handled_at.count(last_of_chain) == 1);
  for (auto x = 1; x <= 60; ++x) {
    CAPTURE(x);
    REQUIRE(handled_at.count(x) == 1);
    if (x != in_a_lease)
      CHECK((handled_at[x] - stuck_at).count() <= 1'100'000);
  }
}

TEST_CASE_FIXTURE(
  world,
  "a message that arrives while all workers are stuck keeps its arrival time") {
  constexpr auto late = 20;
  std::vector<libpool::instant> sent_at;
  libpool::pool_stats told;
  while_stuck = [&] {
    for (auto i = 0; i < late; ++i) {
      client.send(pool, 100 + i);
      sent_at.push_back(now());
      pass(i < late / 2 ? 7us : 100ms);
    }
    told = stats();
  };
  populate_each(1);
  libpool::actor_pool::record(pool, {1h});
  send(1, 60);
  run();
  REQUIRE(stats().leases > 0);
  auto runs = libpool::actor_pool::recorded(pool).runs;
  REQUIRE(runs.size() == 60 + late);
  for (std::size_t i = 0; i < late; ++i) {
    CAPTURE(i);
    CHECK(runs[60 + i].accepted >= sent_at[i]);
    CHECK(runs[60 + i].accepted <= sent_at[i] + 50us);
  }
  CHECK(told.tasks.waiting + told.tasks.assigned == 60 - in_a_lease + late);
  CHECK(stats().total.waits.percentile(95) >= 900ms);
}

} // namespace managed_stuck_workers_tests
