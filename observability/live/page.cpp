#include "libpool/observability/live/page.hpp"

#include <iterator>
#include <random>
#include <string_view>

namespace libpool::live {

namespace {

/// Both are made of the files in page/, see CMakeLists.txt.
// NOLINTBEGIN(modernize-avoid-c-arrays)
constexpr unsigned char page_bytes[] = {
#include "libpool/observability/live/page_bytes.inc"
};
constexpr unsigned char guide_bytes[] = {
#include "libpool/observability/live/guide_bytes.inc"
};
// NOLINTEND(modernize-avoid-c-arrays)

std::string with_nonce(std::string page, const std::string& nonce) {
  constexpr std::string_view placeholder = "@NONCE@";
  for (auto sv = page.find(placeholder); sv != std::string::npos;
       sv = page.find(placeholder, sv + nonce.size()))
    page.replace(sv, placeholder.size(), nonce);
  return page;
}

} // namespace

std::string page_with(const std::string& nonce) {
  return with_nonce({std::begin(page_bytes), std::end(page_bytes)}, nonce);
}

std::string guide_with(const std::string& nonce) {
  return with_nonce({std::begin(guide_bytes), std::end(guide_bytes)}, nonce);
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
