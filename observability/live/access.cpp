#include "libpool/observability/live/access.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <stdexcept>

namespace libpool::live {

namespace {

bool is_version_6(const std::string& address) noexcept {
  in6_addr parsed{};
  return ::inet_pton(AF_INET6, address.c_str(), &parsed) == 1;
}

/// Takes as long for any wrong text of a length.
bool equals(std::string_view given, std::string_view known) noexcept {
  if (given.size() != known.size())
    return false;
  auto difference = 0U;
  for (std::size_t i = 0; i < known.size(); ++i)
    difference |= static_cast<unsigned>(given[i] ^ known[i]);
  return difference == 0;
}

/// What follows the word, if the text begins with it.
std::string_view behind(std::string_view word, std::string_view text) {
  auto begins = text.size() > word.size();
  for (std::size_t i = 0; begins && i < word.size(); ++i)
    begins = std::tolower(static_cast<unsigned char>(text[i])) == word[i];
  return begins ? text.substr(word.size()) : std::string_view{};
}

int value_of(char digit) noexcept {
  constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                      "abcdefghijklmnopqrstuvwxyz0123456789+/";
  auto index = digits.find(digit);
  return index == std::string_view::npos ? -1 : static_cast<int>(index);
}

std::string from_base64(std::string_view text) {
  std::string result;
  auto bits = 0U;
  auto size = 0U;
  for (auto each : text) {
    auto value = value_of(each);
    if (value < 0)
      break;
    bits = bits << 6U | static_cast<unsigned>(value);
    size += 6;
    if (size >= 8)
      result += static_cast<char>(bits >> (size -= 8) & 0xFFU);
  }
  return result;
}

/// Returns the password in a header of HTTP's basic authentication.
std::string password_in(const std::string& header) {
  auto text = from_base64(behind("basic ", header));
  auto colon = text.find(':');
  return colon == std::string::npos ? std::string{} : text.substr(colon + 1);
}

bool has_bearer(const request& asked, const std::string& token) {
  return equals(behind("bearer ", asked.authorization), token);
}

[[noreturn]] void refuse(const std::string& why) {
  throw std::invalid_argument("libpool: live_view: " + why);
}

} // namespace

bool is_loopback(const std::string& address) noexcept {
  in_addr parsed{};
  if (::inet_pton(AF_INET, address.c_str(), &parsed) == 1)
    return ntohl(parsed.s_addr) >> 24U == 127;
  in6_addr longer{};
  return ::inet_pton(AF_INET6, address.c_str(), &longer) == 1
         && IN6_IS_ADDR_LOOPBACK(&longer) != 0;
}

std::string in_url(const std::string& address) {
  return is_version_6(address) ? '[' + address + ']' : address;
}

access::access(const live_options& options)
  : token_(options.token),
    control_token_(options.control_token),
    name_(in_url(options.address)),
    is_loopback_(is_loopback(options.address)) {
  using std::chrono::minutes;
  if (!is_loopback_ && token_.empty())
    refuse("address '" + options.address
           + "' is not a numeric loopback address, so any program that can "
             "reach it could see the pools: set a token");
  if (options.most_viewers == 0 || options.most_viewers > 10'000)
    refuse("most_viewers must be between 1 and 10000, got "
           + std::to_string(options.most_viewers));
  if (options.recorded <= duration{0} || options.recorded > minutes{10})
    refuse("recorded must be above 0 and at most 10 min, got "
           + std::to_string(options.recorded.count()) + " ns");
}

bool access::is_for(const request& asked) const {
  if (!is_loopback_)
    return true;
  auto behind_name = ':' + std::to_string(asked.port);
  std::array<std::string, 4> names{"127.0.0.1", "localhost", "[::1]", name_};
  return std::any_of(names.begin(), names.end(), [&](const auto& name) {
    return asked.host == name + behind_name
           || (asked.port == 80 && asked.host == name);
  });
}

bool access::may_look(const request& asked) const {
  return token_.empty() || has_bearer(asked, token_)
         || equals(password_in(asked.authorization), token_)
         || may_control(asked);
}

bool access::may_control(const request& asked) const {
  return allows_control() && has_bearer(asked, control_token_);
}

} // namespace libpool::live
