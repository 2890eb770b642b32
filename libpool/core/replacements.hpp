#pragma once

#include "libpool/core/instant.hpp"
#include "libpool/core/restarts.hpp"

#include <cstddef>
#include <set>

namespace libpool {

/// The crashed workers that are still to be replaced, and when.
///
/// Cost: O(log n) where n are to be replaced.
class replacements {
public:
  explicit replacements(const restart_limits& within) : restarts_(within) {
    // nop
  }

  /// A worker has crashed: it is replaced if the limits allow it.
  void crashed(instant now) {
    if (auto when = restarts_.crashed(now))
      due_.insert(*when);
  }

  /// Takes out the replacements that are due by now, and returns how many.
  std::size_t take_due(instant now) {
    auto before = due_.size();
    due_.erase(due_.begin(), due_.upper_bound(now));
    return before - due_.size();
  }

  /// Drops one replacement, since one worker less is needed.
  /// @pre not empty
  void drop_one() {
    due_.erase(due_.begin());
  }

  void clear() noexcept {
    due_.clear();
  }

  /// When the next one is due; `never` if there is none.
  instant next() const noexcept {
    return due_.empty() ? never : *due_.begin();
  }

  bool empty() const noexcept {
    return due_.empty();
  }

  std::size_t size() const noexcept {
    return due_.size();
  }

private:
  restarts restarts_;
  std::multiset<instant> due_;
};

} // namespace libpool
