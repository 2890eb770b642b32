#pragma once

#include <cstddef>
#include <memory>
#include <mutex>

namespace libpool::live {

/// How many have the page open.
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

  /// A seat, to be kept while one looks; nullptr if all are taken. They end
  /// before this object.
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
