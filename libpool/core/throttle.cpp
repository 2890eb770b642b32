#include "libpool/core/throttle.hpp"

#include <algorithm>
#include <cmath>

namespace libpool {

namespace {

constexpr auto second = 1e9; // in nanoseconds

/// Longest time that a bucket reckons with: about 30 years.
constexpr auto longest_time = 1e18;

duration rounded_up(double nanoseconds) noexcept {
  auto bounded = std::clamp(std::ceil(nanoseconds), 1.0, longest_time);
  return duration{static_cast<duration::rep>(bounded)};
}

} // namespace

void token_bucket::change(const std::optional<rate>& limit) noexcept {
  interval_ = tolerance_ = duration{0};
  if (!limit) {
    empty_until_ = instant::min();
    last_ = never;
    return;
  }
  interval_ = rounded_up(second / limit->per_second);
  auto early =
    static_cast<double>(limit->burst - std::min<std::size_t>(limit->burst, 1))
    * static_cast<double>(interval_.count());
  auto bounded = std::min(std::floor(early), longest_time);
  tolerance_ = duration{static_cast<duration::rep>(bounded)};
}

} // namespace libpool
