#include "client.hpp"

#include "json_text.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/host_name_verification.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>
#include <boost/beast/ssl/ssl_stream.hpp>
#include <fmt/format.h>

#include <cctype>
#include <chrono>
#include <cstdint>
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
constexpr std::uint64_t largest_answer = std::uint64_t{128} << 20U;

using question = http::request<http::empty_body>;
using answer = http::response<http::string_body>;

/// Connection to a server, for one request.
class connection {
public:
  explicit connection(bool is_secure) : is_secure_(is_secure) {
    parser_.body_limit(largest_answer);
  }

  answer ask(const std::string& host, const std::string& port,
             const question& asked) {
    const auto places = tcp::resolver{context_}.resolve(host, port);
    wait([&](auto done) { lowest().async_connect(places, std::move(done)); });
    if (!is_secure_)
      return exchange(secret_.next_layer(), asked);
    begin_tls(host);
    return exchange(secret_, asked);
  }

private:
  beast::tcp_stream& lowest() {
    return secret_.next_layer();
  }

  /// Waits for the operation that `start` starts.
  template <class Start>
  void wait(Start start) {
    boost::system::error_code outcome;
    lowest().expires_after(most_silence);
    start([&](auto problem, const auto&...) { outcome = problem; });
    context_.restart();
    context_.run();
    if (outcome)
      throw boost::system::system_error{outcome};
  }

  void begin_tls(const std::string& host) {
    rules_.set_default_verify_paths();
    secret_.set_verify_mode(ssl::verify_peer);
    secret_.set_verify_callback(ssl::host_name_verification{host});
    boost::system::error_code is_name;
    asio::ip::make_address(host, is_name);
    auto name = host; // OpenSSL copies it
    if (is_name)
      ::SSL_ctrl(secret_.native_handle(), SSL_CTRL_SET_TLSEXT_HOSTNAME,
                 TLSEXT_NAMETYPE_host_name, name.data());
    wait([&](auto done) {
      secret_.async_handshake(ssl::stream_base::client, std::move(done));
    });
  }

  template <class Stream>
  answer exchange(Stream& stream, const question& asked) {
    wait([&](auto done) { http::async_write(stream, asked, std::move(done)); });
    wait([&](auto done) {
      http::async_read(stream, buffer_, parser_, std::move(done));
    });
    return parser_.release();
  }

  const bool is_secure_;
  asio::io_context context_{1};
  ssl::context rules_{ssl::context::tls_client};
  beast::ssl_stream<beast::tcp_stream> secret_{context_, rules_};
  beast::flat_buffer buffer_;
  http::response_parser<http::string_body> parser_;
};

/// Returns what a server that refuses a request says, and what helps.
std::string refusal(const answer& got) {
  const auto& body = got.body();
  const auto line = body.substr(0, std::min<std::size_t>(body.find('\n'), 160));
  const auto is_view = !line.empty() && line.find('<') == std::string::npos;
  const auto lacks_token = line.find("token") != std::string::npos;
  return fmt::format(" refused the request ({}){}{}", got.result_int(),
                     is_view ? ": " + printable(line)
                             : "; check that it is a live view of libpool",
                     lacks_token ? "; see --token and LIBPOOL_TOKEN" : "");
}

} // namespace

client::client(const std::string& address, std::string token)
  : token_(std::move(token)) {
  static const std::regex form{
    R"((?:(https?)://)?(\[([0-9A-Fa-f:.]+)\]|[A-Za-z0-9._-]+)(:([0-9]{1,5}))?(/[!"$->@-~]*)?)"};
  std::smatch parts;
  if (address.size() > 2000 || !std::regex_match(address, parts, form)
      || (parts[5].matched && std::stoi(parts[5]) > 65535))
    throw std::invalid_argument(printable(address.substr(0, 200))
                                + " is not an address such as "
                                  "http://127.0.0.1:8080");
  is_secure_ = parts[1] == "https";
  host_ = parts[3].matched ? parts[3] : parts[2];
  port_ = parts[5].matched ? parts[5].str() : is_secure_ ? "443" : "80";
  authority_ = parts[2].str() + parts[4].str();
  path_ = parts[6];
  path_.erase(path_.find_last_not_of('/') + 1);
}

std::string client::server() const {
  return (is_secure_ ? "https://" : "http://") + authority_ + path_;
}

std::string client::get(const std::string& target) const {
  return ask(false, target);
}

std::string client::post(const std::string& target) const {
  return ask(true, target);
}

std::string client::ask(bool is_post, const std::string& target) const {
  question asked{is_post ? http::verb::post : http::verb::get, path_ + target,
                 11};
  asked.set(http::field::host, authority_);
  asked.set(http::field::connection, "close");
  if (!token_.empty())
    asked.set(http::field::authorization, "Bearer " + token_);
  asked.prepare_payload();
  try {
    auto got = connection{is_secure_}.ask(host_, port_, asked);
    if (got.result_int() != (is_post ? 202 : 200))
      throw std::runtime_error(server() + refusal(got));
    return std::move(got.body());
  } catch (const boost::system::system_error& why) {
    throw std::runtime_error("no answer from " + server() + ": "
                             + why.code().message());
  }
}

std::string url_part(const std::string& text) {
  std::string result;
  for (const char each : text) {
    const auto byte = static_cast<unsigned char>(each);
    result += std::isalnum(byte) != 0 || each == '-' || each == '_'
                ? std::string{each}
                : fmt::format("%{:02X}", byte);
  }
  return result;
}

} // namespace poolctl
