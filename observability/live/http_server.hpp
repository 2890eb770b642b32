#pragma once

#include "libpool/observability/live/reply.hpp"
#include "libpool/observability/live/request.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace libpool::live {

/// HTTP server that answers each request with one function, in one thread for
/// all connections. Each connection is used for one request. A client is
/// disconnected if it takes too long: for the whole request, or for one piece
/// of the reply.
class http_server {
public:
  using handler = std::function<reply(const request&)>;
  using task = std::function<void()>;

  /// Starts to listen. Clients beyond the maximum of connections wait in the
  /// system, where they do not count as open files of the process.
  /// `each_second`: called about once a second, in the thread of the server;
  /// its exceptions are ignored.
  ///
  /// Errors: std::runtime_error if the server cannot listen at the port.
  http_server(const std::string& address, std::uint16_t port,
              std::size_t most_connections, handler answer,
              task each_second = nullptr);
  http_server(const http_server&) = delete;
  http_server& operator=(const http_server&) = delete;

  /// Stops the server without waiting for clients. No handler and no task runs
  /// afterwards.
  ~http_server();

  std::uint16_t port() const noexcept {
    return port_;
  }

private:
  class listener;
  std::unique_ptr<listener> listener_;
  std::uint16_t port_;
};

} // namespace libpool::live
