#pragma once

#include "libpool/core/gather_plan.hpp"
#include "libpool/policies/option.hpp"
#include "libpool/policies/vote_count.hpp"

#include <chrono>
#include <optional>
#include <vector>

namespace libpool {

/// How a message that is handled in parts ends when not all goes well.
struct gather_options {
  /// How long the workers may take to answer, more than 0; by default for ever.
  std::optional<std::chrono::nanoseconds> timeout = std::nullopt;

  /// Whether the answer leaves out workers that failed, died or took too long,
  /// rather than being an error at the first of them. Without any result it is
  /// an error all the same.
  bool join_what_came = false;

  /// Join the results in the order of the parts, rather than as they come. Of
  /// no interest to plans, which do not join.
  bool ordered = false;
};

/// The options of plans that want all parts: all but `ordered`.
std::vector<option> options_in(gather_options& options);

/// Throws std::invalid_argument naming the option that is out of bounds.
void check(const gather_options& options);

/// The votes of a message of which all parts are wanted.
vote_rules all_of(const gather_options& options) noexcept;

} // namespace libpool
