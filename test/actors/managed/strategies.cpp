/// Managed pools of all policies, and the options about messages and workers.
/// The choices of the policies are tested in test/policies, without actors.

#include "support/strategy_world.hpp"

#include <caf/all.hpp>
#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace managed_strategies_tests {

using namespace std::chrono_literals;

using libpool::actor_pool;
using libpool::errc;
using libpool::outcome;
using test::complaint;
using test::first_of;
using test::has;
using test::scripted;
using world = test::strategy_world;

namespace {

using numbers = std::vector<int>;

} // namespace

// -- all of them --------------------------------------------------------------

TEST_CASE(
  "under every policy each message is settled, and each request answered") {
  for (const auto& entry : libpool::managed_policies())
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      CAPTURE(std::string{entry.name});
      CAPTURE(seed);
      world w{seed};
      w.make(w.managed(entry), {1ms, 2ms, 3ms});
      for (auto x = 1; x <= 30; ++x)
        caf::anon_send(w.pool, x);
      CHECK(w.client.ask(w.pool, 7).get<int>() == 14);
      w.run();
      CHECK(w.done.size() == 31);
      CHECK(w.count(outcome::completed) == 31);
    }
}

TEST_CASE(
  "under every policy, tasks of a terminated worker run on other workers") {
  for (const auto& entry : libpool::managed_policies())
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      CAPTURE(std::string{entry.name});
      CAPTURE(seed);
      world w{seed};
      w.make(w.managed(entry), {1ms, 2ms, 3ms});
      for (auto x = 1; x <= 30; ++x)
        caf::anon_send(w.pool, x);
      for (std::uint64_t i = 0; i < seed; ++i)
        w.step();
      w.kill(w.by_worker[seed % 3]);
      w.run();
      CHECK(w.count(outcome::completed) + w.count(outcome::failed) == 30);
      CHECK(w.count(outcome::failed) <= 1);
    }
}

TEST_CASE(
  "under every policy, messages are handled while workers join and leave") {
  for (const auto& entry : libpool::managed_policies())
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      CAPTURE(std::string{entry.name});
      CAPTURE(seed);
      world w{seed};
      w.make(w.managed(entry), {1ms, 1ms});
      for (auto x = 1; x <= 30; ++x) {
        caf::anon_send(w.pool, x);
        if (x % 10 == 0) {
          w.add(1ms);
          caf::anon_send(w.pool, caf::sys_atom{}, caf::delete_atom{},
                         w.by_worker[static_cast<std::size_t>(x) / 10 - 1]);
        }
        w.step();
      }
      w.run();
      CHECK(w.count(outcome::completed) == 30);
    }
}

// -- the workers of messages --------------------------------------------------

TEST_CASE("managed_round_robin serves the workers in the order of joining") {
  world w;
  w.make(actor_pool::managed_round_robin(w.options), {1ms, 1ms, 1ms});
  w.send_one_by_one(7);
  CHECK(w.workers_in_order() == numbers{0, 1, 2, 0, 1, 2, 0});
}

TEST_CASE("fair_share gives a slow worker fewer messages") {
  world w;
  w.make(actor_pool::fair_share({}, w.options), {1ms, 1ms, 10ms});
  w.send_at_once(60);
  w.done.clear();
  w.send_at_once(210);
  auto slow = w.workers_in_order();
  // By now the estimates are known; it works at a tenth of the others' speed.
  CHECK(std::count(slow.begin(), slow.end(), 2) == 10);
}

TEST_CASE("workers get messages in proportion to their weights") {
  world w;
  libpool::weight_options how;
  how.weight_of = [&](const caf::actor&) -> libpool::duration {
    return std::chrono::milliseconds{w.added};
  };
  SUBCASE("each budget as a whole, by weighted_round_robin") {
    w.make(actor_pool::weighted_round_robin(how, w.options), {1ms, 1ms, 1ms});
    w.send_one_by_one(12);
    CHECK(w.workers_in_order() == numbers{0, 1, 1, 2, 2, 2, 0, 1, 1, 2, 2, 2});
  }
  SUBCASE("in small portions, by interleaved_weighted_round_robin") {
    w.make(actor_pool::interleaved_weighted_round_robin(how, w.options),
           {1ms, 1ms, 1ms});
    w.send_one_by_one(12);
    CHECK(w.workers_in_order() == numbers{0, 1, 2, 1, 2, 2, 0, 1, 2, 1, 2, 2});
  }
}

