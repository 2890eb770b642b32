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

/// Calls `f` with each limit and its name until `f` returns false.
template <class F>
void for_each(const throttles& within, F f) {
  if (f(within.of_all, "of_all") && f(within.of_each_flow, "of_each_flow"))
    std::all_of(within.of_flows.begin(), within.of_flows.end(),
                [&](const auto& each) {
                  return f(each.second, "of_flows: " + each.first);
                });
}

} // namespace

std::optional<std::string> objection_to(const throttles& within) {
  std::optional<std::string> result;
  for_each(within, [&](const throttle& each, const std::string& name) {
    if (!each.most_begun)
      return true;
    if (!(each.most_begun->per_second > 0))
      result = name + ": most_begun: per_second must be above 0, got "
               + std::to_string(each.most_begun->per_second);
    else if (each.most_begun->burst == 0)
      result = name + ": most_begun: burst must be at least 1, got 0";
    return !result;
  });
  return result;
}

bool limits_rate(const throttles& within) noexcept {
  auto has_rate = [](const throttle& each) {
    return each.most_begun.has_value();
  };
  return has_rate(within.of_all) || has_rate(within.of_each_flow)
         || std::any_of(
           within.of_flows.begin(), within.of_flows.end(),
           [&](const auto& each) { return has_rate(each.second); });
}

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
