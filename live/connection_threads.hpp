#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace libpool::live {

/// The threads of a server, one for each connection: made when they are needed,
/// up to so many. Further connections wait, a few here and others in the
/// system, which does not count them among the files of the process.
class connection_threads {
public:
  explicit connection_threads(std::size_t most) : most_(most) {
    // nop
  }

  /// Waits while too many wait already.
  void enqueue(std::function<void()> connection);

  /// From here on `enqueue` does not wait.
  void end();

  /// Waits for all connections.
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
