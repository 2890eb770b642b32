#pragma once

#include "libpool/core/instant.hpp"
#include "libpool/core/restarts.hpp"

#include <cstddef>
#include <set>

namespace libpool {

/// Replacements of crashed workers that are still to be made, by the times at
/// which they are due.
///
/// Cost: O(log n) for n pending replacements.
class replacements {
public:
  /// Makes an object without pending replacements. `within`: limits on the
  /// number and the delay of replacements.
  explicit replacements(const restart_limits& within) : restarts_(within) {
    // nop
  }

  /// Adds a replacement for a worker that has crashed at the time `now`, unless
  /// the maximum number of replacements is reached.
  void crashed(instant now) {
    if (auto when = restarts_.crashed(now))
      due_.insert(*when);
  }

  /// Removes the replacements that are due at the time `now` or earlier, which
  /// the caller then makes, and returns their number.
  std::size_t take_due(instant now) {
    auto before = due_.size();
    due_.erase(due_.begin(), due_.upper_bound(now));
    return before - due_.size();
  }

  /// Removes the earliest replacement, because one worker fewer is needed.
  /// @pre !empty()
  void drop_one() {
    due_.erase(due_.begin());
  }

  /// Removes all pending replacements.
  void clear() noexcept {
    due_.clear();
  }

  /// Returns the time at which the next replacement is due; `never` if none is
  /// pending.
  instant next() const noexcept {
    return due_.empty() ? never : *due_.begin();
  }

  /// Whether no replacement is pending.
  bool empty() const noexcept {
    return due_.empty();
  }

  /// Returns the number of pending replacements.
  std::size_t size() const noexcept {
    return due_.size();
  }

private:
  restarts restarts_;
  std::multiset<instant> due_;
};

} // namespace libpool
