#pragma once

#include "libpool/nodes/pool_address.hpp"

#include <boost/process.hpp>

#include <caf/actor_system_config.hpp>

#include <nats/nats.h>

#include <cstdint>
#include <memory>
#include <string>

namespace bench {

/// Throws std::runtime_error with the reason if a call of the C client failed.
void require(natsStatus status);

/// Options of the actor system of each program that takes part.
struct networked : caf::actor_system_config {
  networked();
};

/// Address of a pool at the NATS server of this port. The connection is
/// encrypted if LIBPOOL_BENCH_CERTIFICATES names a folder with ca.pem,
/// localhost.pem and localhost.key, made by `SERVER_NAMES=localhost
/// tools/poolcert FOLDER localhost`.
libpool::pool_address address_of(const std::string& port,
                                 const std::string& pool);

/// Connects to the NATS server. If `at_once`, messages are not collected for up
/// to a millisecond.
natsConnection* connect_bare(const std::string& port, bool at_once);

/// Returns when the standard input of this program has a line, or ends.
void await_end_of_input();

/// Another run of this program, which ends with its input.
class program {
public:
  template <class... Ts>
  explicit program(const Ts&... arguments)
    : child_("/proc/self/exe", arguments..., (boost::process::std_in < told_),
             (boost::process::std_out > said_)) {
    // nop
  }

  /// Asks the program to end, unless it was killed, and waits for its end.
  ~program();

  program(const program&) = delete;
  program& operator=(const program&) = delete;

  /// Reads a number that the program prints.
  std::uint16_t next_number();

  /// Reads lines that the program prints, until `line` comes.
  void await(const std::string& line);

  /// Sends the program a signal.
  void signal(int number) const;

  /// Kills the program with SIGKILL.
  void kill();

  /// Processor time of the program until now.
  double seconds() const;

private:
  boost::process::opstream told_;
  boost::process::ipstream said_;
  boost::process::child child_;
};

/// A NATS server with JetStream, at a port of this machine.
class nats_server {
public:
  nats_server();

  ~nats_server();

  nats_server(const nats_server&) = delete;
  nats_server& operator=(const nats_server&) = delete;

  /// The port, which is the same in each run of the server.
  static std::string port();

  /// Starts the server, and returns when it answers.
  void start();

  /// Kills the server with SIGKILL. What it has stored stays.
  void kill();

private:
  static bool answers();

  const std::string folder_;
  boost::process::child child_;
};

} // namespace bench