TEST_CASE("a worker without a weight above 0 is not added") {
  world w;
  libpool::weight_options how;
  how.weight_of = [](const caf::actor&) { return 0ns; };
  w.make(actor_pool::weighted_round_robin(how, w.options), {});
  auto worker = w.system().spawn<scripted>(
    [](scripted&) -> caf::behavior { return {[](int x) { return x; }}; });
  auto why = w.put(worker).error();
  CHECK(why == caf::sec::invalid_argument);
  CHECK(has(libpool::render(why, w.system()), "weight_of"));
  CHECK(w.workers().empty());
  auto make = [&] {
    auto factory = [&] { return worker; };
    actor_pool::make(w.system(), 1, factory,
                     actor_pool::weighted_round_robin(how, w.options));
  };
  CHECK(has(complaint(make), "weight_of"));
  w.exit(worker, caf::exit_reason::user_shutdown);
}

TEST_CASE("a worker is not added if weight_of throws") {
  world w;
  libpool::weight_options how;
  how.weight_of = [](const caf::actor&) -> libpool::duration {
    throw std::runtime_error{"no idea"};
  };
  w.make(actor_pool::weighted_round_robin(how, w.options), {});
  auto worker = w.system().spawn<scripted>(
    [](scripted&) -> caf::behavior { return {[](int x) { return x; }}; });
  CHECK(w.put(worker).error() == errc::policy_failed);
  w.exit(worker, caf::exit_reason::user_shutdown);
}

// -- which message goes next --------------------------------------------------

TEST_CASE("messages with the highest priority go first") {
  world w;
  libpool::rank_options how;
  how.priority_of = first_of;
  w.make(actor_pool::priority(how, w.options), {1ms});
  for (auto x : {3, 1, 2, 5, 4})
    caf::anon_send(w.pool, x);
  w.run();
  CHECK(w.numbers_in_order()
        == numbers{3, 5, 4, 2, 1}); // the first one found it idle
}

TEST_CASE("urgent messages have priority by default") {
  world w;
  w.make(actor_pool::priority({}, w.options), {1ms});
  for (auto x : {1, 2})
    caf::anon_send(w.pool, x);
  caf::anon_send<caf::message_priority::high>(w.pool, 3);
  w.run();
  CHECK(w.numbers_in_order() == numbers{1, 3, 2});
}

TEST_CASE("with ageing, a message that has waited long goes before a newer "
          "message of higher priority") {
  world w;
  libpool::rank_options how;
  how.age_step = 1ms;
  how.priority_of = first_of;
  w.options.measure_times = false; // it goes by the time all the same
  w.make(actor_pool::priority(how, w.options), {1ms});
  caf::anon_send(w.pool, 9);
  caf::anon_send(w.pool, 1);
  w.pass(5ms);
  caf::anon_send(w.pool, 5); // has 4 levels more, and came 5 ms later
  caf::anon_send(w.pool, 7);
  w.run();
  CHECK(w.numbers_in_order() == numbers{9, 7, 1, 5});
}

TEST_CASE(
  "messages with the same key are handled in order, even when a worker joins") {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    CAPTURE(seed);
    world w{seed};
    libpool::key_options how;
    how.key_of = [](const libpool::message_content& content) {
      return std::optional<std::uint64_t>{
        static_cast<std::uint64_t>(first_of(content)) % 5};
    };
    w.make(actor_pool::consistent_hash(how, w.options), {1ms, 1ms, 1ms});
    w.send_at_once(50);
    w.add(1ms);
    w.send_at_once(50);
    std::map<int, int> last;
    auto round = 0;
    for (const auto& each : w.done) {
      auto x = each.second;
      CAPTURE(x);
      if (round++ == 50)
        last.clear();
      CHECK(last[x % 5] < x);
      last[x % 5] = x;
    }
    CHECK(w.done.size() == 100);
  }
}

TEST_CASE("a message is refused if priority_of throws") {
  world w;
  libpool::rank_options how;
  how.priority_of = [](const libpool::message_content& content) {
    if (first_of(content) < 0)
      throw std::runtime_error{"no idea"};
    return std::int64_t{0};
  };
  w.make(actor_pool::priority(how, w.options), {1ms});
  CHECK(w.client.ask(w.pool, -1).error() == errc::policy_failed);
  CHECK(w.client.ask(w.pool, 1).get<int>() == 2);
  CHECK(w.count(outcome::refused) == 1);
}

TEST_CASE(
  "an inner pool asks for the priorities of messages from the outer pool") {
  world w;
  std::vector<int> asked;
  libpool::rank_options how;
  how.priority_of = [&](const libpool::message_content& content) {
    asked.push_back(first_of(content));
    return std::int64_t{0};
  };
  w.make(actor_pool::priority(how, w.options), {1ms});
  auto outer = actor_pool::make(w.system(), actor_pool::shared_queue());
  caf::anon_send(outer, caf::sys_atom{}, caf::put_atom{}, w.pool);
  w.run();
  CHECK(w.client.ask(outer, 4).get<int>() == 8);
  CHECK(asked == std::vector<int>{4});
  caf::anon_send(outer, caf::sys_atom{}, caf::delete_atom{}, w.pool);
  w.run();
  w.exit(outer, caf::exit_reason::user_shutdown);
  w.run();
}

} // namespace managed_strategies_tests
