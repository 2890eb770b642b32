#pragma once

#include "libpool/export.hpp"

#include <cstddef>
#include <map>
#include <optional>
#include <string>

namespace libpool {

/// Maximum rate at which tasks go to workers, as a token bucket. In any time
/// span t, at most `burst` + t · `per_second` tasks go to workers. Retries are
/// not counted, unless `counts_retries` is true.
struct rate {
  /// Number of tasks per second in the long run, above 0.
  double per_second = 0;
  /// Maximum number of tasks at once, at least 1; default: 1.
  std::size_t burst = 1;
  /// Whether retries take tokens, as for a service that limits the rate of
  /// calls. Default: false; a task takes one token, however often it is
  /// retried, and a retry does not wait for a token.
  bool counts_retries = false;
};

/// Limits on the tasks that are at workers.
struct throttle {
  /// Maximum number of tasks at workers at the same time; unset: unlimited; 0:
  /// no task goes to a worker until the pool drains. With eager assignment,
  /// tasks that are assigned to a worker and were not sent count, too.
  std::optional<std::size_t> most_running = {};
  /// Maximum rate at which tasks go to workers; unset: unlimited.
  std::optional<rate> most_begun = {};

  /// Whether nothing is limited.
  bool is_empty() const noexcept {
    return !most_running && !most_begun;
  }
};

/// Limits on the tasks that are at workers, for a pool and for its flows.
struct throttles {
  /// Limits for all tasks together.
  throttle of_all = {};
  /// Limits for each flow that `of_flows` does not name.
  throttle of_each_flow = {};
  /// Limits for single flows, by the name of the flow.
  std::map<std::string, throttle> of_flows = {};

  /// Whether nothing is limited.
  bool is_empty() const noexcept {
    return of_all.is_empty() && of_each_flow.is_empty() && of_flows.empty();
  }
};

/// Returns why the limits are invalid, such as "most_begun: burst must be at
/// least 1, got 0"; unset: they are valid.
LIBPOOL_EXPORT std::optional<std::string> objection_to(const throttles& within);

/// Whether any rate is limited.
LIBPOOL_EXPORT bool limits_rate(const throttles& within) noexcept;

} // namespace libpool
