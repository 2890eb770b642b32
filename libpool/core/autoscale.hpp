#pragma once

#include "libpool/core/instant.hpp"
#include "libpool/export.hpp"

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>

namespace libpool {

/// Bounds and targets of a pool that chooses its own number of workers, see
/// `autoscaler`.
struct autoscale {
  /// Minimum number of workers. 0: an idle pool has no workers, and its next
  /// message has the first one made.
  std::size_t least = 1;
  /// Maximum number of workers; at least 1 and at least `least`.
  std::size_t most = 1;
  /// Time from acceptance to start that 95 % of tasks do not exceed; above
  /// zero.
  duration target_wait = std::chrono::milliseconds{20};
  /// Time for which fewer workers must be enough before the first of them is
  /// retired; at least `interval`.
  duration cooldown = std::chrono::seconds{30};
  /// Time between two decisions; above zero.
  duration interval = std::chrono::seconds{1};
};

/// Returns why the bounds are invalid, such as "least must be at most most (4),
/// got 5"; unset: they are valid.
LIBPOOL_EXPORT std::optional<std::string> objection_to(const autoscale& rule);

} // namespace libpool
