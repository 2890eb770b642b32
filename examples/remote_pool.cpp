/// A pool that another program uses over the network. `remote_pool serve`
/// prints its port; `remote_pool ask PORT` has it work, looks at it, and drains
/// it.

#include "libpool/pool.hpp"
#include "port/network.hpp"
#include "port/sending.hpp"

#include <caf/all.hpp>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string>

using namespace std::chrono_literals;

namespace {

class squarer : public caf::event_based_actor {
public:
  using caf::event_based_actor::event_based_actor;

  caf::behavior make_behavior() override {
    return {[](int x) { return x * x; }};
  }
};

int serve(caf::actor_system& system) {
  libpool::managed_options options;
  options.workers = 4;
  options.capacity = 1'000;
  auto pool = libpool::spawn_pool<squarer>(system, options);
  auto port = system.middleman().publish(pool, 0, "127.0.0.1");
  if (!port) {
    std::cerr << libpool::render(port.error(), system) << '\n';
    return EXIT_FAILURE;
  }
  std::cout << *port << std::endl; // at once: a client waits for it
  caf::scoped_actor self{system};
  self->wait_for(pool); // until it is drained
  return EXIT_SUCCESS;
}

int ask(caf::actor_system& system, std::uint16_t port) {
  auto pool = system.middleman().remote_actor("127.0.0.1", port);
  if (!pool) {
    std::cerr << libpool::render(pool.error(), system) << '\n';
    return EXIT_FAILURE;
  }
  caf::scoped_actor self{system};
  auto tell_error = [&](const caf::error& why) {
    std::cout << libpool::render(why, system) << '\n';
  };
  port::request(self, *pool, 10s, 7)
    .receive([](int result) { std::cout << result << '\n'; }, tell_error);
  auto worker = system.spawn<squarer>();
  port::request(self, *pool, 10s, caf::sys_atom{}, caf::put_atom{}, worker)
    .receive([] { std::cout << "added\n"; }, tell_error);
  caf::anon_send_exit(worker, caf::exit_reason::user_shutdown);
  port::request(self, *pool, 10s, caf::sys_atom{}, libpool::stats_atom{})
    .receive(
      [](const libpool::pool_stats& seen) {
        std::cout << seen.workers << " workers, " << seen.tasks.completed
                  << " done\n";
      },
      tell_error);
  port::request(self, *pool, 10s, caf::sys_atom{}, libpool::drain_atom{})
    .receive([] { std::cout << "drained\n"; }, tell_error);
  return EXIT_SUCCESS;
}

} // namespace

int main(int argc, char** argv) {
  const std::string role = argc > 1 ? argv[1] : "";
  if (!(role == "serve" && argc == 2) && !(role == "ask" && argc == 3)) {
    std::cerr << "usage: remote_pool serve\n       remote_pool ask PORT\n";
    return EXIT_FAILURE;
  }
  caf::actor_system_config config;
  libpool::set_up(config);
  port::load_network(config);
  caf::actor_system system{config};
  if (role == "serve")
    return serve(system);
  return ask(system, static_cast<std::uint16_t>(std::atoi(argv[2])));
}
