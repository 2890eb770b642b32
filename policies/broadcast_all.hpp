#pragma once

#include "libpool/core/gather_plan.hpp"
#include "libpool/policies/gather_options.hpp"

#include <memory>

namespace libpool {

/// Gather plan that sends the whole message to each serving worker and joins
/// all results. The message fails as soon as one worker fails; with
/// `join_what_came`, failed workers are left out instead. A worker that is
/// removed from the pool before it begins its task is always left out. If no
/// worker has a result, the message fails.
///
/// The plan is meant for messages that all workers have to get, and for data
/// that is divided among the workers.
///
/// Load:   one task for each worker; a busy worker delays the answer.
/// Time:   `timeout` counts from the arrival of the message.
/// Errors: std::invalid_argument if `timeout` is set and not above 0.
class broadcast_all final : public gather_plan {
public:
  /// Makes a plan with the given options.
  explicit broadcast_all(const gather_options& options = {});

  std::unique_ptr<gather_plan> clone() const override;
  /// Returns votes that require the success of each worker. With
  /// `join_what_came`, the votes wait until each task has ended, and require
  /// one success.
  std::unique_ptr<gather_votes> make_votes() const override;
  /// Returns the choice of workers: one task for each serving worker.
  scatter asks() const noexcept override;
  bool is_timed() const noexcept override;

private:
  gather_options options_;
};

} // namespace libpool
