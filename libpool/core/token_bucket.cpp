#include "libpool/core/token_bucket.hpp"

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

void token_bucket::change(const std::optional<rate>& limit,
                          instant now) noexcept {
  auto before = interval_;
  auto missing = before > duration{0} && empty_until_ > now
                   ? static_cast<double>((empty_until_ - now).count())
                       / static_cast<double>(before.count())
                   : 0.0;
  interval_ = tolerance_ = duration{0};
  if (!limit) {
    empty_until_ = instant::min();
    last_ = never;
    return;
  }
  interval_ = rounded_up(second / limit->per_second);
  if (interval_ != before) {
    auto debt = missing * static_cast<double>(interval_.count());
    empty_until_ = missing > 0 ? later(now, rounded_up(debt)) : instant::min();
    last_ = never;
  }
  auto early =
    static_cast<double>(limit->burst - std::min<std::size_t>(limit->burst, 1))
    * static_cast<double>(interval_.count());
  auto bounded = std::min(std::floor(early), longest_time);
  tolerance_ = duration{static_cast<duration::rep>(bounded)};
}

} // namespace libpool
