#pragma once

#include "libpool/core/instant.hpp"

#include <atomic>
#include <cstdint>
#include <optional>

namespace libpool {

/// How long handlers take, as a pool tells and somebody else asks: without the
/// time that a message waits for its worker to be scheduled.
///
/// Threads: one that adds, and one that asks. What is added meanwhile may count
///          half, which a mean forgives.
class handler_times {
public:
  void add(duration took) noexcept {
    nanoseconds_.fetch_add(took.count(), std::memory_order_relaxed);
    handlers_.fetch_add(1, std::memory_order_relaxed);
  }

  /// The mean of those that were added since the last question, if any were.
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
