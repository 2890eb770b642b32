#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <thread>

namespace console {

/// Takes SIGINT and SIGTERM: the first one asks the program to end, the second
/// one ends the process on the spot.
///
/// Construct it before any other thread, so that all of them leave the signals
/// to the thread of this object.
class signals {
public:
  /// Returns the message of a process that is ended on the spot.
  using last_words = std::function<std::string()>;

  /// Sets `stop` with the first signal.
  explicit signals(std::atomic<bool>& stop);

  /// Sets `stop` with the first signal. If this object is still there 0.7 s
  /// later, a thread is stuck, in a read from a dead server, say, or in a write
  /// to a pager that does not read: that ends the process, too.
  signals(std::atomic<bool>& stop, last_words words);

  signals(const signals&) = delete;
  signals& operator=(const signals&) = delete;

  ~signals();

  /// Whether a signal has come.
  bool came() const noexcept {
    return first_ != 0;
  }

  /// The exit code of a process that was ended by the first signal, as shells
  /// have it: 130 after Ctrl-C.
  int exit_code() const noexcept {
    return 128 + first_;
  }

private:
  void watch();
  [[noreturn]] void end_process(int code) const;

  std::atomic<bool>& stop_;
  const last_words words_;
  std::atomic<int> first_{0};
  std::atomic<bool> over_{false};
  std::thread watching_;
};

} // namespace console
