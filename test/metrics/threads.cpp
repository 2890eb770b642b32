/// Threads that scrape pools while these come, work and end.

#include "libpool/observability/metrics/metrics_collector.hpp"
#include "libpool/pool.hpp"
#include "support/soak.hpp"

#include <caf/all.hpp>
#include <doctest/doctest.h>

#include <atomic>
#include <cstddef>
#include <string>
#include <thread>
#include <vector>

namespace metrics_threads_tests {

using libpool::actor_pool;

namespace {

caf::behavior doubler() {
  return {[](int x) { return 2 * x; }};
}

/// Scrapes until it is told to end, and counts the pools that it sees.
void scrape(const libpool::metrics_collector& pools,
            const std::atomic<bool>& ends, std::atomic<std::size_t>& seen) {
  while (!ends)
    for (const auto& each : pools.Collect())
      if (each.name == "libpool_pool_info")
        seen += each.metric.size();
}

} // namespace

TEST_CASE("pools can be added, work and end while threads scrape them") {
  const auto rounds = test::soaks() ? 20'000 : 2'000;
  caf::actor_system_config config;
  libpool::set_up(config);
  caf::actor_system system{config};
  libpool::metrics_collector collector;
  std::atomic<bool> ends{false};
  std::atomic<std::size_t> seen{0};
  std::vector<std::thread> threads;
  for (auto i = 0; i < 2; ++i)
    threads.emplace_back([&] { scrape(collector, ends, seen); });
  for (auto i = 0; i < rounds || seen == 0; ++i) {
    auto pool = libpool::spawn_pool(system, 2, doubler);
    collector.add(pool, "p" + std::to_string(i));
    for (auto x = 0; x < 20; ++x)
      caf::anon_send(pool, x);
    if (i % 2 == 0) // the others end since nobody has them any more
      caf::anon_send_exit(pool, caf::exit_reason::user_shutdown);
  }
  ends = true;
  for (auto& each : threads)
    each.join();
  system.await_all_actors_done();
  CHECK(seen > 0);
  CHECK(collector.Collect().empty());
}

} // namespace metrics_threads_tests
