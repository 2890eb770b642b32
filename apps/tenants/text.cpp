#include "text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>

namespace tenants {

namespace {

/// A number below 1000 with three digits in all; one that is next to nothing
/// has no sign.
std::string three_digits(double number) {
  const auto size = std::abs(number);
  if (size < 0.005)
    return "0.00";
  const int decimals = size < 9.995 ? 2 : size < 99.95 ? 1 : 0;
  return fmt::format("{:.{}f}", number, decimals);
}

std::string without_zeros(std::string number) {
  if (number.find('.') == std::string::npos)
    return number;
  number.erase(number.find_last_not_of('0') + 1);
  if (number.back() == '.')
    number.pop_back();
  return number;
}

struct amount {
  double number;
  const char* unit;
};

amount amount_of(libpool::duration time) {
  const std::chrono::duration<double, std::milli> ms{time};
  if (std::abs(ms.count()) < 999.5)
    return {ms.count(), " ms"};
  return {ms.count() / 1000, " s"};
}

} // namespace

std::string text_of(libpool::duration time) {
  const auto [number, unit] = amount_of(time);
  return three_digits(number) + unit;
}

std::string short_text_of(libpool::duration time) {
  const auto [number, unit] = amount_of(time);
  return without_zeros(three_digits(number)) + unit;
}

std::string aligned(const std::vector<std::vector<std::string>>& rows,
                    std::string_view indent) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(row.size());
    for (std::size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], row[i].size());
  }
  std::string out;
  for (const auto& row : rows) {
    out += fmt::format("{}{:<{}}", indent, row[0], widths[0]);
    for (std::size_t i = 1; i < row.size(); ++i)
      out += fmt::format("  {:>{}}", row[i], widths[i]);
    out += '\n';
  }
  return out;
}

std::string xml(std::string_view text) {
  std::string out;
  for (const auto each : text) {
    switch (each) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += each;
    }
  }
  return out;
}

} // namespace tenants
