#pragma once

#include "libpool/core/instant.hpp"
#include "libpool/export.hpp"

#include <cstddef>
#include <deque>
#include <optional>

namespace libpool {

/// Limits on the replacement of crashed workers. By default, crashed workers
/// are not replaced.
struct restart_limits {
  /// Maximum number of replacements in any `period`; default: 0. A worker that
  /// crashes when this number is reached is not replaced.
  std::size_t max = 0;
  /// Time span in which replacements are counted; default: 1 minute.
  duration period = std::chrono::minutes{1};
  /// Delay of the first replacement, doubled for each further replacement in
  /// the period, up to `longest_pause`; default: 10 ms.
  duration pause = std::chrono::milliseconds{10};
  /// Maximum delay of a replacement; default: 10 seconds.
  duration longest_pause = std::chrono::seconds{10};
};

/// Whether all limits of `x` and `y` are equal.
inline bool operator==(const restart_limits& x,
                       const restart_limits& y) noexcept {
  return x.max == y.max && x.period == y.period && x.pause == y.pause
         && x.longest_pause == y.longest_pause;
}

/// Decides whether and when a crashed worker is replaced, so that workers that
/// crash repeatedly do not keep the machine busy and do not attract work.
///
/// Source: the restart intensity of supervisors in Erlang/OTP, with the
///         exponential back-off of network clients.
/// Cost:   O(1) amortised; memory for `max` points in time.
class LIBPOOL_EXPORT restarts {
public:
  /// Makes an object without recorded crashes.
  explicit restarts(restart_limits within) : limits_(within) {
    // nop
  }

  /// Records that a worker has crashed at the time `now`. Returns the time at
  /// which to replace the worker; none if the worker is not replaced.
  std::optional<instant> crashed(instant now);

private:
  restart_limits limits_;
  std::deque<instant> recent_;
};

} // namespace libpool
