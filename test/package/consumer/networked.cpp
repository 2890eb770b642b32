#include "libpool/pool.hpp"
#include "port/network.hpp"

#include <caf/all.hpp>

#include <iostream>

namespace {

caf::behavior squarer() {
  return {[](int x) { return x * x; }};
}

} // namespace

// Exits with 0 if a pool can be published.
int main() {
  caf::actor_system_config config;
  libpool::set_up(config);
  port::load_network(config);
  caf::actor_system system{config};
  auto pool = libpool::spawn_pool(system, 2, squarer);
  auto port = system.middleman().publish(pool, 0, "127.0.0.1");
  if (!port)
    std::cerr << libpool::render(port.error(), system) << '\n';
  caf::anon_send_exit(pool, caf::exit_reason::user_shutdown);
  return port ? 0 : 1;
}
