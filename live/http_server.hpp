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

/// A server of HTTP that answers each request by one function, in a thread of
/// the connection, and ends at once, whatever clients do. Each connection is
/// for one request.
class http_server {
public:
  using handler =
    std::function<void(const httplib::Request&, httplib::Response&)>;

  /// Begins to listen.
  ///
  /// Errors: std::runtime_error if the port cannot be had.
  http_server(const std::string& address, std::uint16_t port,
              std::size_t most_threads, handler answer);
  http_server(const http_server&) = delete;
  http_server& operator=(const http_server&) = delete;

  /// After that no handler runs.
  ~http_server();

  std::uint16_t port() const noexcept {
    return port_;
  }

private:
  /// A server with sockets that it knows.
  class server final : public httplib::Server {
  public:
    explicit server(connections& open) : open_(open) {
      // nop
    }

    /// Lets more clients wait than httplib does, which has others try again
    /// after a second.
    /// @pre it is bound
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
