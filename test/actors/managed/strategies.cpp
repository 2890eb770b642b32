/// Managed pools of several policies, and their options about messages and
/// workers.
/// The choices of the policies are tested in test/policies, without actors.

#include "support/crew_world.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>

namespace managed_strategies_tests {

using namespace std::chrono_literals;

using libpool::actor_pool;
using libpool::errc;
using libpool::outcome;
using test::complaint;
using test::first_of;
using test::has;
using world = test::crew_world;

using numbers = std::vector<int>;

// -- the workers of messages --------------------------------------------------

TEST_CASE_FIXTURE(world, "workers take turns, in proportion to their weights") {
  libpool::weight_options how;
  how.weight_of = [&](const caf::actor&) -> libpool::duration {
    return std::chrono::milliseconds{by_worker.size()};
  };
  auto policy = actor_pool::managed_round_robin(options);
  numbers expected{0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2};
  SUBCASE("without weights, by managed_round_robin") {}
  SUBCASE("each budget as a whole, by weighted_round_robin") {
    policy = actor_pool::weighted_round_robin(how, options);
    expected = {0, 1, 1, 2, 2, 2, 0, 1, 1, 2, 2, 2};
  }
  SUBCASE("in small portions, by interleaved_weighted_round_robin") {
    policy = actor_pool::interleaved_weighted_round_robin(how, options);
    expected = {0, 1, 2, 1, 2, 2, 0, 1, 2, 1, 2, 2};
  }
  make(policy, {1ms, 1ms, 1ms});
  send_one_by_one(12);
  CHECK(workers_in_order() == expected);
}

TEST_CASE_FIXTURE(world, "a turn of a worker lasts as long as its weight") {
  libpool::weight_options how;
  how.weight_of = [&](const caf::actor&) {
    return by_worker.size() == 1 ? 20ms
                                 : 10ms; // the first worker, and the second one
  };
  numbers messages{2000, 1000};
  auto slow = 1ms;
  SUBCASE("workers of equal speed") {}
  SUBCASE("a worker that takes twice the time") {
    slow = 2ms;
    messages = {2000, 500};
  }
  make(actor_pool::weighted_round_robin(how, options), {1ms, slow});
  send_one_by_one(messages[0] + messages[1]);
  auto all = workers_in_order();
  CHECK(std::count(all.begin(), all.end(), 0) == messages[0]);
  CHECK(std::count(all.begin(), all.end(), 1) == messages[1]);
}

TEST_CASE_FIXTURE(
  world, "a worker is not added if weight_of throws or returns no weight") {
  libpool::weight_options how;
  auto throws = false;
  how.weight_of = [&](const caf::actor&) -> libpool::duration {
    return throws ? throw std::runtime_error{"no idea"} : 0ns;
  };
  auto policy = actor_pool::weighted_round_robin(how, options);
  make(policy);
  auto worker = system().spawn<test::doubler>();
  auto why = put(worker).error();
  CHECK(why == caf::sec::invalid_argument);
  CHECK(has(libpool::render(why, system()), "weight_of"));
  CHECK(workers().empty());
  CHECK(has(complaint([&] {
              actor_pool::make(
                system(), 1, [&] { return worker; }, policy);
            }),
            "weight_of"));
  throws = true;
  CHECK(put(worker).error() == errc::policy_failed);
  exit(worker);
}

// -- which message goes next --------------------------------------------------

TEST_CASE_FIXTURE(world, "messages with the highest priority go first, by "
                         "default the urgent ones") {
  libpool::rank_options how;
  numbers expected{3, 9, 5, 4, 2, 1}; // the first one found it idle
  SUBCASE("priority_of") {
    how.priority_of = first_of;
  }
  SUBCASE("by default") {
    expected = {3, 9, 1, 2, 5, 4};
  }
  make(actor_pool::priority(how, options), {1ms});
  for (auto x : {3, 1, 2, 5, 4})
    caf::anon_send(pool, x);
  caf::anon_send<caf::message_priority::high>(pool, 9);
  run();
  CHECK(numbers_in_order() == expected);
}

TEST_CASE_FIXTURE(world, "with ageing, a message that has waited long goes "
                         "before a newer message of higher priority") {
  libpool::rank_options how;
  how.age_step = 1ms;
  how.priority_of = first_of;
  options.measure_times = false; // it goes by the time all the same
  make(actor_pool::priority(how, options), {1ms});
  caf::anon_send(pool, 9);
  caf::anon_send(pool, 1);
  pass(5ms);
  caf::anon_send(pool, 5); // has 4 levels more, and came 5 ms later
  caf::anon_send(pool, 7);
  run();
  CHECK(numbers_in_order() == numbers{9, 7, 1, 5});
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
    for (const auto& each : w.begun) {
      auto x = each.second;
      CAPTURE(x);
      if (round++ == 50)
        last.clear();
      CHECK(last[x % 5] < x);
      last[x % 5] = x;
    }
    CHECK(w.begun.size() == 100);
  }
}

TEST_CASE_FIXTURE(
  world,
  "a message is refused if priority_of throws, which is also asked about "
  "messages of an outer pool") {
  numbers asked;
  libpool::rank_options how;
  how.priority_of = [&](const libpool::message_content& content) {
    asked.push_back(first_of(content));
    return asked.back() < 0 ? throw std::runtime_error{"no idea"} : 0;
  };
  make(actor_pool::priority(how, options), {1ms});
  CHECK(client.ask(pool, -1).error() == errc::policy_failed);
  CHECK(client.ask(pool, 1).get<int>() == 2);
  CHECK(count(outcome::refused) == 1);
  auto outer = actor_pool::make(
    system(), 1, [this] { return pool; }, actor_pool::shared_queue());
  CHECK(client.ask(outer, 4).get<int>() == 8);
  CHECK(asked == numbers{-1, 1, 4});
  client.ask(outer, caf::sys_atom{}, caf::delete_atom{});
  exit(outer);
}

} // namespace managed_strategies_tests
