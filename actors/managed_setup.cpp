#include "libpool/actors/managed_setup.hpp"

#include "libpool/core/placement.hpp"
#include "libpool/policies/requirement.hpp"

#include <string>

namespace libpool {

namespace {

/// Throws if an option is given for which no part asks.
void require_asked(bool is_asked, bool is_given, const std::string& option,
                   const std::string& asker) {
  if (is_given && !is_asked)
    throw option_error(
      option + ": the policy does not use this option; it is an option of "
      + asker);
}

void check_order(const recipe& recipe, const managed_setup& given) {
  require_asked(recipe.order.entry().asks == asked::priority,
                given.priority_of != nullptr, "priority_of",
                "actor_pool::priority");
  auto has_flows = recipe.order.entry().asks == asked::flow;
  auto require_flows = [=](bool is_given, const char* option) {
    require_asked(has_flows, is_given, option, "actor_pool::fair_queuing");
  };
  require_flows(given.flow_of != nullptr, "flow_of");
  require_flows(given.width_of != nullptr, "width_of");
  require_flows(given.seats_per_worker != 1, "seats_per_worker");
  require_flows(given.too_wide != too_wide::clamp, "too_wide");
  if (has_flows && given.throttled_by != nullptr)
    throw option_error("throttled_by: fair_queuing does not use this option; "
                       "set flow_of instead");
  if (limits_rate(given.throttles)
      && assignment_of(recipe) == assignment::eager)
    throw option_error("throttles: most_begun requires lazy assignment, which "
                       "chooses a worker when a worker has room");
  require(given.seats_per_worker > 0, "seats_per_worker", "at least 1", "0");
  if (has_flows && given.window)
    throw option_error("window: fair_queuing does not use this option; set "
                       "seats_per_worker instead");
}

void check_placement(const recipe& recipe, const managed_setup& given) {
  auto has_keys = recipe.placement.entry().asks == asked::key;
  require_asked(has_keys, given.key_of != nullptr, "key_of",
                "actor_pool::consistent_hash");
  if (has_keys && given.key_of == nullptr)
    throw option_error("key_of: consistent_hash requires this option");
  require_asked(recipe.placement.entry().asks == asked::weight,
                given.weight_of != nullptr, "weight_of",
                "actor_pool::weighted_round_robin");
}

void check_stealing(const recipe& recipe, const managed_setup& given) {
  require_asked(assignment_of(recipe) == assignment::eager,
                given.home_of != nullptr, "home_of",
                "actor_pool::work_stealing");
  auto require_stealing = [&](bool is_given, const char* option) {
    require_asked(recipe.stealing.has_value(), is_given, option,
                  "actor_pool::work_stealing");
  };
  require_stealing(given.move_cost != nullptr, "move_cost");
  auto goes_by_kinds = recipe.stealing
                       || recipe.placement.make()->goes_by_kinds()
                       || given.drop_hopeless;
  auto require_kinds = [&](bool is_given, const char* option) {
    require_asked(goes_by_kinds, is_given, option,
                  "actor_pool::work_stealing and "
                  "actor_pool::join_shortest_estimated_queue");
  };
  require_kinds(given.kind_of != nullptr, "kind_of");
  require_kinds(given.estimate_of != nullptr, "estimate_of");
}

} // namespace

bool wants_nodes(const managed_setup& given) noexcept {
  return given.nodes && given.nodes->wants_of != nullptr;
}

bool asks_places(const managed_setup& given) noexcept {
  return given.home_of != nullptr || given.may_run_on != nullptr
         || wants_nodes(given) || given.move_cost != nullptr
         || given.kind_of != nullptr || given.estimate_of != nullptr;
}

void check(const recipe& recipe, const managed_setup& given) {
  check_order(recipe, given);
  check_placement(recipe, given);
  check_stealing(recipe, given);
}

} // namespace libpool
