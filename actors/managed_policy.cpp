/// The policies of managed pools.

#include "libpool/actors/managed_policy.hpp"

#include "libpool/actors/actor_pool.hpp"
#include "libpool/policies/requirement.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>
#include <utility>

namespace libpool {

namespace {

recipe placed_by(const char* placement, const placement_options& how) {
  recipe result;
  result.placement = placement;
  result.placement_with = how;
  return result;
}

placement_options seeded(std::uint64_t seed) {
  placement_options result;
  result.seed = seed;
  return result;
}

void require(bool holds, const char* option, const std::string& why) {
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

/// Throws if an option would have no effect, or is missing.
void check(const recipe& how, const managed_options& options) {
  check_order(how);
  require(options.priority_of == nullptr || how.order == "priority",
          "priority_of", how.order);
  auto has_keys = how.placement == "consistent_hash";
  require(options.key_of == nullptr || has_keys, "key_of", how.placement);
  if (has_keys && options.key_of == nullptr)
    throw option_error("managed_options: key_of must be given where the "
                       "placement is consistent_hash");
  auto has_flows = how.order == "fair_queuing";
  require(options.flow_of == nullptr || has_flows, "flow_of", how.order);
  require(options.width_of == nullptr || has_flows, "width_of", how.order);
  require(options.seats_per_worker == 1 || has_flows, "seats_per_worker",
          how.order);
  require(options.too_wide == too_wide::clamp || has_flows, "too_wide",
          how.order);
  require(!options.window || !has_flows, "window",
          how.order + ", which goes by seats_per_worker");
  auto is_eager = assignment_of(how) == assignment::eager;
  require(options.home_of == nullptr || is_eager, "home_of",
          how.order + " and " + how.placement + ", bound late");
  auto steals = !how.stealing.empty();
  require(options.move_cost == nullptr || steals, "move_cost",
          "a pool without stealing");
  require(options.kind_of == nullptr || steals, "kind_of",
          "a pool without stealing");
  require(options.estimate_of == nullptr || steals, "estimate_of",
          "a pool without stealing");
  require(options.weight_of == nullptr || placement_named(how.placement).weighs,
          "weight_of", how.placement);
}

} // namespace

policy actor_pool::managed(recipe how, managed_options options) {
  check(options);
  compose(how); // throws what it has to say here, not in each pool
  check(how, options);
  auto window = default_window(how, 1);
  auto parts = [how = std::move(how)] { return compose(how); };
  return policy{managed_policy{parts, window, std::move(options)}};
}

policy actor_pool::managed(std::function<composition()> parts,
                           managed_options options) {
  check(options);
  if (parts == nullptr)
    throw std::invalid_argument("libpool: actor_pool::managed: no parts");
  return policy{managed_policy{std::move(parts), 1, std::move(options)}};
}

policy actor_pool::shared_queue(managed_options options) {
  return managed(managed_policy_named("shared_queue").how, std::move(options));
}

policy actor_pool::priority(order_options how, managed_options options) {
  auto what = managed_policy_named("priority").how;
  what.order_with = std::move(how);
  return managed(std::move(what), std::move(options));
}

policy actor_pool::fair_queuing(order_options how, managed_options options) {
  auto what = managed_policy_named("fair_queuing").how;
  what.order_with = std::move(how);
  return managed(std::move(what), std::move(options));
}

policy actor_pool::work_stealing(stealing_options how,
                                 managed_options options) {
  auto what = managed_policy_named("work_stealing").how;
  what.stealing_with = how;
  return managed(std::move(what), std::move(options));
}

policy actor_pool::round_robin(managed_options options) {
  return managed(placed_by("round_robin", {}), std::move(options));
}

policy actor_pool::random(std::uint64_t seed, managed_options options) {
  return managed(placed_by("random", seeded(seed)), std::move(options));
}

policy actor_pool::least_used(managed_options options) {
  return managed(placed_by("least_used", {}), std::move(options));
}

policy actor_pool::least_busy(placement_options how, managed_options options) {
  return managed(placed_by("least_busy", how), std::move(options));
}

policy actor_pool::power_of_two_choices(std::uint64_t seed,
                                        managed_options options) {
  return managed(placed_by("power_of_two_choices", seeded(seed)),
                 std::move(options));
}

policy actor_pool::fair_share(placement_options how, managed_options options) {
  return managed(placed_by("fair_share", how), std::move(options));
}

policy actor_pool::weighted_round_robin(placement_options how,
                                        managed_options options) {
  return managed(placed_by("weighted_round_robin", how), std::move(options));
}

policy actor_pool::interleaved_weighted_round_robin(placement_options how,
                                                    managed_options options) {
  return managed(placed_by("interleaved_weighted_round_robin", how),
                 std::move(options));
}

policy actor_pool::peak_ewma(placement_options how, managed_options options) {
  return managed(placed_by("peak_ewma", how), std::move(options));
}

policy actor_pool::consistent_hash(placement_options how,
                                   managed_options options) {
  return managed(placed_by("consistent_hash", how), std::move(options));
}

} // namespace libpool
