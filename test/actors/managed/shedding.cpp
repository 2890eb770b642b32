/// Pools that drop messages while they are overloaded.

#include "support/managed_world.hpp"

#include <caf/all.hpp>
#include <doctest/doctest.h>

#include <chrono>
#include <stdexcept>
#include <string>

namespace managed_shedding_tests {

using namespace std::chrono_literals;

using libpool::actor_pool;
using libpool::errc;
using libpool::outcome;
using libpool::shed;
using test::managed_world;
using test::scripted;

namespace {

struct world : managed_world {
  /// A worker that takes 15 ms for each message.
  scripted::script slow() {
    return [this](scripted&) -> caf::behavior {
      return {[this](int x) {
        pass(15ms);
        return x;
      }};
    };
  }
};

} // namespace

TEST_CASE_FIXTURE(world, "an overloaded pool answers old messages with "
                         "errc::overloaded, and the newest first") {
  options.shed = shed{10ms, 30ms, {}};
  options.leases = false;
  populate(1, slow());
  for (auto i = 0; i < 9; ++i)
    client.request(pool, i);
  run();
  auto last = client.request(pool, 10);
  run();
  CHECK(result_of(last) == 10);
  CHECK(books().completed == 4); // until 45 ms, and the last one
  CHECK(books().cancelled == 6);
  CHECK(stats().errors[errc::overloaded] == 6);
  for (auto& each : fates)
    CHECK((each.how == outcome::completed || each.reason == errc::overloaded));
}

TEST_CASE_FIXTURE(world, "messages of exempt flows are not dropped") {
  options.shed = shed{1ms, 1ms, {"vip"}};
  options.leases = false;
  options.throttled_by = [](const libpool::message_content&) { return "vip"; };
  populate(1, slow());
  for (auto i = 0; i < 9; ++i)
    client.request(pool, i);
  run();
  CHECK(books().completed == 9);
}

TEST_CASE_FIXTURE(world, "policies that cannot drop messages refuse the "
                         "option") {
  options.shed = shed{};
  auto* why = "libpool: managed_options: shed: requires a policy that sends "
              "messages in the order of arrival or by flows, such as "
              "shared_queue or fair_queuing";
  CHECK_THROWS_WITH_AS(actor_pool::least_used(options), why,
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(actor_pool::priority({}, options), why,
                       std::invalid_argument);
  CHECK_NOTHROW(actor_pool::shared_queue(options));
  options.shed->exempt = {"vip"};
  CHECK_NOTHROW(actor_pool::fair_queuing(libpool::flow_options{}, options));
  CHECK_THROWS_WITH_AS(actor_pool::shared_queue(options),
                       "libpool: managed_options: shed: exempt: requires "
                       "flows: fair_queuing, throttles or throttled_by",
                       std::invalid_argument);
  options.shed = shed{0ns};
  CHECK_THROWS_AS(actor_pool::shared_queue(options), std::invalid_argument);
  options.shed = shed{};
  options.measure_times = false;
  CHECK_THROWS_AS(actor_pool::shared_queue(options), std::invalid_argument);
}

} // namespace managed_shedding_tests
