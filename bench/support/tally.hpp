#pragma once

#include "support/stage.hpp"

#include <benchmark/benchmark.h>
#include <caf/all.hpp>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <thread>

namespace bench {

/// Counts tasks; each thread writes on a cache line of its own. Every task that
/// is counted has to be expected.
class tally {
public:
  /// Says that so many tasks are about to be sent.
  void expect(std::uint64_t n) {
    expected_ += n;
  }

  void handled_one() {
    auto& mine = cells_.at(number_of_thread()).handled;
    auto n = mine.load(std::memory_order_relaxed);
    mine.store(n + 1, std::memory_order_relaxed);
  }

  /// Waits until all are handled that are expected now.
  void wait() const {
    for (auto goal = expected_.load(); handled() < goal;)
      std::this_thread::sleep_for(std::chrono::microseconds{20});
  }

private:
  struct alignas(64) cell {
    std::atomic<std::uint64_t> handled{0};
  };

  static std::size_t number_of_thread() {
    static std::atomic<std::size_t> next{0};
    static thread_local const std::size_t mine = next++;
    return mine;
  }

  std::uint64_t handled() const {
    std::uint64_t result = 0;
    for (auto& each : cells_)
      result += each.handled.load(std::memory_order_relaxed);
    return result;
  }

  std::array<cell, 16> cells_;
  alignas(64) std::atomic<std::uint64_t> expected_{0};
};

/// Counts its messages and gives them back.
class echo final : public caf::event_based_actor {
public:
  echo(caf::actor_config& cfg, tally& count)
    : caf::event_based_actor(cfg), count_(count) {
    // nop
  }

  caf::behavior make_behavior() override {
    return {
      [this](int x) {
        count_.handled_one();
        return x;
      },
    };
  }

private:
  tally& count_;
};

inline actors make_echoes(caf::actor_system& system, std::size_t n,
                          tally& count) {
  actors result;
  for (std::size_t i = 0; i < n; ++i)
    result.push_back(system.spawn<echo>(count));
  return result;
}

/// Sends batches and waits until each is handled.
template <class Send>
std::function<void(benchmark::State&)> handling(tally& count, Send send) {
  return [&count, send](benchmark::State& state) {
    constexpr std::uint64_t batch = 20000;
    // NOLINTNEXTLINE(performance-unnecessary-copy-initialization): it has state
    auto mine = send;
    while (state.KeepRunningBatch(batch)) {
      count.expect(batch);
      for (std::uint64_t i = 0; i < batch; ++i)
        mine();
      count.wait();
    }
  };
}

} // namespace bench
