/// The figures of pools among the metrics of an actor system.

#include "libpool/actors/caf/port/pool_metrics.hpp"
#include "support/direct_world.hpp"

#include <caf/telemetry/metric_registry.hpp>

namespace metrics_tests {

using libpool::ledger;
using libpool::pool_metrics;

namespace {

struct world : test::hand_cranked {
  std::int64_t counted(std::string_view name) {
    return system()
      .metrics()
      .counter_instance("libpool", name, {{"pool", "p"}}, "", "1", true)
      ->value();
  }

  std::int64_t measured(std::string_view name) {
    return system()
      .metrics()
      .gauge_instance("libpool", name, {{"pool", "p"}}, "")
      ->value();
  }
};

ledger books(std::uint64_t accepted, std::uint64_t waiting,
             std::uint64_t completed) {
  ledger result;
  result.accepted = accepted;
  result.waiting = waiting;
  result.completed = completed;
  result.running = accepted - waiting - completed;
  return result;
}

} // namespace

TEST_CASE_FIXTURE(world, "metrics show the current task counters of a pool") {
  pool_metrics metrics{system(), "p"};
  metrics.show(books(7, 3, 2), 4, 1);
  CHECK(counted("accepted") == 7);
  CHECK(counted("completed") == 2);
  CHECK(counted("restarts") == 1);
  CHECK(measured("waiting") == 3);
  CHECK(measured("running") == 2);
  CHECK(measured("workers") == 4);
  metrics.show(books(8, 0, 8), 4, 1);
  CHECK(counted("accepted") == 8);
  CHECK(counted("completed") == 8);
  CHECK(measured("waiting") == 0);
  CHECK(measured("running") == 0);
}

TEST_CASE_FIXTURE(world,
                  "a counter that decreases temporarily is not counted twice") {
  pool_metrics metrics{system(), "p"};
  metrics.show(books(9, 9, 0), 1, 0);
  metrics.show(books(4, 4, 0), 1, 0); // five are with a worker
  metrics.show(books(10, 1, 9), 1, 0);
  CHECK(counted("accepted") == 10);
  CHECK(counted("completed") == 9);
  CHECK(measured("waiting") == 1);
}

TEST_CASE_FIXTURE(
  world, "pools of the same name are added up, and their counts remain") {
  pool_metrics first{system(), "p"};
  first.show(books(2, 1, 1), 3, 0);
  {
    pool_metrics second{system(), "p"};
    second.show(books(5, 2, 3), 4, 0);
    CHECK(counted("accepted") == 7);
    CHECK(measured("workers") == 7);
    CHECK(measured("waiting") == 3);
  }
  CHECK(counted("accepted") == 7);
  CHECK(measured("workers") == 3);
  CHECK(measured("waiting") == 1);
}

TEST_CASE_FIXTURE(world,
                  "a pool has metrics only if the configuration asks for "
                  "them") {
  CHECK(pool_metrics::make(system(), "p") == nullptr);
  caf::actor_system_config config;
  libpool::set_up(config);
  config.set("libpool.metrics", true);
  config.set("caf.scheduler.max-threads", 1);
  caf::actor_system other{config};
  CHECK(pool_metrics::make(other, "p") != nullptr);
}

} // namespace metrics_tests
