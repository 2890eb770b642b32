#pragma once

#include "libpool/live/reply.hpp"
#include "libpool/live/request.hpp"

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

  /// Starts to listen. Clients beyond the maximum of connections wait in the
  /// system, where they do not count as open files of the process.
  ///
  /// Errors: std::runtime_error if the server cannot listen at the port.
  http_server(const std::string& address, std::uint16_t port,
              std::size_t most_connections, handler answer);
  http_server(const http_server&) = delete;
  http_server& operator=(const http_server&) = delete;

  /// Stops the server without waiting for clients. No handler runs afterwards.
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
