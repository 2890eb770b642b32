#include "client.hpp"

#include "report.hpp"

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/use_future.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/ssl.hpp>
#include <fmt/format.h>

#include <cctype>
#include <chrono>
#include <regex>
#include <stdexcept>
#include <utility>

namespace poolctl {

namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
namespace ssl = boost::asio::ssl;
using asio::ip::tcp;

constexpr std::chrono::seconds most_silence{10};
constexpr auto largest_answer = 128U << 20U;

using question = http::request<http::empty_body>;
using answer = http::response<http::string_body>;

/// Parts of an address. A host in brackets is an IPv6 address.
enum part { scheme = 1, host, in_brackets, colon_port, port, path };

std::smatch parts_of(const std::string& address) {
  static const std::regex form{
    R"((?:(https?)://)?(\[([0-9A-Fa-f:.]+)\]|[A-Za-z0-9._-]+)(:([0-9]{1,5}))?)"
    R"(((?:/+[!"$-.0->@-~]+)*)/*)"};
  std::smatch parts;
  if (address.size() > 2000 || !std::regex_match(address, parts, form)
      || (parts[port].matched && std::stoi(parts[port]) > 65535))
    throw std::invalid_argument(printable(address.substr(0, 200))
                                + " is not an address such as "
                                  "http://127.0.0.1:8080");
  return parts;
}

/// Sends the request in a connection of its own.
answer answer_of(const std::smatch& server, const question& asked) {
  const auto is_secure = server[scheme] == "https";
  const auto* service = is_secure ? "443" : "80";
  auto name = server[server[in_brackets].matched ? in_brackets : host].str();
  asio::io_context context{1};
  ssl::context rules{ssl::context::tls_client};
  beast::ssl_stream<beast::tcp_stream> secret{context, rules};
  auto& plain = secret.next_layer();
  const auto wait = [&](auto start) {
    plain.expires_after(most_silence);
    auto outcome = start(asio::use_future);
    context.restart();
    context.run();
    outcome.get();
  };
  const auto send = [&](auto& stream) {
    beast::flat_buffer buffer;
    http::response_parser<http::string_body> parser;
    parser.body_limit(largest_answer);
    wait([&](auto done) { return http::async_write(stream, asked, done); });
    wait([&](auto done) {
      return http::async_read(stream, buffer, parser, done);
    });
    return parser.release();
  };
  const auto ends = tcp::resolver{context}.resolve(
    name, server[port].matched ? server[port].str() : service);
  wait([&](auto done) { return plain.async_connect(ends, done); });
  if (!is_secure)
    return send(plain);
  rules.set_default_verify_paths();
  secret.set_verify_mode(ssl::verify_peer);
  secret.set_verify_callback(ssl::host_name_verification{name});
  boost::system::error_code is_name;
  asio::ip::make_address(name, is_name);
  if (is_name)
    ::SSL_ctrl(secret.native_handle(), SSL_CTRL_SET_TLSEXT_HOSTNAME,
               TLSEXT_NAMETYPE_host_name, name.data());
  wait([&](auto done) {
    return secret.async_handshake(ssl::stream_base::client, done);
  });
  return send(secret);
}

/// Returns what a server that refuses a request says, and what helps.
std::string refusal(const answer& got) {
  const auto& body = got.body();
  const auto line = body.substr(0, std::min<std::size_t>(body.find('\n'), 160));
  const auto is_view = !line.empty() && line.find('<') == std::string::npos;
  const auto lacks_token = line.find("token") != std::string::npos;
  return fmt::format(" refused the request ({}){}{}", got.result_int(),
                     is_view ? ": " + printable(line) : check_server,
                     lacks_token ? "; see --token and LIBPOOL_TOKEN" : "");
}

} // namespace

std::string ask(const server& server, const std::string& method,
                const std::string& target) {
  const auto parts = parts_of(server.address);
  question asked{http::string_to_verb(method), parts[path].str() + target, 11};
  asked.set(http::field::host, parts[host].str() + parts[colon_port].str());
  asked.set(http::field::connection, "close");
  if (!server.token.empty())
    asked.set(http::field::authorization, "Bearer " + server.token);
  asked.prepare_payload();
  try {
    auto got = answer_of(parts, asked);
    if (got.result_int() != (method == "POST" ? 202 : 200))
      throw std::runtime_error(server.address + refusal(got));
    return std::move(got.body());
  } catch (const boost::system::system_error& why) {
    throw std::runtime_error("no answer from " + server.address + ": "
                             + why.code().message());
  }
}

std::string url_part(const std::string& text) {
  std::string result;
  for (const auto each : text) {
    const auto byte = static_cast<unsigned char>(each);
    const auto is_plain = std::isalnum(byte) || each == '-' || each == '_';
    result += is_plain ? std::string{each} : fmt::format("%{:02X}", byte);
  }
  return result;
}

} // namespace poolctl
