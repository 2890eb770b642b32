#include "text.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <iterator>

namespace console {

namespace {

constexpr std::array<std::string_view, 7> units{"B",   "KiB", "MiB", "GiB",
                                                "TiB", "PiB", "EiB"};

/// What would be rounded to 1024.0 is one of the next unit.
std::string scaled(double bytes) {
  std::size_t unit = 0;
  for (; bytes >= 1023.95 && unit + 1 < units.size(); ++unit)
    bytes /= 1024;
  return fmt::format("{:.{}f} {}", bytes, unit == 0 ? 0 : 1, units.at(unit));
}

bool is_control(unsigned char byte) {
  return byte < 0x20 || byte == 0x7f;
}

} // namespace

std::string human_bytes(std::uint64_t bytes) {
  return scaled(static_cast<double>(bytes));
}

std::string human_rate(std::uint64_t bytes, double seconds) {
  return scaled(seconds > 0 ? static_cast<double>(bytes) / seconds : 0) + "/s";
}

std::string human_seconds(double seconds) {
  const auto whole = static_cast<std::uint64_t>(std::ceil(seconds));
  const auto hours = whole / 3600;
  return (hours > 0 ? fmt::format("{}:", hours) : std::string{})
         + fmt::format("{:02}:{:02}", whole / 60 % 60, whole % 60);
}

std::string line_of(const std::vector<std::string>& figures,
                    std::size_t width) {
  std::string out;
  for (const auto& each : figures) {
    const auto* const gap = out.empty() ? "" : "  ";
    const auto longer = fmt::format("{}{}{}", out, gap, each);
    if (longer.size() > width)
      break;
    out = longer;
  }
  return out;
}

std::string printable(std::string_view name) {
  std::string out;
  for (const char each : name) {
    const auto byte = static_cast<unsigned char>(each);
    if (is_control(byte))
      fmt::format_to(std::back_inserter(out), "\\{:03o}", byte);
    else
      out += each;
  }
  return out;
}

} // namespace console
