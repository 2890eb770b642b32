#pragma once

#include "libpool/core/instant.hpp"

#include <atomic>
#include <cstdint>
#include <optional>

namespace libpool {

/// Mean duration of handlers, without the time in which a message waits for its
/// worker to be scheduled. A pool adds durations; the agent reads the mean.
///
/// Threads: one thread calls `add`, and one thread calls `next_mean`. The mean
///          can be slightly off while a duration is being added.
class handler_times {
public:
  void add(duration took) noexcept {
    nanoseconds_.fetch_add(took.count(), std::memory_order_relaxed);
    handlers_.fetch_add(1, std::memory_order_relaxed);
  }

  /// Mean of the durations that were added since the last call; unset if none.
  std::optional<duration> next_mean() noexcept {
    auto sum = nanoseconds_.load(std::memory_order_relaxed);
    auto count = handlers_.load(std::memory_order_relaxed);
    if (count == asked_handlers_)
      return std::nullopt;
    auto mean = (sum - asked_nanoseconds_) / (count - asked_handlers_);
    asked_nanoseconds_ = sum;
    asked_handlers_ = count;
    return duration{mean};
  }

private:
  std::atomic<duration::rep> nanoseconds_{0};
  std::atomic<std::int64_t> handlers_{0};
  duration::rep asked_nanoseconds_ = 0;
  std::int64_t asked_handlers_ = 0;
};

} // namespace libpool
