#pragma once

#include "libpool/core/instant.hpp"
#include "libpool/export.hpp"

#include <chrono>
#include <optional>
#include <set>
#include <string>

namespace libpool {

/// Rule by which an overloaded pool drops tasks that have waited for long, so
/// that others still end in time, see `load_shedding`.
struct shed {
  /// Waiting time above which a pool counts as busy; above zero. An overloaded
  /// pool drops tasks that have waited for more than twice this time.
  duration target = std::chrono::milliseconds{5};
  /// Time for which each task that goes to a worker must have waited for more
  /// than `target`, before the pool counts as overloaded; above zero.
  duration interval = std::chrono::milliseconds{100};
  /// Names of flows whose tasks are never dropped.
  std::set<std::string> exempt = {};
};

/// Returns why the rule is invalid, such as "target must be above 0, got 0 ns";
/// unset: it is valid.
LIBPOOL_EXPORT std::optional<std::string> objection_to(const shed& rule);

} // namespace libpool
