/// Pools and workers on two nodes, which are two actor systems of this process
/// that know each other by TCP only.

#include "libpool/pool.hpp"
#include "port/network.hpp"
#include "support/config.hpp"
#include "support/patience.hpp"
#include "support/port/actors.hpp"

#include <caf/all.hpp>
#include <caf/io/all.hpp>
#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>
#include <utility>
#include <vector>

using namespace std::chrono_literals;

using libpool::actor_pool;
using libpool::errc;
using test::patience;

namespace {

struct configuration : test::config {
  configuration() : test::config(2) {
    port::load_network(*this);
  }
};

struct node {
  configuration config;
  caf::actor_system system{config};

  /// The actor of another node, as this one sees it.
  caf::actor seen_from_here(node& other, const caf::actor& actor) {
    auto port = other.system.middleman().publish(actor, 0, "127.0.0.1");
    REQUIRE(port);
    auto result = system.middleman().remote_actor("127.0.0.1", *port);
    REQUIRE(result);
    return *result;
  }
};

void stop(const caf::actor& actor) {
  caf::anon_send_exit(actor, caf::exit_reason::user_shutdown);
}

// Functions take a number, since CAF binds a null pointer for functions that
// take nothing, which sanitizers object to.

caf::behavior squaring(caf::event_based_actor*, int) {
  return {[](int x) { return x * x; }};
}

/// Keeps promises for ever.
struct silent_state {
  std::vector<caf::response_promise> promises;
};

caf::behavior silent(caf::stateful_actor<silent_state>* self, int) {
  return {[self](int) {
    test::state_of(*self).promises.push_back(self->make_response_promise());
    return test::state_of(*self).promises.back();
  }};
}

struct world {
  node here;
  node there;
  caf::scoped_actor client{here.system};
  caf::actor worker = there.system.spawn(squaring, 0);
  caf::actor proxy = here.seen_from_here(there, worker);

  ~world() {
    stop(worker);
  }

  template <class... Ts>
  caf::expected<int> ask(const caf::actor& actor, Ts... xs) {
    caf::expected<int> result{caf::sec::request_timeout};
    client->request(actor, patience, xs...)
      .receive([&](int y) { result = y; },
               [&](caf::error& why) { result = std::move(why); });
    return result;
  }

  caf::error put(const caf::actor& pool, const caf::actor& actor) {
    caf::error result;
    client->request(pool, patience, caf::sys_atom{}, caf::put_atom{}, actor)
      .receive([] {}, [&](caf::error& why) { result = std::move(why); });
    return result;
  }

  /// A worker of a managed pool that has the remote actor answer.
  caf::actor passing_on(const caf::actor& to) {
    return here.system.spawn(
      [](caf::event_based_actor* self, const caf::actor& next) {
        return caf::behavior{[=](int x) { return self->delegate(next, x); }};
      },
      to);
  }
};

caf::actor summing(caf::actor_system& system) {
  auto add = [](int& sum, caf::message& part) { sum += part.get_as<int>(0); };
  auto same_for_all = [](libpool::worker_tasks& tasks, caf::message& request) {
    for (auto& each : tasks)
      each.second = request;
  };
  return actor_pool::make(system,
                          actor_pool::split_join<int>(add, same_for_all));
}

} // namespace

TEST_CASE_FIXTURE(
  world, "a direct pool may have remote workers, of which one may be a managed "
         "pool, and removes them when they end") {
  libpool::managed_options options;
  options.workers = 1;
  auto inner = libpool::spawn_pool(
    there.system, options, [this] { return there.system.spawn(squaring, 0); });
  auto pool = actor_pool::make(here.system, actor_pool::round_robin());
  CHECK_FALSE(put(pool, proxy));
  CHECK_FALSE(put(pool, here.seen_from_here(there, inner)));
  for (auto i : {7, 8})
    CHECK(*ask(pool, i) == i * i);
  client->monitor(pool);
  stop(worker);
  stop(inner);
  client->receive([](const caf::down_msg& message) {
    CHECK(message.reason == caf::exit_reason::out_of_workers);
  });
}

TEST_CASE_FIXTURE(world, "a managed pool refuses a remote worker") {
  auto pool = actor_pool::make(here.system, actor_pool::shared_queue());
  CHECK(put(pool, proxy) == errc::untrackable_worker);
  stop(pool);
}

TEST_CASE_FIXTURE(
  world,
  "a managed pool on another node answers STATS, and ends when it is drained") {
  libpool::managed_options options;
  options.workers = 2;
  auto pool = libpool::spawn_pool(
    there.system, options, [this] { return there.system.spawn(squaring, 0); });
  auto remote = here.seen_from_here(there, pool);
  CHECK(*ask(remote, 7) == 49);
  client->request(remote, patience, caf::sys_atom{}, libpool::stats_atom{})
    .receive(
      [](const libpool::pool_stats& seen) {
        CHECK(seen.members.size() == 2);
        CHECK(seen.tasks.accepted == 1);
      },
      [](caf::error&) { FAIL("no stats"); });
  client->monitor(remote);
  caf::anon_send(remote, caf::sys_atom{}, libpool::drain_atom{});
  client->receive([](const caf::down_msg& message) {
    CHECK(message.reason == caf::exit_reason::user_shutdown);
  });
}

TEST_CASE_FIXTURE(
  world,
  "an actor system ends even if its split_join has asked a remote worker") {
  auto pool = summing(here.system);
  CHECK_FALSE(put(pool, proxy));
  CHECK_FALSE(put(pool, here.system.spawn(squaring, 0)));
  for (auto i = 1; i <= 3; ++i)
    CHECK(*ask(pool, i) == 2 * i * i);
  stop(pool);
}

TEST_CASE_FIXTURE(
  world, "an actor system ends even if a remote actor has answered for a "
         "worker, or has not") {
  auto mute = there.system.spawn(silent, 0);
  auto proxy_of_mute = here.seen_from_here(there, mute);
  libpool::managed_options options;
  options.workers = 1;
  auto pool_of = [&](const caf::actor& to) {
    return libpool::spawn_pool(here.system, options,
                               [&] { return passing_on(to); });
  };
  options.deadline = patience;
  auto answered = pool_of(proxy);
  for (auto i = 1; i <= 3; ++i)
    CHECK(*ask(answered, i) == i * i);
  options.deadline = 50ms;
  options.busy_until = libpool::busy_until::answer;
  auto pool = pool_of(proxy_of_mute);
  auto answer = ask(pool, 1);
  REQUIRE_FALSE(answer);
  CHECK(answer.error() == errc::deadline_exceeded);
  for (const auto& each : {answered, pool, mute})
    stop(each);
}
