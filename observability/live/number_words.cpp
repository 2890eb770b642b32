#include "libpool/observability/live/number_words.hpp"

#include <array>
#include <chrono>
#include <cstdio>

namespace libpool::live {

namespace {

std::string rounded(double number) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), number < 10 ? "%.1f" : "%.0f",
                number);
  return text.data();
}

} // namespace

std::string grouped(std::uint64_t number) {
  auto result = std::to_string(number);
  for (auto index = result.size(); index > 3;)
    result.insert(index -= 3, "\u202F");
  return result;
}

std::string counted(std::uint64_t number, std::string_view noun) {
  auto result = grouped(number).append(" ").append(noun);
  return number == 1 ? result : result + 's';
}

std::string in_words(duration time) {
  using namespace std::chrono_literals;
  auto in = [time](duration unit, const char* name) {
    return rounded(static_cast<double>(time.count())
                   / static_cast<double>(unit.count()))
           + ' ' + name;
  };
  if (time < 1s)
    return in(1ms, "ms");
  if (time < 2min)
    return in(1s, "s");
  return time < 2h ? in(1min, "min") : in(1h, "h");
}

std::string percent(double share) {
  return rounded(100 * share) + " %";
}

std::string number_in_words(double number) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.6g", number);
  return text.data();
}

} // namespace libpool::live
