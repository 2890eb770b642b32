#pragma once

#include "libpool/core/gather_plan.hpp"
#include "libpool/policies/gather_options.hpp"

#include <memory>

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
class gather_parts final : public gather_plan {
public:
  /// Makes a plan with the given options.
  explicit gather_parts(const gather_options& options = {});

  std::unique_ptr<gather_plan> clone() const override;
  /// Returns an object that decides when a message is answered: when the task
  /// of each part has succeeded. If `join_what_came` is set, the decision waits
  /// until all tasks have ended, and one success is enough.
  std::unique_ptr<gather_votes> make_votes() const override;
  /// Returns which workers get the message: any workers, one task for each
  /// part.
  scatter asks() const noexcept override;
  bool is_timed() const noexcept override;

private:
  gather_options options_;
};

} // namespace libpool
