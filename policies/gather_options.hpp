#pragma once

#include "libpool/core/gather_plan.hpp"
#include "libpool/policies/option.hpp"
#include "libpool/policies/vote_count.hpp"

#include <chrono>
#include <optional>
#include <vector>

namespace libpool {

/// Options of gathers that need all parts of a message.
struct gather_options {
  /// Maximum time for the workers to answer; above 0; unset: unlimited.
  std::optional<std::chrono::nanoseconds> timeout = std::nullopt;

  /// Whether workers that fail, crash or take too long are left out of the
  /// answer; otherwise the first of these failures is the answer. Without any
  /// result the answer is an error in either case.
  bool join_what_came = false;

  /// Whether results are joined in the order of the parts, rather than in the
  /// order of arrival. Not used by plans, which do not join.
  bool ordered = false;
};

/// Returns a description of each option that plans use: all except `ordered`.
std::vector<option> options_in(gather_options& options);

/// Checks the bounds of all options.
///
/// Errors: std::invalid_argument names the option that is out of bounds.
void check(const gather_options& options);

/// Returns the vote rules for a message that needs all parts.
vote_rules all_of(const gather_options& options) noexcept;

} // namespace libpool
