/// Pools that gather, with clients and workers in all threads: each message is
/// answered once, by the results of its own parts, also while workers die.

#include "asking_client.hpp"
#include "libpool/pool.hpp"
#include "support/config.hpp"
#include "support/soak.hpp"

#include <caf/all.hpp>
#include <doctest/doctest.h>

#include <chrono>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

using libpool::actor_pool;

namespace {

constexpr std::int64_t message_count = test::sanitized() ? 2'000 : 20'000;
constexpr auto client_count = 3;

caf::behavior echo() {
  return {[](std::int64_t x) { return x; }};
}

void add(std::int64_t& to, caf::message& x) {
  to += x.get_as<std::int64_t>(0);
}

libpool::message_parts into_six(caf::message& message) {
  return libpool::message_parts(6, message);
}

void to_all(libpool::worker_tasks& tasks, caf::message& message) {
  for (auto& task : tasks)
    task.second = message;
}

struct way {
  std::string name;
  std::int64_t factor;
  actor_pool::policy how;
};

std::vector<way> ways() {
  using sum = std::int64_t;
  return {{"direct split_join", 4, actor_pool::split_join<sum>(add, to_all)},
          {"split_join", 6, actor_pool::managed_split_join<sum>(add, into_six)},
          {"split_join by least_used", 6,
           actor_pool::managed_split_join<sum>(add, into_six, 0, {},
                                               actor_pool::least_used())},
          {"broadcast_all", 4, actor_pool::broadcast_all<sum>(add)},
          {"first_success", 1, actor_pool::first_success(2)},
          {"quorum", 2, actor_pool::quorum<sum>(3, 2, add)},
          {"hedged", 1, actor_pool::hedged(std::chrono::microseconds{20}, 50)}};
}

/// Three clients that go on while `meanwhile` is called again and again.
template <class F>
test::answer_counts run(caf::actor_system& system, const caf::actor& pool,
                        std::int64_t factor, F meanwhile) {
  test::asking_clients clients;
  for (auto i = 0; i < client_count; ++i)
    clients.add(system, pool, {1, message_count + 1, 32, factor});
  return clients.wait(meanwhile);
}

} // namespace

TEST_CASE("each message is answered with the results of its own parts") {
  test::config config;
  caf::actor_system system{config};
  for (const auto& each : ways()) {
    CAPTURE(each.name);
    auto pool = actor_pool::make(
      system, 4, [&] { return system.spawn(echo); }, each.how);
    auto total = run(system, pool, each.factor, [] {});
    CHECK(total.right == message_count * client_count);
    CHECK(total.errors == 0);
    CHECK(total.wrong == 0);
    caf::anon_send_exit(pool, caf::exit_reason::user_shutdown);
  }
}

TEST_CASE("each message is answered with the results of its own parts, or with "
          "an error, while workers are killed") {
  test::config config;
  caf::actor_system system{config};
  std::mt19937 draw{7};
  for (const auto& each : ways()) {
    if (each.name == "direct split_join" || each.name == "broadcast_all")
      continue; // how many workers there are varies
    CAPTURE(each.name);
    auto pool = actor_pool::make(
      system, 6, [&] { return system.spawn(echo); }, each.how);
    caf::scoped_actor self{system};
    auto replace_one = [&] {
      std::vector<caf::actor> workers;
      self->request(pool, caf::infinite, caf::sys_atom{}, caf::get_atom{})
        .receive([&](std::vector<caf::actor>& all) { workers.swap(all); },
                 [](const caf::error&) {});
      caf::anon_send(pool, caf::sys_atom{}, caf::put_atom{},
                     caf::actor{system.spawn(echo)});
      if (workers.size() > 4)
        caf::anon_send_exit(workers[draw() % workers.size()],
                            caf::exit_reason::kill);
    };
    auto total = run(system, pool, each.factor, replace_one);
    CHECK(total.right + total.errors == message_count * client_count);
    CHECK(total.wrong == 0);
    CHECK(total.right > total.errors);
    CHECK(actor_pool::stats(pool).tasks.balances());
    caf::anon_send_exit(pool, caf::exit_reason::user_shutdown);
  }
}
