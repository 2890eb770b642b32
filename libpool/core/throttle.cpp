#include "libpool/core/throttle.hpp"

#include <algorithm>

namespace libpool {

namespace {

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

} // namespace libpool
