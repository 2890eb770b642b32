#include "libpool/live/page.hpp"

#include <array>
#include <random>
#include <string_view>

namespace libpool::live {

namespace {

/// Made of the files in page/, see CMakeLists.txt.
// NOLINTNEXTLINE(modernize-avoid-c-arrays)
constexpr unsigned char page_bytes[] = {
#include "libpool/live/page_bytes.inc"
};

constexpr std::string_view placeholder = "@NONCE@";

} // namespace

std::string page_with(const std::string& nonce) {
  std::string result{std::begin(page_bytes), std::end(page_bytes)};
  for (auto at = result.find(placeholder); at != std::string::npos;
       at = result.find(placeholder, at + nonce.size()))
    result.replace(at, placeholder.size(), nonce);
  return result;
}

std::string draw_nonce() {
  constexpr std::string_view digits = "0123456789abcdef";
  constexpr auto length = 32;
  std::random_device source;
  std::string result;
  for (auto i = 0; i < length; ++i)
    result += digits[source() % digits.size()];
  return result;
}

} // namespace libpool::live
