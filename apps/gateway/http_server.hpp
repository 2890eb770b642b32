#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/string_body.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace gateway {

namespace asio = boost::asio;
namespace http = boost::beast::http;

using request = http::request<http::string_body>;
using response = http::response<http::string_body>;

/// Makes an answer of one type and content.
response make_response(unsigned status, std::string body,
                       std::string_view type = "text/plain");

/// Returns the value of a header; empty if the request has no such header.
std::string header_of(const request& request, std::string_view name);

/// Request of a client that is to be answered once. Used in the thread of the
/// server.
class exchange {
public:
  exchange() = default;
  exchange(const exchange&) = delete;
  exchange& operator=(const exchange&) = delete;
  virtual ~exchange() = default;

  virtual const request& asked() const = 0;

  /// Sends the answer. Does nothing if the client has gone.
  virtual void answer(response reply) = 0;

  /// Sets the function that is called if the client closes its connection, or
  /// its sending side, before the answer.
  virtual void on_gone(std::function<void()> call) = 0;
};

/// HTTP/1.1 server, on Boost.Beast. All its work is done in the thread that
/// runs the `io_context`.
class http_server {
public:
  /// Takes a request, and answers it at once or later.
  using handler = std::function<void(const std::shared_ptr<exchange>&)>;

  /// Listens at the address; port 0: any free port.
  ///
  /// Errors: std::runtime_error if the address is invalid or in use.
  http_server(asio::io_context& in, const std::string& address,
              std::uint16_t port, handler answer);

  std::uint16_t port() const;

  /// Accepts no more connections. Closes connections without an open request at
  /// once, and other connections after their answers.
  void close();

private:
  class session;
  struct parts;

  static void accept(const std::shared_ptr<parts>& with);

  std::shared_ptr<parts> parts_;
};

} // namespace gateway
