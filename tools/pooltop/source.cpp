#include "source.hpp"

#include "reading.hpp"
#include "unicode.hpp"

#include <httplib.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <utility>

namespace pooltop {

namespace {

using clock = std::chrono::steady_clock;

constexpr std::chrono::seconds patience{2}; // between two pieces of an answer
constexpr std::chrono::seconds longest_answer{5};
constexpr std::size_t largest_answer = std::size_t{64} << 20U;
constexpr auto path_of_pools = "/api/v1/pools";

std::unique_ptr<httplib::ClientImpl> connection_for(const address& to) {
#ifdef CPPHTTPLIB_OPENSSL_SUPPORT
  if (to.is_secure)
    return std::make_unique<httplib::SSLClient>(to.host, to.port);
#endif
  return std::make_unique<httplib::ClientImpl>(to.host, to.port);
}

std::unique_ptr<httplib::ClientImpl> client_for(const address& to) {
  auto result = connection_for(to);
  result->set_connection_timeout(patience);
  result->set_read_timeout(patience);
  result->set_write_timeout(patience);
  return result;
}

httplib::Headers headers_for(const address& to, const std::string& token) {
  httplib::Headers result{{"Host", to.authority()},
                          {"Accept", "application/json"}};
  if (!token.empty())
    result.emplace("Authorization", "Bearer " + token);
  return result;
}

/// An answer as far as it has come.
struct body {
  std::string text;
  bool is_too_large = false;
  bool is_too_slow = false;
  clock::time_point end = clock::now() + longest_answer;

  bool add(const char* data, std::size_t size) {
    text.append(data, size);
    is_too_large = text.size() > largest_answer;
    is_too_slow = clock::now() > end;
    return !is_too_large && !is_too_slow;
  }
};

/// The first line of what the server says about itself, behind a colon.
std::string said(const std::string& text) {
  constexpr std::size_t most = 160;
  const auto first = text.substr(0, std::min(text.find('\n'), most));
  const auto is_page = first.find('<') != std::string::npos;
  return first.empty() || is_page ? "." : ": " + escaped(first) + '.';
}

std::string refusal(const address& from, int status, const std::string& text) {
  const auto server = from.text();
  const auto code = "(" + std::to_string(status) + ")";
  switch (status) {
    case 401:
      return server + " requires a token " + code
             + ": check --token or LIBPOOL_TOKEN.";
    case 403:
      return server + " refused the request " + code + said(text);
    case 404:
      return server + " has no " + path_of_pools + ' ' + code
             + ": check that it is a live view of libpool.";
    case 503:
      return server + " cannot answer now " + code + said(text);
    default:
      return server + " answered with status " + std::to_string(status)
             + said(text);
  }
}

std::string failure(const address& from, httplib::Error why, const body& got) {
  const auto server = from.text();
  if (got.is_too_large)
    return server + " sent more than 64 MB.";
  if (got.is_too_slow)
    return server + " took too long to answer.";
  switch (why) {
    case httplib::Error::Connection:
      return "Cannot connect to " + server + '.';
    case httplib::Error::Read:
      return server + " did not answer in time, or closed the connection.";
#ifdef CPPHTTPLIB_OPENSSL_SUPPORT
    case httplib::Error::SSLConnection:
    case httplib::Error::SSLLoadingCerts:
    case httplib::Error::SSLServerVerification:
      return server + " has no trusted certificate, or does not support TLS.";
#endif
    default:
      return "No answer from " + server + " (" + httplib::to_string(why) + ").";
  }
}

answer read_answer(const address& from, const std::string& text) {
  try {
    return {read_snapshot(text), {}};
  } catch (const unreadable& why) {
    return {std::nullopt, "Cannot read the answer of " + from.text() + ": "
                            + why.what()
                            + "; check that it is a live view of libpool."};
  }
}

} // namespace

source::source(address from, std::string token)
  : from_(std::move(from)), token_(std::move(token)) {
  // nop
}

answer source::ask() const {
#ifndef CPPHTTPLIB_OPENSSL_SUPPORT
  if (from_.is_secure)
    return {std::nullopt, "This pooltop was built without HTTPS support."};
#endif
  const auto client = client_for(from_);
  body got;
  const auto result = client->Get(
    from_.path + path_of_pools, headers_for(from_, token_),
    [&](const char* data, std::size_t size) { return got.add(data, size); });
  if (!result)
    return {std::nullopt, failure(from_, result.error(), got)};
  if (result->status != 200)
    return {std::nullopt, refusal(from_, result->status, got.text)};
  return read_answer(from_, got.text);
}

std::string source::send(const std::string& target) const {
  const auto result = client_for(from_)->Post(
    from_.path + target, headers_for(from_, token_), "", "text/plain");
  if (!result)
    return failure(from_, result.error(), {});
  if (result->status >= 300)
    return refusal(from_, result->status, result->body);
  return escaped(result->body.substr(0, result->body.find('\n'))) + '.';
}

} // namespace pooltop
