#pragma once

#include "libpool/sync/shared_spinlock.hpp"

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

namespace test {

/// A thread that runs the calls of the test, one after the other. It holds its
/// locks until it is told to let go.
class other_thread {
public:
  other_thread() = default;

  other_thread(const other_thread&) = delete;
  other_thread& operator=(const other_thread&) = delete;

  ~other_thread() {
    starts(nullptr);
    thread_.join();
  }

  /// Returns at once.
  void starts(std::function<void()> call) {
    {
      std::lock_guard<std::mutex> guard{mutex_};
      tasks_.push_back(std::move(call));
      ++open_;
    }
    changed_.notify_all();
  }

  /// Returns when all is done.
  void finishes() {
    std::unique_lock<std::mutex> guard{mutex_};
    changed_.wait(guard, [this] { return open_ == 0; });
  }

  void does(std::function<void()> call) {
    starts(std::move(call));
    finishes();
  }

  /// Returns the result of `question()` in that thread.
  template <class F>
  bool says(F question) {
    auto answer = false;
    does([&] { answer = question(); });
    return answer;
  }

private:
  void run() {
    while (auto task = next()) {
      task();
      task = nullptr;
      std::lock_guard<std::mutex> guard{mutex_};
      --open_;
      changed_.notify_all();
    }
  }

  std::function<void()> next() {
    std::unique_lock<std::mutex> guard{mutex_};
    changed_.wait(guard, [this] { return !tasks_.empty(); });
    auto result = std::move(tasks_.front());
    tasks_.pop_front();
    return result;
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> tasks_;
  int open_ = 0;
  std::thread thread_{[this] { run(); }};
};

// -- the lock as a thread sees it that holds none -----------------------------

inline bool can_read(libpool::shared_spinlock& lock) {
  if (!lock.try_lock_shared())
    return false;
  lock.unlock_shared();
  return true;
}

inline bool can_reserve(libpool::shared_spinlock& lock) {
  if (!lock.try_lock_upgrade())
    return false;
  lock.unlock_upgrade();
  return true;
}

inline bool can_write(libpool::shared_spinlock& lock) {
  if (!lock.try_lock())
    return false;
  lock.unlock();
  return true;
}

/// Returns once a writer waits for the readers of `lock`, or is in.
/// @pre the calling thread holds no lock
inline void await_writer(libpool::shared_spinlock& lock) {
  while (can_read(lock))
    std::this_thread::yield();
}

} // namespace test
