#pragma once

#include "libpool/policies/gather/joining_plan.hpp"

namespace libpool {

/// Gather plan that sends the whole message to each serving worker and joins
/// the results of all workers into one answer. The message fails as soon as one
/// worker fails. If the option `join_what_came` is set, the answer is joined
/// without the results of failed workers instead. In both cases, no result is
/// needed from a worker that is removed from the pool before it begins its
/// task. If no worker has a result, the message fails.
///
/// The plan is meant for messages that all workers have to get, and for data
/// that is divided among the workers.
///
/// Load:   one task for each worker; a busy worker delays the answer.
/// Time:   `timeout` counts from the arrival of the message.
/// Errors: std::invalid_argument if `timeout` is set and not above 0.
class broadcast_all final : public joining_plan {
public:
  /// Makes a plan with the given options.
  explicit broadcast_all(const gather_options& options = {})
    : joining_plan(scatter::target::everybody, options) {
    // nop
  }
};

} // namespace libpool
