#include "libpool/core/pool_needs.hpp"

namespace libpool {

namespace {

/// Whether tasks at workers are limited from the beginning, or may be later.
bool has_throttles(const limits& within) noexcept {
  return within.by_flow || !within.throttles.is_empty();
}

} // namespace

pool_needs::pool_needs(const composition& policy, const limits& within)
  : measured(policy.placement->measures()),
    is_eager(policy.assignment == assignment::eager),
    starts(measured || policy.stealing != nullptr),
    takes_turns(!is_eager && policy.order->is_by_arrival()),
    has_flows(policy.order->has_flows()),
    limits_flows(policy.order->has_limits()),
    kinds(policy.stealing != nullptr || policy.placement->goes_by_kinds()
          || within.drop_hopeless),
    leases(is_eager ? measured != measure::cpu_time
                    : !measured && policy.placement->lets_workers_go_on()),
    may_throttle(has_flows || has_throttles(within)),
    is_timed(starts || has_throttles(within) || within.backoff
             || within.time_limit || within.drop_hopeless || within.shed
             || policy.order->is_timed()) {
  // nop
}

} // namespace libpool
