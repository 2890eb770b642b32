#include "libpool/actors/spawn_pool.hpp"

#include "libpool/actors/actor_pool.hpp"
#include "libpool/actors/caf/port/scheduling.hpp"

#include <algorithm>
#include <stdexcept>

namespace libpool {

std::size_t workers_of(caf::actor_system& system,
                       const managed_options& options) {
  if (options.workers > 0)
    return options.workers;
  return options.autoscale ? options.autoscale->least
                           : std::max(threads_of(system), std::size_t{1});
}

namespace detail {

namespace {

/// The options of the pool, which may be those of the policy.
managed_options options_of(const spawn_plan& plan) {
  if (plan.managed)
    return *plan.managed;
  if (auto* setup = plan.how ? plan.how->managed() : nullptr)
    return static_cast<const managed_options&>(*setup);
  return {};
}

/// The policy with the options beside it.
policy policy_of(const spawn_plan& plan) {
  if (!plan.how)
    return plan.managed ? actor_pool::shared_queue(*plan.managed)
                        : actor_pool::shared_queue();
  if (!plan.managed)
    return *plan.how;
  auto* setup = plan.how->managed();
  if (setup == nullptr)
    throw std::invalid_argument(
      "libpool: spawn_pool: managed_options require a policy of managed pools, "
      "and this policy is for direct pools: pass pool_options instead, or no "
      "options");
  if (setup->has_options)
    throw std::invalid_argument(
      "libpool: spawn_pool: the policy has managed_options already: pass them "
      "once, to the policy or to spawn_pool");
  return policy{setup->with(*plan.managed)};
}

} // namespace

caf::actor spawn(caf::actor_system& system, const spawn_plan& plan,
                 const untyped_factory& factory) {
  auto n = plan.workers ? *plan.workers : workers_of(system, options_of(plan));
  return actor_pool::make(system, n, factory, policy_of(plan), plan.other);
}

} // namespace detail

} // namespace libpool
