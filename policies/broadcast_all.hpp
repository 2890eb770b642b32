#pragma once

#include "libpool/core/gather_plan.hpp"
#include "libpool/policies/gather_options.hpp"

#include <memory>

namespace libpool {

/// Gather plan that sends the whole message to each serving worker and joins
/// all results. The message fails as soon as one worker fails; with
/// `join_what_came` failed workers are left out instead. A worker that is taken
/// out of the pool before it begins is always left out. The message fails
/// without a result.
///
/// For messages that every worker has to know, or for data of which each worker
/// holds a part.
///
/// Load:   one task for each worker; a busy worker delays the answer.
/// Time:   `timeout` counts from the arrival of the message.
/// Errors: std::invalid_argument unless `timeout` is above 0.
class broadcast_all final : public gather_plan {
public:
  /// Makes the plan.
  explicit broadcast_all(const gather_options& options = {});

  std::unique_ptr<gather_plan> clone() const override;
  /// Returns votes of all workers, which decide by the options.
  std::unique_ptr<gather_votes> make_votes() const override;
  /// Returns `everybody`.
  scatter asks() const noexcept override;
  bool is_timed() const noexcept override;

private:
  gather_options options_;
};

} // namespace libpool
