#pragma once

#include "libpool/core/instant.hpp"
#include "libpool/core/throttle.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <optional>

namespace libpool {

/// Waiting tasks, and what bounds the rate at which they go to workers.
struct backlog {
  /// Number of tasks that wait.
  std::size_t waiting = 0;
  /// Number of tasks that workers can have at the same time.
  std::size_t slots = 0;
  /// Mean service time of a task; zero: unknown.
  duration mean_service{0};
  /// Limits on the tasks at workers.
  throttle within = {};
};

/// Returns the estimated time until the waiting tasks have gone to workers, at
/// most one day; unset if it is unknown, or if no task may go.
inline std::optional<duration> time_to_begin(const backlog& backlog) noexcept {
  constexpr std::chrono::duration<double> longest = std::chrono::hours{24};
  auto slots = std::min(backlog.slots,
                        backlog.within.most_running.value_or(backlog.slots));
  auto is_known = backlog.mean_service > duration{0}
                  || backlog.within.most_begun;
  if (slots == 0 || !is_known)
    return std::nullopt;
  auto tasks = static_cast<double>(backlog.waiting);
  const std::chrono::duration<double> service = backlog.mean_service;
  auto result = service * tasks / static_cast<double>(slots);
  if (backlog.within.most_begun)
    result = std::max(result, std::chrono::duration<double>{
                                tasks / backlog.within.most_begun->per_second});
  return std::chrono::duration_cast<duration>(std::min(result, longest));
}

} // namespace libpool
