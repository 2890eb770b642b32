#pragma once

#include "libpool/core/gather_plan.hpp"
#include "libpool/export.hpp"
#include "libpool/policies/option.hpp"

#include <cstddef>
#include <memory>
#include <vector>

namespace libpool {

/// Options of the gather plan `first_success`, also listed in docs/policies.md.
struct first_success_options {
  /// Number of workers that get the message, at least 1; all workers if the
  /// pool has fewer; default: 2.
  std::size_t asked = 2;
};

/// Returns a description of each option: its name, its meaning, its bounds and
/// a reference to its value in `options`.
LIBPOOL_EXPORT std::vector<option> options_in(first_success_options& options);

/// Gather plan that sends the whole message to `asked` workers. The first
/// success is the answer, and tasks that have not begun by then are cancelled.
/// The message fails when all tasks have failed.
///
/// The plan is meant for messages that may fail on one worker and succeed on
/// another worker, and for short messages where the fastest answer is worth the
/// additional work.
///
/// Load:   up to `asked` times the work.
/// Errors: std::invalid_argument if `asked` is 0.
class LIBPOOL_EXPORT first_success final : public gather_plan {
public:
  /// Makes a plan with the given options.
  explicit first_success(const first_success_options& options = {});

  std::unique_ptr<gather_plan> clone() const override;
  /// Returns an object that decides when a message is answered: with the first
  /// success of a task.
  std::unique_ptr<gather_votes> make_votes() const override;
  /// Returns which workers get the message: `asked` workers, one task each for
  /// the whole message.
  scatter asks() const noexcept override;

private:
  first_success_options options_;
};

} // namespace libpool
