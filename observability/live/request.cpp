#include "libpool/observability/live/request.hpp"

#include <algorithm>
#include <charconv>

namespace libpool::live {

namespace {

/// Removes the text up to the first separator, and returns it without the
/// separator. Without a separator, takes the whole text.
std::string_view take_until(char separator, std::string_view& text) {
  auto result = text.substr(0, text.find(separator));
  text.remove_prefix(std::min(result.size() + 1, text.size()));
  return result;
}

/// Replaces each %XX by its byte.
std::string decoded(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    auto byte = 0U;
    const auto* end = text.data() + std::min<std::size_t>(text.size(), 3);
    auto is_code = text[0] == '%' && text.size() >= 3
                   && std::from_chars(text.data() + 1, end, byte, 16).ptr
                        == end;
    result += is_code ? static_cast<char>(byte) : text[0];
    text.remove_prefix(is_code ? 3 : 1);
  }
  return result;
}

/// Decodes a name or a value of a query, where plus signs stand for spaces.
std::string decoded_in_query(std::string_view text) {
  std::string spaced{text};
  std::replace(spaced.begin(), spaced.end(), '+', ' ');
  return decoded(spaced);
}

} // namespace

void request::set_target(std::string_view target) {
  path = decoded(take_until('?', target));
  while (!target.empty()) {
    auto value = take_until('&', target);
    auto name = decoded_in_query(take_until('=', value));
    parameters.emplace(std::move(name), decoded_in_query(value));
  }
}

std::string request::parameter(const std::string& name) const {
  return parameter_if_any(name).value_or(std::string{});
}

std::optional<std::string>
request::parameter_if_any(const std::string& name) const {
  auto found = parameters.find(name);
  return found == parameters.end() ? std::nullopt
                                   : std::optional{found->second};
}

} // namespace libpool::live
