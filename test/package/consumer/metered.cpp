#include "libpool/observability/metrics/metrics_collector.hpp"
#include "libpool/pool.hpp"

#include <caf/all.hpp>

#include <iostream>
#include <string>

namespace {

caf::behavior squarer() {
  return {[](int x) { return x * x; }};
}

} // namespace

// Exits with 0 if the metrics of a pool are shown.
int main() {
  caf::actor_system_config config;
  libpool::set_up(config);
  caf::actor_system system{config};
  auto pool = libpool::spawn_pool(system, 2, squarer);
  libpool::metrics_collector collector;
  collector.add(pool, "squares");
  auto shown = collector.exposition();
  std::cout << shown;
  caf::anon_send_exit(pool, caf::exit_reason::user_shutdown);
  auto has = shown.find("\nlibpool_worker_slots{pool=\"squares\"} 2\n");
  return has != std::string::npos ? 0 : 1;
}
