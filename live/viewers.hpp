#pragma once

#include <cstddef>
#include <memory>
#include <mutex>

namespace libpool::live {

/// Counts the viewers that have the page open.
///
/// Threads: any.
class viewers {
public:
  explicit viewers(std::size_t most) : most_(most) {
    // nop
  }

  std::size_t most() const noexcept {
    return most_;
  }

  /// Returns a seat, to be kept while the viewer has the page open; nullptr if
  /// all seats are taken. Seats must end before this object.
  std::shared_ptr<void> seat() {
    std::lock_guard guard{mutex_};
    if (taken_ == most_)
      return nullptr;
    ++taken_;
    return {this, [](viewers* of) { of->leave(); }};
  }

private:
  void leave() {
    std::lock_guard guard{mutex_};
    --taken_;
  }

  const std::size_t most_;
  std::mutex mutex_;
  std::size_t taken_ = 0;
};

} // namespace libpool::live
