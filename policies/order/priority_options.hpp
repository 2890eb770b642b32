#pragma once

#include "libpool/core/instant.hpp"
#include "libpool/export.hpp"
#include "libpool/policies/option.hpp"

#include <optional>
#include <vector>

namespace libpool {

/// Options of the order `priority`, also listed in docs/policies.md.
struct priority_options {
  /// Waiting time that raises the priority of a task by one level, above 0;
  /// unset: waiting does not raise the priority.
  std::optional<duration> age_step = std::nullopt;
};

/// Returns a description of each option: its name, its meaning, its bounds and
/// a reference to its value in `options`.
LIBPOOL_EXPORT std::vector<option> options_in(priority_options& options);

} // namespace libpool
