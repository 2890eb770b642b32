#include "libpool/nodes/nats_options.hpp"
#include "libpool/nodes/serve.hpp"
#include "libpool/pool.hpp"

#include <caf/all.hpp>

#include <exception>
#include <iostream>
#include <stdexcept>

namespace {

caf::behavior squarer() {
  return {[](int x) { return x * x; }};
}

bool is_refused(const libpool::nats_options& options) {
  try {
    check(options);
    return false;
  } catch (const std::invalid_argument&) {
    return true;
  }
}

} // namespace

// Exits with 0 if a pool can be served while no server runs, and options
// without certificates are refused.
int main() {
  libpool::nats_options servers;
  servers.servers = {"nats://127.0.0.1:1"};
  auto is_checked = is_refused(servers);
  servers.insecure_loopback = true;
  caf::actor_system_config config;
  libpool::set_up(config);
  caf::actor_system system{config};
  auto pool = libpool::spawn_pool(system, 2, squarer);
  auto is_served = false;
  try {
    libpool::serve(pool, {"squares", servers});
    is_served = true;
  } catch (const std::exception& e) {
    std::cerr << e.what() << '\n';
  }
  caf::anon_send_exit(pool, caf::exit_reason::user_shutdown);
  return is_checked && is_served ? 0 : 1;
}
