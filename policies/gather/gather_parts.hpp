#pragma once

#include "libpool/policies/gather/joining_plan.hpp"

namespace libpool {

/// Gather plan that divides each message into parts, makes one task of each
/// part, and joins all results into one answer. Each task goes to any worker
/// that has room for it. The message fails as soon as one part fails. If the
/// option `join_what_came` is set, the answer is joined without the results of
/// failed parts instead. If no part has a result, the message fails.
///
/// The plan is meant for large messages that consist of many parts.
///
/// Load:   one task for each part.
/// Time:   `timeout` counts from the arrival of the message.
/// Errors: std::invalid_argument if `timeout` is set and not above 0.
class gather_parts final : public joining_plan {
public:
  /// Makes a plan with the given options.
  explicit gather_parts(const gather_options& options = {})
    : joining_plan(scatter::target::parts, options) {
    // nop
  }
};

} // namespace libpool
