/// A pool whose workers are in other programs. The folder has certificates,
/// made by `tools/certificates FOLDER server client`.
///
/// `nodes pool FOLDER [PORT]` prints its port, and the square of each number
/// that it reads; `nodes serve FOLDER PORT` computes squares for it until its
/// input ends.

#include "libpool/pool.hpp"
#include "libpool/remote/gate.hpp"
#include "libpool/remote/join_pool.hpp"
#include "libpool/remote/network.hpp"
#include "port/sending.hpp"

#include <caf/all.hpp>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string>

using namespace std::chrono_literals;
using libpool::actor_pool;

namespace {

caf::behavior squarer() {
  return {[](std::int32_t x) { return x * x; }};
}

int fail(const caf::error& why, const caf::actor_system& system) {
  std::cerr << libpool::render(why, system) << '\n';
  return EXIT_FAILURE;
}

int compute(caf::actor_system& system, const caf::actor& pool) {
  caf::scoped_actor self{system};
  std::int32_t number = 0;
  while (std::cin >> number)
    port::request(self, pool, 60s, number)
      .receive([](std::int32_t square) { std::cout << square << std::endl; },
               [&](const caf::error& why) {
                 std::cout << libpool::render(why, system) << std::endl;
               });
  return EXIT_SUCCESS;
}

int run_pool(caf::actor_system& system, std::uint16_t port) {
  libpool::managed_options options;
  options.on_crash = libpool::retry{3};
  libpool::node_options nodes;
  nodes.token = "of this farm";
  nodes.lease = 1s;
  auto pool = actor_pool::make(
    system, actor_pool::distributed(nodes, actor_pool::shared_queue(options)));
  libpool::gate_options where;
  where.port = port;
  where.reuse_address = true;
  auto entrance = libpool::gate::for_agents(system, pool, where);
  if (entrance)
    std::cout << entrance->port() << std::endl; // at once: nodes wait for it
  auto result = entrance ? compute(system, pool)
                         : fail(entrance.error(), system);
  caf::anon_send_exit(pool, caf::exit_reason::user_shutdown);
  return result;
}

int serve(caf::actor_system& system, std::uint16_t port) {
  libpool::join_options offer;
  offer.token = "of this farm";
  offer.slots = 2;
  auto agent = libpool::join_pool(system, {"127.0.0.1", port}, offer, squarer);
  std::string line;
  while (std::getline(std::cin, line)) {
    // it serves
  }
  caf::scoped_actor self{system};
  auto result = EXIT_SUCCESS;
  port::request(self, agent, 10s, caf::sys_atom{}, libpool::drain_atom{})
    .receive([] { std::cout << "has left\n"; },
             [&](const caf::error& why) { result = fail(why, system); });
  return result;
}

} // namespace

int main(int argc, char** argv) {
  const std::string role = argc > 1 ? argv[1] : "";
  if (!(role == "pool" && (argc == 3 || argc == 4))
      && !(role == "serve" && argc == 4)) {
    std::cerr << "usage: nodes pool FOLDER [PORT]\n"
                 "       nodes serve FOLDER PORT\n";
    return EXIT_FAILURE;
  }
  const std::string folder = argv[2];
  const std::string me = folder + (role == "pool" ? "/server" : "/client");
  caf::actor_system_config config;
  libpool::set_up(config);
  libpool::load_network(config);
  libpool::use_tls(config, {me + ".pem", me + ".key", folder + "/ca.pem", ""});
  caf::actor_system system{config};
  auto port = static_cast<std::uint16_t>(argc == 4 ? std::atoi(argv[3]) : 0);
  return role == "pool" ? run_pool(system, port) : serve(system, port);
}
