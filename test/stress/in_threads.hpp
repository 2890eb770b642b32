#pragma once

#include <atomic>
#include <functional>
#include <thread>
#include <vector>

namespace test {

/// Runs `body(number)` in `count` threads at once.
inline void in_threads(unsigned count,
                       const std::function<void(unsigned)>& body) {
  std::atomic<unsigned> ready{0};
  std::vector<std::thread> threads;
  for (auto i = 0U; i < count; ++i)
    threads.emplace_back([&, i] {
      ++ready;
      while (ready < count)
        std::this_thread::yield();
      body(i);
    });
  for (auto& each : threads)
    each.join();
}

} // namespace test
