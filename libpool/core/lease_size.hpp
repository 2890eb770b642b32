#pragma once

#include "libpool/core/instant.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>

namespace libpool {

/// Limits on a lease: the number of short tasks that are sent to a worker
/// together, to save time. docs/decisions/0018-leases.md has the reasons.
struct lease_size {
  /// Maximum number of tasks that are sent to a worker together (a lease),
  /// including the first task.
  static constexpr std::size_t most = 64;
  /// Maximum expected time that a worker needs for the tasks that are sent to
  /// it together (a lease).
  static constexpr duration longest = std::chrono::microseconds{50};
  /// Maximum age of a lease: tasks that were sent to a worker together. Tasks
  /// of an older lease that the worker has not begun are taken back, because an
  /// earlier task takes long.
  static constexpr duration overdue = std::chrono::milliseconds{1};

  /// Returns the number of tasks to send to a worker together, from 1 to
  /// `most`: at most half of the `waiting` tasks, and at most as many as the
  /// worker can handle in the time `at_most` if each task takes `service`.
  /// If `service` is zero, it is not known, and the result is 1.
  static std::size_t of(std::size_t waiting, duration service,
                        duration at_most) noexcept {
    if (service <= duration{0})
      return 1;
    auto in_time = static_cast<std::size_t>(at_most / service);
    return std::clamp<std::size_t>(std::min(in_time, waiting / 2), 1, most);
  }
};

/// Limits on the tasks that are sent to a worker together, to save time (a
/// lease).
struct lease_bounds {
  /// Maximum number of tasks that are sent to a worker together, at least 1.
  /// Default: 1, so each task is sent alone.
  std::size_t most = 1;
  /// Maximum expected time that a worker needs for the tasks that are sent to
  /// it together; default: 50 us.
  duration longest = lease_size::longest;
  /// Time after which the tasks that were sent together and have not begun are
  /// taken back, because an earlier task takes long; default: 1 ms.
  duration overdue = lease_size::overdue;
};

/// Decaying maximum of recent service times. Each sample first lowers the
/// maximum by an eighth. The first sample counts in full, any other sample as
/// at most 8 times the previous maximum, because a much longer sample may come
/// from a thread that was interrupted.
///
/// Cost: O(1).
class slow_service {
public:
  /// Adds a service time: the time that a handler has run.
  void add(duration service) noexcept {
    constexpr auto most_growth = 8;
    auto counted = slowest_.count() == 0
                     ? service
                     : std::min(service, slowest_ * most_growth);
    slowest_ = std::max(slowest_ - slowest_ / 8, counted);
  }

  /// Returns the decaying maximum of the added service times; zero before the
  /// first one.
  duration get() const noexcept {
    return slowest_;
  }

private:
  duration slowest_{0};
};

} // namespace libpool
