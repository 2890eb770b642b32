#pragma once

#include "support/patience.hpp"

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <optional>

namespace products {

/// Lets threads of workers run one at a time, when the test says so and while
/// it does nothing itself: so threads add no interleaving that is not drawn.
class baton {
public:
  /// Returns when it is the turn of worker `number`. Called in its thread.
  void take(std::size_t number) {
    std::unique_lock<std::mutex> guard{mutex_};
    changed_.wait(guard, [&] { return lent_to_ == number && !is_taken_; });
    is_taken_ = true;
  }

  void give_back() {
    std::lock_guard<std::mutex> guard{mutex_};
    is_taken_ = false;
    lent_to_ = std::nullopt;
    changed_.notify_all();
  }

  /// Lets worker `number` run until it gives the baton back, or until `rests()`
  /// says that it wants to do nothing. Returns false if it does neither for
  /// long. Called by the test.
  template <class F>
  bool lend(std::size_t number, F rests) {
    constexpr std::chrono::microseconds between_looks{50}; // at who rests
    auto end = std::chrono::steady_clock::now() + test::patience;
    std::unique_lock<std::mutex> guard{mutex_};
    lent_to_ = number;
    changed_.notify_all();
    while (std::chrono::steady_clock::now() < end) {
      if (!is_taken_ && rests())
        lent_to_ = std::nullopt;
      if (changed_.wait_for(guard, between_looks, [&] { return !lent_to_; }))
        return true;
    }
    return false;
  }

private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<std::size_t> lent_to_;
  bool is_taken_ = false;
};

/// Held from here to the end of the scope.
class turn {
public:
  turn(baton& of, std::size_t number) : of_(of) {
    of_.take(number);
  }

  turn(const turn&) = delete;
  turn& operator=(const turn&) = delete;

  ~turn() {
    of_.give_back();
  }

private:
  baton& of_;
};

} // namespace products
