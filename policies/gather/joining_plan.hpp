#pragma once

#include "libpool/core/gather_plan.hpp"
#include "libpool/export.hpp"
#include "libpool/policies/gather/gather_options.hpp"

#include <memory>

namespace libpool {

/// Base class of gather plans that join the results of all tasks of a message:
/// `gather_parts` and `broadcast_all`.
class LIBPOOL_EXPORT joining_plan : public gather_plan {
public:
  std::unique_ptr<gather_plan> clone() const override;
  /// Returns an object that decides when a message is answered: when all tasks
  /// of the message have succeeded. If `join_what_came` is set, the decision
  /// waits until all tasks have ended, and one success is enough.
  std::unique_ptr<gather_votes> make_votes() const override;
  /// Returns which workers get the message.
  scatter asks() const noexcept override;
  bool is_timed() const noexcept override;

protected:
  /// Makes a plan that asks the given workers.
  joining_plan(scatter::target target, const gather_options& options);

private:
  scatter::target to_;
  gather_options options_;
};

} // namespace libpool
