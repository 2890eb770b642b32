#pragma once

#include "results.hpp"

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace hash_tree {

/// Turns Ctrl-C into a request to stop, and sees to it that the program does.
///
/// Construct it before any other thread, so that all of them leave the signal
/// to this one's. That one sets `stop`; if the object is still there 0.7 s
/// later, a thread is stuck, in a read from a dead server, say, or in a write
/// to a pager that does not read: then it prints the message and ends the
/// process with `exit_code` on the spot.
class interrupt_guard {
public:
  static constexpr int exit_code = 130; // 128 + SIGINT, as shells have it

  interrupt_guard(std::atomic<bool>& stop,
                  std::function<std::string()> message);

  interrupt_guard(const interrupt_guard&) = delete;
  interrupt_guard& operator=(const interrupt_guard&) = delete;

  ~interrupt_guard();

  /// Whether Ctrl-C was pressed.
  bool interrupted() const {
    return interrupted_;
  }

private:
  void watch();
  void end_process();

  std::atomic<bool>& stop_;
  std::function<std::string()> message_;
  std::atomic<bool> interrupted_{false};
  std::atomic<bool> over_{false};
  std::mutex mutex_;
  std::condition_variable wake_;
  std::thread watching_;
};

} // namespace hash_tree
