/// Values of policies that change while a pool runs.

#include "support/crew_world.hpp"

#include <caf/all.hpp>
#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <string>
#include <vector>

namespace managed_policy_values_tests {

using namespace std::chrono_literals;

using libpool::actor_pool;
using libpool::flow_options;
using libpool::message_content;
using libpool::policy_values;
using test::crew_world;

namespace {

struct world : crew_world {
  /// Sends 99 messages of each flow, which are -x and x.
  void send_two_flows() {
    for (auto x = 1; x < 100; ++x) {
      caf::anon_send(pool, x);
      caf::anon_send(pool, -x);
    }
  }

  /// The number of messages of the flow with positive numbers among the first
  /// 30 that began after `begin`.
  std::size_t positive_of_30(std::size_t begin) const {
    auto numbers = numbers_in_order();
    auto first = numbers.begin() + static_cast<std::ptrdiff_t>(begin);
    return static_cast<std::size_t>(
      std::count_if(first, first + 30, [](int x) { return x > 0; }));
  }

  /// Runs until the workers have begun that many messages.
  void run_to(std::size_t n) {
    while (begun.size() < n && step()) {
      // step did it
    }
  }
};

flow_options by_sign() {
  flow_options result;
  result.flow_of = [](const message_content& content) {
    return content.get_as<int>(0) > 0 ? "plus" : "minus";
  };
  return result;
}

} // namespace

TEST_CASE_FIXTURE(world, "new shares count for messages that wait already") {
  options.leases = false;
  make(actor_pool::fair_queuing(by_sign(), options), {10ms});
  send_two_flows();
  run_to(40);
  auto before = positive_of_30(10);
  CHECK(before >= 14);
  CHECK(before <= 16);
  actor_pool::set_policy_values(pool, {{{{"plus", 4.0}}}});
  run_to(80);
  auto after = positive_of_30(50);
  CHECK(after >= 23);
  CHECK(after <= 25);
  actor_pool::set_policy_values(pool, {{{{"minus", 4.0}}}}); // plus has 1 again
  run_to(120);
  CHECK(positive_of_30(90) <= 7);
}

TEST_CASE_FIXTURE(world, "new weights change how time is divided") {
  libpool::weight_options weights;
  weights.weight_of = [](const caf::actor&) { return 10ms; };
  auto how = actor_pool::weighted_round_robin(weights, options);
  SUBCASE("in turns") {
    // as it is
  }
  SUBCASE("in interleaved rounds") {
    how = actor_pool::interleaved_weighted_round_robin(weights, options);
  }
  make(how, {10ms, 10ms});
  auto count_first = [&](std::size_t begin) {
    auto workers = workers_in_order();
    return std::count(workers.begin() + static_cast<std::ptrdiff_t>(begin),
                      workers.end(), 0);
  };
  send_one_by_one(40);
  CHECK(count_first(0) == 20);
  actor_pool::set_policy_values(pool, {{}, {}, {{by_worker[0], 30ms}}});
  send_one_by_one(40);
  CHECK(count_first(40) >= 29);
  CHECK(count_first(40) <= 31);
}

TEST_CASE_FIXTURE(world, "a new time of ageing counts for messages that come "
                         "later") {
  libpool::rank_options ranks;
  ranks.age_step = 10ms;
  ranks.priority_of = [](const message_content& content) {
    return content.get_as<int>(0) > 0 ? 1 : 0;
  };
  options.leases = false;
  make(actor_pool::priority(ranks, options), {10ms});
  actor_pool::set_policy_values(pool, {{}, 1h});
  caf::anon_send(pool, -1);
  caf::anon_send(pool, -2);
  pass(30ms); // three levels before
  caf::anon_send(pool, 3);
  run();
  CHECK(numbers_in_order() == std::vector<int>{-1, 3, -2});
}

TEST_CASE_FIXTURE(world, "values that the policy does not use, or that are out "
                         "of bounds, change nothing") {
  auto is_refused = [this](const policy_values& values,
                           const std::string& why) {
    try {
      actor_pool::set_policy_values(pool, values);
      return false;
    } catch (const std::invalid_argument& error) {
      CHECK(test::has(error.what(), why));
      return true;
    }
  };
  make(actor_pool::shared_queue(options), {10ms});
  CHECK(is_refused({{{{"a", 2.0}}}},
                   "shares: the policy of the pool does not "
                   "use it; fair_queuing in mode exact does"));
  CHECK(is_refused({{{{"a", 0.0}}}}, "shares"));
  CHECK(
    is_refused({{}, 1s}, "age_step: the policy of the pool does not use it"));
  CHECK(is_refused({{}, 0s}, "age_step"));
  CHECK(is_refused({{{{"a", 2.0}}}, 1s}, "no policy has shares and age_step"));
  CHECK(is_refused({{}, {}, {{by_worker[0], 1s}}}, "have no weights"));
  CHECK(is_refused({{}, {}, {{by_worker[0], 0s}}}, "must be above 0 ns"));
  CHECK(is_refused({{}, {}, {{caf::actor{}, 1s}}}, "no such worker"));
  auto plain = actor_pool::make(system(), actor_pool::round_robin());
  CHECK_THROWS_AS(actor_pool::set_policy_values(plain, {}),
                  std::invalid_argument);
  stop(plain);
}

} // namespace managed_policy_values_tests
