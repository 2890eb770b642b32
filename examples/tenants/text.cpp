#include "text.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdio>

namespace tenants {

namespace {

/// A number that is next to nothing has no sign.
std::string fixed(double number, int digits) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.*f", digits, number);
  std::string out{text.data()};
  const bool is_zero = out.find_first_not_of("-0.") == std::string::npos;
  return is_zero && out.front() == '-' ? out.substr(1) : out;
}

/// A number below 1000 with three digits in all.
std::string three_digits(double number) {
  const auto size = std::abs(number);
  if (size < 9.995)
    return fixed(number, 2);
  return fixed(number, size < 99.95 ? 1 : 0);
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
    out.append(indent).append(row[0]);
    out.append(widths[0] - row[0].size(), ' ');
    for (std::size_t i = 1; i < row.size(); ++i)
      out.append(2 + widths[i] - row[i].size(), ' ').append(row[i]);
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
