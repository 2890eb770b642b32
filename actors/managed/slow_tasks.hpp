#pragma once

#include "libpool/core/instant.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <utility>

namespace libpool {

/// Selects the slow tasks that are reported: at most one in a second.
class slow_tasks {
public:
  /// Tasks that ran for at least `after` are slow; unset: no task is.
  explicit slow_tasks(std::optional<duration> after) noexcept : after_(after) {
    // nop
  }

  bool are_told() const noexcept {
    return after_.has_value();
  }

  /// Whether a task that ran for `service` is slow.
  bool is_slow(duration service) const noexcept {
    return after_ && service >= *after_;
  }

  /// Notes that a task ran for `service`. If it is to be reported, returns the
  /// number of slow tasks that were not reported since the last report.
  std::optional<std::uint64_t> ran(duration service, instant now) noexcept {
    if (!is_slow(service))
      return std::nullopt;
    if (now < next_) {
      ++untold_;
      return std::nullopt;
    }
    next_ = later(now, pause);
    return std::exchange(untold_, 0);
  }

private:
  static constexpr duration pause = std::chrono::seconds{1};

  const std::optional<duration> after_;
  instant next_ = instant::min();
  std::uint64_t untold_ = 0;
};

} // namespace libpool
