#include "libpool/policies/default_weight.hpp"

#include <cmath>

namespace libpool {

namespace {

/// Returns the weight for one core, in milliseconds.
double weight_of(unsigned speed) {
  auto mhz = speed == 0 ? 1000.0 : static_cast<double>(speed);
  auto scale = std::pow(10, std::floor(std::log10(mhz)));
  return scale * scale / mhz;
}

} // namespace

duration default_weight(const std::vector<unsigned>& speeds) {
  if (speeds.empty())
    return default_weight({0});
  double sum = 0;
  for (auto speed : speeds)
    sum += weight_of(speed);
  auto mean = sum / static_cast<double>(speeds.size());
  return std::chrono::milliseconds{std::lround(mean)};
}

} // namespace libpool
