#pragma once

#include "libpool/nodes/nats_options.hpp"
#include "support/patience.hpp"
#include "support/scratch_folder.hpp"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

namespace test {

/// A NATS server of a test, at a free port of this machine. It is killed in the
/// end.
class nats_server {
public:
  /// Starts a server whose maximum message size is the argument, in bytes.
  explicit nats_server(std::size_t max_payload = std::size_t{1} << 20U)
    : max_payload_(max_payload) {
    start();
  }

  nats_server(const nats_server&) = delete;
  nats_server& operator=(const nats_server&) = delete;

  ~nats_server() {
    kill();
  }

  /// Starts the server, after `kill` at the same port again.
  void start() {
    folder_.file(
      "server.conf",
      "host: 127.0.0.1\nport: " + (port_ == 0 ? "-1" : std::to_string(port_))
        + "\nmax_payload: " + std::to_string(max_payload_)
        + "\nports_file_dir: \"" + folder_ / ""
        + "\"\njetstream: {store_dir: \"" + folder_ / "stored" + "\"}\n");
    auto configuration = folder_ / "server.conf";
    auto log = folder_ / "server.log";
    process_ = ::fork();
    if (process_ == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL); // a test that crashes leaves none
      ::execl(LIBPOOL_NATS_SERVER, LIBPOOL_NATS_SERVER, "--config",
              configuration.c_str(), "--log", log.c_str(), nullptr);
      ::_exit(1);
    }
    if (process_ < 0)
      throw std::runtime_error{"cannot start the NATS server"};
    if (!comes_true([this] { return read_port(); }))
      throw std::runtime_error{"the NATS server does not listen"};
  }

  void kill() {
    end(SIGKILL);
  }

  /// Has the server write its state, and end.
  void stop() {
    end(SIGTERM);
  }

  /// Folder in which the server stores streams.
  std::string store() const {
    return folder_ / "stored";
  }

  std::uint16_t port() const {
    return port_;
  }

  std::string url() const {
    return "nats://127.0.0.1:" + std::to_string(port_);
  }

  libpool::nats_options options() const {
    libpool::nats_options result;
    result.servers = {url()};
    result.insecure_loopback = true;
    return result;
  }

private:
  void end(int signal) {
    if (process_ == 0)
      return;
    ::kill(process_, signal);
    ::waitpid(process_, nullptr, 0);
    process_ = 0;
  }

  /// Whether the server has told its port in its file.
  bool read_port() {
    std::ifstream in{folder_
                     / ("nats-server_" + std::to_string(process_) + ".ports")};
    const std::string text{std::istreambuf_iterator<char>{in}, {}};
    auto found = text.find("127.0.0.1:");
    if (found == std::string::npos || text.find('}') == std::string::npos)
      return false;
    port_ = static_cast<std::uint16_t>(std::stoul(text.substr(found + 10)));
    return true;
  }

  const scratch_folder folder_;
  const std::size_t max_payload_;
  std::uint16_t port_ = 0;
  ::pid_t process_ = 0;
};

} // namespace test
