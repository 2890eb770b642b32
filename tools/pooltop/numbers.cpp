#include "numbers.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace pooltop {

namespace {

constexpr const char* none = "-";

std::string fixed(double number, int decimals, const char* unit = "") {
  std::array<char, 400> text{};
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-vararg)
  std::snprintf(text.data(), text.size(), "%.*f%s", decimals, number, unit);
  return text.data();
}

/// Three digits that count.
std::string short_text(double number, const char* unit) {
  const auto size = std::abs(number);
  return fixed(number, size < 9.995 ? 2 : size < 99.95 ? 1 : 0, unit);
}

value share_of(const value& part, const value& other) {
  if (!part || !other || *part + *other <= 0)
    return {};
  return *part / (*part + *other);
}

} // namespace

std::string count_text(const value& count) {
  if (!count)
    return none;
  if (std::abs(*count) < 9999.5)
    return fixed(*count, 0);
  auto rest = *count / 1000;
  for (const char* unit : {"k", "M", "G"}) {
    if (std::abs(rest) < 999.5)
      return short_text(rest, unit);
    rest /= 1000;
  }
  return short_text(rest, "T");
}

std::string rate_text(const value& per_second) {
  if (!per_second)
    return none;
  const auto is_small = *per_second != 0 && std::abs(*per_second) < 9.95;
  return (is_small ? fixed(*per_second, 1) : count_text(per_second)) + "/s";
}

std::string time_text(const value& seconds) {
  if (!seconds)
    return none;
  const auto s = *seconds;
  if (s < 0)
    return '-' + time_text(-s);
  if (s == 0)
    return "0 ms";
  if (s < 0.9995)
    return fixed(s * 1e3, s < 0.000995 ? 2 : s < 0.00995 ? 1 : 0, " ms");
  if (s < 119.5)
    return fixed(s, s < 9.95 ? 1 : 0, " s");
  if (s < 7170)
    return fixed(s / 60, 0, " min");
  return s < 171000 ? fixed(s / 3600, 0, " h") : fixed(s / 86400, 0, " d");
}

std::string milliseconds_text(const value& milliseconds) {
  return milliseconds ? time_text(*milliseconds / 1e3) : none;
}

std::string percent_text(const value& share) {
  if (!share)
    return none;
  const auto percent = *share * 100;
  if (percent > 0 && percent < 0.05)
    return "<0.1 %";
  return fixed(percent, percent > 0 && percent < 9.95 ? 1 : 0, " %");
}

value waiting_in(const pool& of) {
  auto result = of["waiting"];
  if (result)
    *result += of["assigned"].value_or(0);
  return result;
}

value failed_share(const pool& of) {
  const auto recent = share_of(of["window.failed_per_s"],
                               of["window.completed_per_s"]);
  return recent ? recent : share_of(of["failed"], of["completed"]);
}

value error_answer_share(const pool& of) {
  const auto errors = of["window.error_answers_per_s"];
  const auto completed = of["window.completed_per_s"];
  if (!errors || !completed || *completed <= 0)
    return {};
  return std::min(1.0, *errors / *completed);
}

} // namespace pooltop
