#pragma once

#include "libpool/core/instant.hpp"

#include <condition_variable>
#include <mutex>

namespace libpool::live {

/// Tells waiting threads to end.
class end_signal {
public:
  /// Waits until `moment`. Returns true as soon as `give` was called.
  bool comes_until(instant moment) {
    std::unique_lock guard{mutex_};
    return came_.wait_until(guard, moment, [this] { return is_over_; });
  }

  void give() {
    std::lock_guard guard{mutex_};
    is_over_ = true;
    came_.notify_all();
  }

private:
  std::mutex mutex_;
  std::condition_variable came_;
  bool is_over_ = false;
};

} // namespace libpool::live
