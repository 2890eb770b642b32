#pragma once

#include "libpool/core/gather_plan.hpp"
#include "libpool/policies/gather_options.hpp"

#include <memory>

namespace libpool {

/// Gather plan that makes one task of each part of a message and joins all
/// results. Each task goes to a worker with room. The message fails as soon as
/// one part fails; with `join_what_came`, failed parts are left out instead. If
/// no part has a result, the message fails.
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
  /// Returns votes that require the success of each part. With
  /// `join_what_came`, the votes wait until the task of each part has ended,
  /// and require one success.
  std::unique_ptr<gather_votes> make_votes() const override;
  /// Returns the choice of workers: one task for each part, on any worker.
  scatter asks() const noexcept override;
  bool is_timed() const noexcept override;

private:
  gather_options options_;
};

} // namespace libpool
