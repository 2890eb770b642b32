#include "libpool/live/connection_threads.hpp"

#include <system_error>
#include <utility>

namespace libpool::live {

void connection_threads::enqueue(std::function<void()> connection) {
  constexpr std::size_t most_waiting = 32;
  std::unique_lock guard{mutex_};
  waiting_.push_back(std::move(connection));
  if (waiting_.size() > idle_ && threads_.size() < most_)
    make_thread();
  came_.notify_one();
  went_.wait(guard,
             [this] { return is_over_ || waiting_.size() < most_waiting; });
}

/// Where the system has no thread left, connections wait longer.
void connection_threads::make_thread() {
  try {
    threads_.emplace_back([this] { run(); });
  } catch (const std::system_error&) {
    // Tried again with the next connection.
  }
}

void connection_threads::end() {
  std::lock_guard guard{mutex_};
  is_over_ = true;
  came_.notify_all();
  went_.notify_all();
}

void connection_threads::shutdown() {
  end();
  for (auto& each : threads_)
    each.join();
}

void connection_threads::run() {
  std::unique_lock guard{mutex_};
  for (;;) {
    ++idle_;
    came_.wait(guard, [this] { return is_over_ || !waiting_.empty(); });
    --idle_;
    if (waiting_.empty())
      return;
    auto connection = std::move(waiting_.front());
    waiting_.pop_front();
    went_.notify_one();
    guard.unlock();
    connection();
    guard.lock();
  }
}

} // namespace libpool::live
