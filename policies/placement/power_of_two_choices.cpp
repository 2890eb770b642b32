#include "libpool/policies/placement/power_of_two_choices.hpp"

#include "libpool/policies/placement/tie_rule.hpp"

namespace libpool {

worker* power_of_two_choices::pick(const std::vector<worker*>& some,
                                   instant) noexcept {
  auto [x, y] = two_of(some);
  return wins_tie{}(*y, *x) ? y : x;
}

} // namespace libpool
