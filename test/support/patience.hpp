#pragma once

#include <chrono>
#include <thread>

namespace test {

/// Maximum time that tests wait for an event that always comes. A test that
/// hangs ends by it; no other test depends on it, however loaded the machine.
constexpr std::chrono::minutes patience{5};

/// Waits until the condition holds. Returns false if it does not within
/// `patience`.
template <class Condition>
bool comes_true(Condition condition) {
  auto end = std::chrono::steady_clock::now() + patience;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end)
      return false;
    std::this_thread::yield();
  }
  return true;
}

} // namespace test
