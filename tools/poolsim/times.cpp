#include "times.hpp"

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <utility>

namespace poolsim {

namespace {

__extension__ using wide = __int128;

constexpr std::array<std::pair<std::string_view, std::int64_t>, 5> units{{
  {"ns", 1},
  {"us", 1'000},
  {"ms", 1'000'000},
  {"s", 1'000'000'000},
  {"h", 3'600'000'000'000},
}};

/// Maximum number of decimals: more cannot be whole nanoseconds in any unit.
constexpr std::size_t most_decimals = 13;

[[noreturn]] void fail(const char* why) {
  throw std::invalid_argument(why);
}

[[noreturn]] void fail_as_malformed() {
  fail("must be a time: a whole number of nanoseconds, or a string such as "
       "\"1.5ms\" with one of the units ns, us, ms, s, h");
}

/// Takes the digits at the beginning of the text.
std::string_view take_digits(std::string_view& text) {
  auto size = text.find_first_not_of("0123456789");
  if (size == 0 || size == std::string_view::npos)
    fail_as_malformed();
  auto digits = text.substr(0, size);
  text.remove_prefix(size);
  return digits;
}

std::int64_t size_of_unit(std::string_view name) {
  for (const auto& [known, size] : units)
    if (known == name)
      return size;
  fail_as_malformed();
}

/// The number of these digits, or one that is too large for a time.
wide number_of(std::string_view digits) {
  wide result = 0;
  for (auto digit : digits)
    if (result <= longest_time.count())
      result = result * 10 + (digit - '0');
  return result;
}

/// The nanoseconds that the digits behind the point are worth.
wide fraction_of(std::string_view digits, wide unit) {
  while (!digits.empty() && digits.back() == '0')
    digits.remove_suffix(1);
  wide scale = 1;
  for (std::size_t i = 0; i < digits.size() && i < most_decimals; ++i)
    scale *= 10;
  auto parts = number_of(digits.substr(0, most_decimals)) * unit;
  if (digits.size() > most_decimals || parts % scale != 0)
    fail("must be a whole number of nanoseconds");
  return parts / scale;
}

} // namespace

duration time_of(std::string_view text) {
  auto is_negative = !text.empty() && text.front() == '-';
  if (is_negative)
    text.remove_prefix(1);
  auto whole = take_digits(text);
  std::string_view decimals;
  if (text.front() == '.') {
    text.remove_prefix(1);
    decimals = take_digits(text);
  }
  const wide unit = size_of_unit(text);
  auto result = number_of(whole) * unit + fraction_of(decimals, unit);
  if (result > longest_time.count())
    fail("must be at most 2^60 ns");
  return duration{static_cast<std::int64_t>(is_negative ? -result : result)};
}

std::string readable(duration time) {
  if (time.count() == 0)
    return "0 s";
  auto number = static_cast<double>(time.count());
  std::size_t unit = 0;
  constexpr std::size_t seconds = 3;
  while (unit < seconds && std::abs(number) >= 999.5) {
    number /= 1000;
    ++unit;
  }
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(),
                std::abs(number) >= 999.5 ? "%.0f " : "%.3g ", number);
  return text.data() + std::string{units[unit].first};
}

} // namespace poolsim
