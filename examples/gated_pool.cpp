/// A pool that other programs may give work, and nothing else. The folder has
/// certificates, made by `tools/certificates FOLDER server client`.
///
/// `gated_pool serve FOLDER` prints its port, and ends when it is told so by a
/// line of input, or its end; `gated_pool ask FOLDER PORT` has it work, and
/// tries to end it.

#include "libpool/pool.hpp"
#include "libpool/remote/connect.hpp"
#include "libpool/remote/gate.hpp"
#include "libpool/remote/network.hpp"
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

int fail(const caf::error& why, const caf::actor_system& system) {
  std::cerr << libpool::render(why, system) << '\n';
  return EXIT_FAILURE;
}

int serve(caf::actor_system& system) {
  libpool::managed_options options;
  options.workers = 4;
  options.capacity = 1'000;
  auto pool = libpool::spawn_pool<squarer>(system, options);
  auto gate = libpool::gate::for_submitters(system, pool);
  if (gate) {
    std::cout << gate->port() << std::endl; // at once: a client waits for it
    std::string line;
    std::getline(std::cin, line);
    gate->close();
    std::cout << gate->counts().passed << " passed, " << gate->counts().refused
              << " refused\n";
  }
  caf::anon_send_exit(pool, caf::exit_reason::user_shutdown);
  return gate ? EXIT_SUCCESS : fail(gate.error(), system);
}

int ask(caf::actor_system& system, std::uint16_t port) {
  auto pool = libpool::connect(system, {"127.0.0.1", port});
  if (!pool)
    return fail(pool.error(), system);
  caf::scoped_actor self{system};
  auto tell_error = [&](const caf::error& why) {
    std::cout << libpool::render(why, system) << '\n';
  };
  auto tell_result = [](int result) { std::cout << result << '\n'; };
  port::request(self, *pool, 10s, 7).receive(tell_result, tell_error);
  caf::anon_send_exit(*pool, caf::exit_reason::kill);
  port::request(self, *pool, 10s, caf::sys_atom{}, libpool::drain_atom{})
    .receive([] { std::cout << "drained\n"; }, tell_error);
  port::request(self, *pool, 10s, 8).receive(tell_result, tell_error);
  return EXIT_SUCCESS;
}

} // namespace

int main(int argc, char** argv) {
  const std::string role = argc > 1 ? argv[1] : "";
  if (!(role == "serve" && argc == 3) && !(role == "ask" && argc == 4)) {
    std::cerr << "usage: gated_pool serve FOLDER\n"
                 "       gated_pool ask FOLDER PORT\n";
    return EXIT_FAILURE;
  }
  const std::string folder = argv[2];
  const std::string me = folder + (role == "serve" ? "/server" : "/client");
  caf::actor_system_config config;
  libpool::set_up(config);
  libpool::load_network(config);
  libpool::use_tls(config, {me + ".pem", me + ".key", folder + "/ca.pem", ""});
  caf::actor_system system{config};
  if (role == "serve")
    return serve(system);
  return ask(system, static_cast<std::uint16_t>(std::atoi(argv[3])));
}
