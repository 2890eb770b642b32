#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace libpool::live {

/// Threads of a server, one for each connection. They are made when they are
/// needed, up to a maximum. Further connections wait, a few of them here and
/// others in the system, where they do not count as open files of the process.
class connection_threads {
public:
  explicit connection_threads(std::size_t most) : most_(most) {
    // nop
  }

  /// Adds a connection. Waits while too many connections wait.
  void enqueue(std::function<void()> connection);

  /// Makes `enqueue` return immediately from now on.
  void end();

  /// Waits for the end of all connections.
  void shutdown();

private:
  void run();
  void make_thread();

  const std::size_t most_;
  std::mutex mutex_;
  std::condition_variable came_;
  std::condition_variable went_;
  std::deque<std::function<void()>> waiting_;
  std::vector<std::thread> threads_;
  std::size_t idle_ = 0;
  bool is_over_ = false;
};

} // namespace libpool::live
