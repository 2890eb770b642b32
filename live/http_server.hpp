#pragma once

#include "libpool/live/connection_threads.hpp"
#include "libpool/live/connections.hpp"

#include <httplib.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <thread>

namespace libpool::live {

/// HTTP server that answers each request with one function, in a thread for the
/// connection. It ends immediately, whatever clients do. Each connection is
/// used for one request.
class http_server {
public:
  using handler =
    std::function<void(const httplib::Request&, httplib::Response&)>;

  /// Starts to listen.
  ///
  /// Errors: std::runtime_error if the server cannot listen at the port.
  http_server(const std::string& address, std::uint16_t port,
              std::size_t most_threads, handler answer);
  http_server(const http_server&) = delete;
  http_server& operator=(const http_server&) = delete;

  /// Stops the server. No handler runs afterwards.
  ~http_server();

  std::uint16_t port() const noexcept {
    return port_;
  }

private:
  /// Server with access to its sockets.
  class server final : public httplib::Server {
  public:
    explicit server(connections& open) : open_(open) {
      // nop
    }

    /// Sets the number of clients that can wait for a connection. The default
    /// of httplib is small, and clients beyond it retry only after a second.
    /// @pre the server is bound
    void let_wait(int clients);

  private:
    bool process_and_close_socket(socket_t socket) override;

    connections& open_;
  };

  void set_up(handler answer);
  void bind(const std::string& address, std::uint16_t port);
  void start();

  connections open_;
  connection_threads threads_;
  std::unique_ptr<server> server_;
  std::uint16_t port_ = 0;
  std::atomic<bool> has_ended_{false};
  std::thread listening_;
};

} // namespace libpool::live
