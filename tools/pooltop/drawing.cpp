#include "drawing.hpp"

#include <algorithm>
#include <cmath>

namespace pooltop {

namespace {

double highest_of(const std::vector<value>& values) {
  double result = 0;
  for (const auto& each : values)
    result = std::max(result, each.value_or(0));
  return result;
}

/// 0 for none; the rest of the levels for what there is.
std::size_t level_of(double value, double highest) {
  if (value <= 0)
    return 0;
  return 1 + static_cast<std::size_t>(std::min(value / highest * 7, 6.0));
}

} // namespace

line sparkline(const std::vector<value>& values, std::size_t width,
               const symbols& with) {
  const auto shown = std::min(values.size(), width);
  const std::vector<value> latest(
    values.end() - static_cast<std::ptrdiff_t>(shown), values.end());
  const auto highest = highest_of(latest);
  line result;
  result.pad_to(width - shown);
  for (const auto& each : latest)
    result.add(each ? with.levels.at(level_of(*each, highest)) : " ",
               look::bar);
  return result;
}

line bar(const value& share, std::size_t width, const symbols& with) {
  line result;
  if (!share)
    return result.pad_to(width), result;
  const auto part = std::clamp(*share, 0.0, 1.0);
  const auto eighths = static_cast<std::size_t>(
    std::lround(part * static_cast<double>(width) * 8));
  for (std::size_t i = 0; i < eighths / 8; ++i)
    result.add(with.eighths.back(), look::bar);
  if (eighths % 8 > 0)
    result.add(with.eighths.at(eighths % 8 - 1), look::bar);
  while (result.width() < width)
    result.add(with.track, look::faint);
  return result;
}

} // namespace pooltop
