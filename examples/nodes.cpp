/// A pool whose workers are in other programs, which reach it through a NATS
/// server.
///
/// `nodes pool SERVER [FOLDER]` prints the square of each number that it reads;
/// `nodes serve SERVER [FOLDER]` computes squares for it until its input ends;
/// `nodes submit SERVER [FOLDER]` prints squares as the pool does, from another
/// program. SERVER is an address such as tls://127.0.0.1:4222. FOLDER has
/// certificates, made by `tools/poolcert FOLDER front agent client`;
/// without FOLDER, TLS is not used, which is possible only at a loopback
/// address.

#include "libpool/nodes/connect.hpp"
#include "libpool/nodes/join_pool.hpp"
#include "libpool/nodes/serve.hpp"
#include "libpool/pool.hpp"
#include "port/configuring.hpp"
#include "port/sending.hpp"

#include <caf/all.hpp>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <string>

using namespace std::chrono_literals;
using libpool::actor_pool;

namespace {

caf::behavior squarer() {
  return {[](std::int32_t x) { return x * x; }};
}

libpool::nats_options servers(const std::string& address,
                              const std::string& folder,
                              const std::string& me) {
  libpool::nats_options result;
  result.servers = {address};
  result.insecure_loopback = folder.empty();
  result.ca = folder + "/ca.pem";
  result.certificate = folder + "/" + me + ".pem";
  result.key = folder + "/" + me + ".key";
  return result;
}

/// Prints the squares of the numbers that are read.
void compute(caf::actor_system& system, const caf::actor& pool) {
  caf::scoped_actor self{system};
  std::int32_t number = 0;
  while (std::cin >> number)
    port::request(self, pool, 60s, number)
      .receive([](std::int32_t square) { std::cout << square << std::endl; },
               [&](const caf::error& why) {
                 std::cout << libpool::render(why, system) << std::endl;
               });
}

int run_pool(caf::actor_system& system, const libpool::nats_options& basis) {
  libpool::managed_options options;
  options.on_crash = libpool::retry{3};
  libpool::node_options nodes;
  nodes.lease = 1s;
  auto pool = actor_pool::make(
    system, actor_pool::distributed(nodes, actor_pool::shared_queue(options)));
  libpool::serve(pool, {"squares", basis});
  compute(system, pool);
  caf::anon_send_exit(pool, caf::exit_reason::user_shutdown);
  return EXIT_SUCCESS;
}

int submit(caf::actor_system& system, const libpool::nats_options& options) {
  libpool::connect_options manner;
  manner.name = "client";
  manner.lease = 1s;
  compute(system, libpool::connect(system, {"squares", options}, manner));
  return EXIT_SUCCESS;
}

int serve(caf::actor_system& system, const libpool::nats_options& options) {
  libpool::join_options offer;
  offer.name = "agent";
  offer.slots = 2;
  auto agent = libpool::join_pool(system, {"squares", options}, offer, squarer);
  std::string line;
  while (std::getline(std::cin, line)) {
    // it serves
  }
  caf::scoped_actor self{system};
  auto result = EXIT_SUCCESS;
  port::request(self, agent, 20s, caf::sys_atom{}, libpool::drain_atom{})
    .receive([] { std::cout << "has left\n"; },
             [&](const caf::error& why) {
               std::cerr << libpool::render(why, system) << '\n';
               result = EXIT_FAILURE;
             });
  return result;
}

} // namespace

int main(int argc, char** argv) {
  const std::string role = argc > 1 ? argv[1] : "";
  if ((role != "pool" && role != "serve" && role != "submit") || argc < 3
      || argc > 4) {
    std::cerr << "usage: nodes pool|serve|submit SERVER [FOLDER]\n";
    return EXIT_FAILURE;
  }
  const std::string folder = argc == 4 ? argv[3] : "";
  caf::actor_system_config config;
  libpool::set_up(config);
  port::wait_when_idle(config);
  caf::actor_system system{config};
  try {
    if (role == "pool")
      return run_pool(system, servers(argv[2], folder, "front"));
    if (role == "serve")
      return serve(system, servers(argv[2], folder, "agent"));
    return submit(system, servers(argv[2], folder, "client"));
  } catch (const std::exception& e) {
    std::cerr << e.what() << '\n';
    return EXIT_FAILURE;
  }
}
