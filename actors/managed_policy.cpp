#include "libpool/actors/managed_policy.hpp"

#include "libpool/actors/user_function.hpp"
#include "libpool/policies/requirement.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>
#include <utility>

namespace libpool {

namespace {

void require_effect(bool holds, const char* option, const std::string& why) {
  if (!holds)
    throw option_error("managed_options: " + std::string{option}
                       + " means nothing to " + why);
}

/// Throws if an option of the order would have no effect.
void check_order(const recipe& how) {
  const order_options defaults;
  const auto& with = how.order_with;
  using option_given = std::pair<const char*, bool>;
  const std::array<option_given, 9> given{{
    {"age_step", with.age_step.has_value()},
    {"mode", with.mode != defaults.mode},
    {"guess", with.guess != defaults.guess},
    {"shares", !with.shares.empty()},
    {"queue_limit", with.queue_limit.has_value()},
    {"debt_memory", with.debt_memory != defaults.debt_memory},
    {"most_flows", with.most_flows != defaults.most_flows},
    {"queues", with.queues != defaults.queues},
    {"hand_size", with.hand_size != defaults.hand_size},
  }};
  const auto& known = order_named(how.order).options;
  for (const auto& [option, is_given] : given)
    if (is_given
        && std::find(known.begin(), known.end(), option) == known.end())
      throw option_error(std::string{"order_options: "} + option
                         + " means nothing to " + how.order);
}

} // namespace

void check(const recipe& how, const managed_options& options) {
  check_order(how);
  require_effect(options.priority_of == nullptr || how.order == "priority",
                 "priority_of", how.order);
  auto has_keys = how.placement == "consistent_hash";
  require_effect(options.key_of == nullptr || has_keys, "key_of",
                 how.placement);
  if (has_keys && options.key_of == nullptr)
    throw option_error("managed_options: key_of must be given where the "
                       "placement is consistent_hash");
  auto has_flows = how.order == "fair_queuing";
  require_effect(options.flow_of == nullptr || has_flows, "flow_of", how.order);
  require_effect(options.width_of == nullptr || has_flows, "width_of",
                 how.order);
  require_effect(options.seats_per_worker == 1 || has_flows, "seats_per_worker",
                 how.order);
  require_effect(options.too_wide == too_wide::clamp || has_flows, "too_wide",
                 how.order);
  require_effect(!options.window || !has_flows, "window",
                 how.order + ", which goes by seats_per_worker");
  auto is_eager = assignment_of(how) == assignment::eager;
  require_effect(options.home_of == nullptr || is_eager, "home_of",
                 how.order + " and " + how.placement + ", bound late");
  auto steals = !how.stealing.empty();
  require_effect(options.move_cost == nullptr || steals, "move_cost",
                 "a pool without stealing");
  require_effect(options.kind_of == nullptr || steals, "kind_of",
                 "a pool without stealing");
  require_effect(options.estimate_of == nullptr || steals, "estimate_of",
                 "a pool without stealing");
  require_effect(options.weight_of == nullptr
                   || placement_named(how.placement).weighs,
                 "weight_of", how.placement);
}

} // namespace libpool
