#include "libpool/core/throttle.hpp"

#include <algorithm>

namespace libpool {

namespace {

std::optional<std::string> objection(const throttle& limit,
                                     const std::string& name) {
  if (!limit.most_begun)
    return std::nullopt;
  if (!(limit.most_begun->per_second > 0))
    return name + ": most_begun: per_second must be above 0, got "
           + std::to_string(limit.most_begun->per_second);
  if (limit.most_begun->burst == 0)
    return name + ": most_begun: burst must be at least 1, got 0";
  return std::nullopt;
}

} // namespace

std::optional<std::string> objection_to(const throttles& within) {
  auto result = objection(within.of_all, "of_all");
  if (!result)
    result = objection(within.of_each_flow, "of_each_flow");
  for (const auto& [flow, limit] : within.of_flows)
    if (!result)
      result = objection(limit, "of_flows: " + flow);
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
