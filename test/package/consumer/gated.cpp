#include "libpool/pool.hpp"
#include "libpool/remote/gate.hpp"
#include "libpool/remote/network.hpp"

#include <caf/all.hpp>

#include <iostream>

namespace {

class squarer : public caf::event_based_actor {
public:
  using caf::event_based_actor::event_based_actor;

  caf::behavior make_behavior() override {
    return {[](int x) { return x * x; }};
  }
};

} // namespace

// Exits with 0 if a gate opens, but not without certificates.
int main() {
  caf::actor_system_config config;
  libpool::set_up(config);
  libpool::load_network(config);
  caf::actor_system system{config};
  auto pool = libpool::spawn_pool<squarer>(system, 2);
  auto refused = libpool::gate::for_submitters(system, pool);
  libpool::gate_options options;
  options.insecure_loopback = true;
  auto opened = libpool::gate::for_submitters(system, pool, options);
  if (!opened)
    std::cerr << libpool::render(opened.error(), system) << '\n';
  caf::anon_send_exit(pool, caf::exit_reason::user_shutdown);
  return !refused && opened && opened->port() != 0 ? 0 : 1;
}
