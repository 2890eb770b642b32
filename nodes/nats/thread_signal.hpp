#pragma once

#include "libpool/core/instant.hpp"

#include <condition_variable>
#include <mutex>

namespace libpool {

/// Tells a thread that there is something to do, or that it must end.
///
/// Threads: any.
class thread_signal {
public:
  /// Ends the current or the next wait.
  void wake() {
    std::lock_guard guard{mutex_};
    is_awake_ = true;
    changed_.notify_all();
  }

  void stop() {
    std::lock_guard guard{mutex_};
    is_over_ = true;
    changed_.notify_all();
  }

  bool is_over() const {
    std::lock_guard guard{mutex_};
    return is_over_;
  }

  /// Waits for a call of `wake` or `stop`, for at most the time `most`.
  void wait(duration most) {
    std::unique_lock guard{mutex_};
    changed_.wait_for(guard, most, [this] { return is_over_ || is_awake_; });
    is_awake_ = false;
  }

  /// Waits for `stop`, for at most the time `most`. Returns `is_over`.
  bool pause(duration most) {
    std::unique_lock guard{mutex_};
    return changed_.wait_for(guard, most, [this] { return is_over_; });
  }

private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool is_awake_ = false;
  bool is_over_ = false;
};

} // namespace libpool
