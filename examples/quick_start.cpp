#include "libpool/pool.hpp"

#include <caf/all.hpp>

#include <iostream>

class squarer : public caf::event_based_actor {
public:
  using caf::event_based_actor::event_based_actor;

  caf::behavior make_behavior() override {
    return {[](int x) { return x * x; }};
  }
};

int main() {
  caf::actor_system_config config;
  libpool::set_up(config);
  caf::actor_system system{config};
  auto pool = libpool::spawn_pool<squarer>(system, 4);
  caf::scoped_actor self{system};
  self->request(pool, caf::infinite, 7)
    .receive([](int result) { std::cout << result << '\n'; },
             [&](const caf::error& why) {
               std::cerr << libpool::render(why, system) << '\n';
             });
  caf::anon_send_exit(pool, caf::exit_reason::user_shutdown);
}
