#pragma once

#include "libpool/core/instant.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>

namespace libpool {

/// Size of a lease: the number of messages that are handed to a worker
/// together, see decision 0018.
struct lease_size {
  /// Maximum number of messages in a lease, including the first message.
  static constexpr std::size_t most = 64;
  /// Maximum sum of the expected service times of the messages in a lease.
  static constexpr duration longest = std::chrono::microseconds{50};
  /// Age above which a lease is overdue, because one of its messages takes
  /// long. Messages of an overdue lease that the worker has not begun are taken
  /// back.
  static constexpr duration overdue = std::chrono::milliseconds{1};

  /// Returns the number of messages for a lease, from 1 to `most`: at most half
  /// of the `waiting` messages, and at most as many as can be handled in the
  /// time `at_most` if each takes `service`. Returns 1 if `service` is zero,
  /// which means that the service time is not known.
  static std::size_t of(std::size_t waiting, duration service,
                        duration at_most) noexcept {
    if (service <= duration{0})
      return 1;
    auto in_time = static_cast<std::size_t>(at_most / service);
    return std::clamp<std::size_t>(std::min(in_time, waiting / 2), 1, most);
  }
};

/// Decaying maximum of recent service times. Each sample first lowers the
/// maximum by an eighth. The first sample counts in full, any other sample as
/// at most 8 times the previous maximum, because a much longer sample may come
/// from a thread that was interrupted.
///
/// Cost: O(1).
class slow_service {
public:
  /// Adds a service time.
  void add(duration service) noexcept {
    constexpr auto most_growth = 8;
    auto counted = slowest_.count() == 0
                     ? service
                     : std::min(service, slowest_ * most_growth);
    slowest_ = std::max(slowest_ - slowest_ / 8, counted);
  }

  /// Returns the maximum; zero before the first sample.
  duration get() const noexcept {
    return slowest_;
  }

private:
  duration slowest_{0};
};

} // namespace libpool
