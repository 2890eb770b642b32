#pragma once

#include "libpool/export.hpp"
#include "libpool/policies/option.hpp"

#include <chrono>
#include <optional>
#include <vector>

namespace libpool {

/// Options of gather plans that join the results of all parts of a message, or
/// of all workers.
struct gather_options {
  /// Maximum time from the arrival of a message to its answer, above 0; unset:
  /// unlimited.
  std::optional<std::chrono::nanoseconds> timeout = std::nullopt;

  /// Whether a message is answered without the results of workers that fail,
  /// crash or take too long. If false, which is the default, the first such
  /// failure becomes the answer. If no worker has a result, the answer is an
  /// error in either case.
  bool join_what_came = false;

  /// Whether results are joined in the order of the parts of the message. If
  /// false, which is the default, results are joined as they arrive. Used by
  /// the code that joins the results, not by gather plans.
  bool ordered = false;
};

/// Returns a description of each option in `options` except `ordered`, which
/// gather plans do not use. A description has the name, meaning and bounds of
/// the option and a reference to its value.
LIBPOOL_EXPORT std::vector<option> options_in(gather_options& options);

/// Checks that all options are within their bounds.
///
/// Errors: std::invalid_argument if an option is out of bounds; the error names
///         the option.
LIBPOOL_EXPORT void check(const gather_options& options);

} // namespace libpool
