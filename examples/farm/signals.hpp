#pragma once

#include <atomic>
#include <thread>

namespace farm {

/// Takes SIGINT and SIGTERM: the first one asks the program to end, the second
/// one ends the process on the spot.
///
/// Construct it before any other thread, so that all of them leave the signals
/// to this one's.
class signals {
public:
  /// Sets `stop` with the first signal.
  explicit signals(std::atomic<bool>& stop);

  signals(const signals&) = delete;
  signals& operator=(const signals&) = delete;

  ~signals();

  /// Whether one has come.
  bool came() const noexcept {
    return first_ != 0;
  }

  /// The exit code of a process that was ended by the first signal, as shells
  /// have it.
  int exit_code() const noexcept {
    return 128 + first_;
  }

private:
  void watch();

  std::atomic<bool>& stop_;
  std::atomic<int> first_{0};
  std::atomic<bool> over_{false};
  std::thread watching_;
};

} // namespace farm
