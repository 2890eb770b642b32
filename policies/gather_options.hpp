#pragma once

#include "libpool/core/gather_plan.hpp"
#include "libpool/policies/option.hpp"
#include "libpool/policies/vote_count.hpp"

#include <chrono>
#include <optional>
#include <vector>

namespace libpool {

/// Options of gathers that need the results of all parts, or of all workers.
struct gather_options {
  /// Maximum time until all workers have answered, above 0; unset: unlimited.
  std::optional<std::chrono::nanoseconds> timeout = std::nullopt;

  /// Whether workers that fail, crash or take too long are left out of the
  /// answer. If false, which is the default, the first of these failures is the
  /// answer. If no worker has a result, the answer is an error in either case.
  bool join_what_came = false;

  /// Whether results are joined in the order of the parts. If false, which is
  /// the default, results are joined in the order of arrival. Gather plans
  /// ignore this option, because plans do not join results.
  bool ordered = false;
};

/// Returns a description of each option in `options` that gather plans use,
/// which are all options except `ordered`.
std::vector<option> options_in(gather_options& options);

/// Checks that all options are within their bounds.
///
/// Errors: std::invalid_argument if an option is out of bounds; the error names
///         the option.
void check(const gather_options& options);

/// Returns the vote rules for a message whose answer needs the results of all
/// parts or of all workers.
vote_rules all_of(const gather_options& options) noexcept;

} // namespace libpool
