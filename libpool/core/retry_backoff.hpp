#pragma once

#include "libpool/core/instant.hpp"
#include "libpool/core/splitmix64.hpp"
#include "libpool/export.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace libpool {

/// Waiting times before retries, which grow exponentially. The time before
/// retry n is drawn between 0 and min(`most`, `first` · `factor`^(n - 1)), so
/// that tasks that failed together are not retried together ("full jitter").
///
/// Source: M. Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog
///         (2015).
struct LIBPOOL_EXPORT retry_backoff {
  /// Longest time before the first retry, at least 0; default: 10 ms.
  duration first = std::chrono::milliseconds{10};
  /// Factor by which the longest time grows from retry to retry, at least 1;
  /// default: 2.
  double factor = 2;
  /// Longest time before any retry, at least `first`; default: 1 s.
  duration most = std::chrono::seconds{1};
  /// Maximum number of retries of a task whose handler has answered with an
  /// error, at least 1; default: 3.
  unsigned times = 3;

  /// Returns the longest time before retry `n`, counted from 1.
  duration longest_before(unsigned n) const noexcept;

  /// Draws the time before retry `n`, counted from 1.
  duration draw_before(unsigned n, splitmix64& splitmix64) const noexcept {
    auto bound = static_cast<std::size_t>(longest_before(n).count());
    return duration{static_cast<duration::rep>(splitmix64.below(bound + 1))};
  }
};

} // namespace libpool
