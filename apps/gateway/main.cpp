/// An HTTP gateway: requests of tenants become tasks of a pool, whose workers
/// call an upstream.

#include "front.hpp"

#include "port/configuring.hpp"

#include "libpool/actors/set_up.hpp"

#include <boost/asio/signal_set.hpp>

#include <csignal>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <string>
#include <utility>
#include <variant>

namespace {

void tell(const std::string& line) {
  std::cerr << "gateway: " << line << std::endl;
}

/// Handles the signals of the program until the front has ended.
class signals {
public:
  signals(gateway::asio::io_context& in, gateway::front& front)
    : caught_(in, SIGHUP, SIGINT, SIGTERM), front_(front) {
    wait();
  }

private:
  void wait() {
    caught_.async_wait([this](auto why, int signal) {
      if (why)
        return;
      if (signal == SIGHUP)
        reload();
      else
        end(signal);
      wait();
    });
  }

  void reload() {
    try {
      front_.reload();
      tell("has read the tenants file again");
    } catch (const std::exception& why) {
      tell(std::string{"keeps its tenants: "} + why.what());
    }
  }

  void end(int signal) {
    if (std::exchange(is_ending_, true))
      std::_Exit(128 + signal);
    tell("ends after the open requests");
    front_.drain([this] {
      caught_.cancel();
      caught_.clear(); // the next signal ends the process
    });
  }

  boost::asio::signal_set caught_;
  gateway::front& front_;
  bool is_ending_ = false;
};

void run(const gateway::options& options) {
  auto known = gateway::read_tenants(options.tenants);
  gateway::asio::io_context io{
    1}; // is told answers until the actors have ended
  caf::actor_system_config config;
  libpool::set_up(config);
  port::set_threads(config, 1); // workers have threads of their own
  port::wait_when_idle(config);
  caf::actor_system system{config};
  gateway::front front{io, system, options, std::move(known)};
  live_page::page page{options.live, tell};
  page.add(front.pool(), "gateway");
  signals caught{io, front};
  tell("serves clients at port " + std::to_string(front.port())
       + ", /metrics and /ledger at port "
       + std::to_string(front.admin_port()));
  io.run();
  tell("ledger " + front.ledger());
}

} // namespace

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN); // a write that fails says so
  const auto parsed = gateway::parse(argc, argv);
  if (const auto* code = std::get_if<int>(&parsed))
    return *code;
  try {
    run(std::get<gateway::options>(parsed));
    return EXIT_SUCCESS;
  } catch (const std::exception& why) {
    tell(why.what());
    return EXIT_FAILURE;
  }
}
