/// Shows a pool, and looks at what it shows, as a program that has its own use
/// of Boost.Beast.

#include <libpool/observability/live/live_view.hpp>
#include <libpool/pool.hpp>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>
#include <caf/all.hpp>

#include <string>

namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;

std::string content_of(std::uint16_t port, const std::string& path) {
  asio::io_context context;
  boost::beast::tcp_stream stream{context};
  stream.connect({asio::ip::make_address("127.0.0.1"), port});
  http::request<http::empty_body> request{http::verb::get, path, 11};
  request.set(http::field::host, "127.0.0.1:" + std::to_string(port));
  http::write(stream, request);
  boost::beast::flat_buffer buffer;
  http::response<http::string_body> reply;
  http::read(stream, buffer, reply);
  return reply.body();
}

} // namespace

int main() {
  caf::actor_system_config config;
  libpool::set_up(config);
  caf::actor_system system{config};
  auto pool = libpool::spawn_pool(
    system, 1, [] { return caf::behavior{[](int x) { return x; }}; });
  auto is_shown = false;
  {
    libpool::live_view view;
    view.add(pool, "pool");
    is_shown = content_of(view.port(), "/api/v1/pools").find("\"pool\"")
               != std::string::npos;
  }
  caf::anon_send_exit(pool, caf::exit_reason::user_shutdown);
  return is_shown ? 0 : 1;
}
