#pragma once

#include "libpool/core/instant.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>

namespace libpool {

/// How many messages a worker is left at a time, see decision 0018.
struct lease_size {
  /// The messages of a lease, that of the task included.
  static constexpr std::size_t most = 64;
  /// As much as takes that long.
  static constexpr duration longest = std::chrono::microseconds{50};
  /// A lease that is out for longer has a task that is long: what the worker
  /// has not begun is taken back.
  static constexpr duration overdue = std::chrono::milliseconds{1};

  /// Of so many messages that wait, where a task took `service` lately and the
  /// lease may take `at_most`: half of them at most. 1, the task alone, if
  /// `service` is zero: nobody knows.
  static std::size_t of(std::size_t waiting, duration service,
                        duration at_most) noexcept {
    if (service <= duration{0})
      return 1;
    auto in_time = static_cast<std::size_t>(at_most / service);
    return std::clamp<std::size_t>(std::min(in_time, waiting / 2), 1, most);
  }
};

/// How long tasks have taken lately: the slowest one, decaying. A thread that
/// was interrupted says little of tasks, so one that takes much longer counts
/// in part: it takes several of them to make a difference.
///
/// Cost: O(1).
class slow_service {
public:
  void add(duration service) noexcept {
    constexpr auto most_growth = 8;
    auto counted = slowest_.count() == 0
                     ? service
                     : std::min(service, slowest_ * most_growth);
    slowest_ = std::max(slowest_ - slowest_ / 8, counted);
  }

  /// Zero if none is known.
  duration get() const noexcept {
    return slowest_;
  }

private:
  duration slowest_{0};
};

} // namespace libpool
