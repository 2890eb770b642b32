#pragma once

#include "libpool/core/instant.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <utility>

namespace libpool {

/// Which of the tasks that have run for long are told: at most one in a second.
class slow_tasks {
public:
  /// None without a time.
  explicit slow_tasks(std::optional<duration> after) noexcept : after_(after) {
    // nop
  }

  bool are_told() const noexcept {
    return after_.has_value();
  }

  /// A task has run for so long until now. Returns how many others were not
  /// told since the last one, if it is to be told.
  std::optional<std::uint64_t> ran(duration service, instant now) noexcept {
    if (!after_ || service < *after_)
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
