#pragma once

#include "libpool/policies/cost_aware_stealing.hpp"
#include "support/dispatcher_world.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace test {

/// A dispatcher with cost-aware stealing, which binds tasks to their homes.
/// Their costs, and those of their moves, are in milliseconds.
struct cost_aware_world : dispatcher_world {
  explicit cost_aware_world(const libpool::cost_aware_options& options = {},
                            const libpool::limits& within = {})
    : dispatcher_world(composed_of(options), within) {
    // nop
  }

  void join_all(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i)
      join();
  }

  /// A task that is yet to be submitted.
  libpool::task& add(std::size_t home, int cost, int move = 0) {
    auto& result = tasks.emplace_back();
    result.home = libpool::worker_number{home};
    result.estimate = std::chrono::milliseconds{cost};
    result.move = std::chrono::milliseconds{move};
    return result;
  }

  std::string give(std::size_t home, int cost, int move = 0) {
    return submit(add(home, cost, move));
  }

  /// Submits a task that does not say what it costs.
  std::string give_kind(std::size_t home, std::uint64_t kind) {
    auto& task = tasks.emplace_back();
    task.home = libpool::worker_number{home};
    task.kind = kind;
    return submit(task);
  }

  /// Has the worker do tasks of that kind, one by one, at these costs.
  void serve(std::size_t home, std::uint64_t kind,
             const std::vector<int>& costs) {
    for (auto cost : costs) {
      give_kind(home, kind);
      start(tasks.size() - 1);
      pass(cost);
      finish(tasks.size() - 1);
    }
  }

  /// Time goes by, and the dispatcher is not told.
  void pass(int ms) {
    now += std::chrono::milliseconds{ms};
  }

  /// When to tell the time, in milliseconds; -1: never.
  long next_tick() const {
    auto next = pool.next_tick();
    return next == libpool::never
             ? -1
             : static_cast<long>((next - libpool::instant{})
                                 / std::chrono::milliseconds{1});
  }

  libpool::cost_aware_stealing& stealing =
    static_cast<libpool::cost_aware_stealing&>(*policies.stealing);

private:
  static libpool::composition
  composed_of(const libpool::cost_aware_options& options) {
    auto result = composed(libpool::assignment::eager, false);
    result.stealing = std::make_unique<libpool::cost_aware_stealing>(options);
    return result;
  }
};

} // namespace test
