#pragma once

#include "libpool/policies/fair_queuing.hpp"
#include "libpool/policies/make_fair_queuing.hpp"
#include "support/dispatcher_world.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>

namespace test {

/// fair_queuing and least_used.
inline libpool::composition
by_flows(const libpool::fair_queuing_options& options) {
  auto result = composed(libpool::assignment::lazy, false);
  result.order = libpool::make_fair_queuing(options);
  return result;
}

/// A dispatcher whose tasks take seats.
struct seated_world : dispatcher_world {
  explicit seated_world(const libpool::limits& within = {},
                        const libpool::fair_queuing_options& options = {})
    : dispatcher_world(by_flows(options), within) {
    // nop
  }

  explicit seated_world(libpool::composition how)
    : dispatcher_world(std::move(how)) {
    // nop
  }

  /// How many of the tasks wait for particular workers, not to be chosen.
  std::size_t held() const {
    return static_cast<std::size_t>(
      std::count_if(tasks.begin(), tasks.end(),
                    [](const libpool::task& task) { return task.held; }));
  }

  /// A task begins, and does not end when its deadline passes.
  void hang(std::size_t width) {
    auto& task = add();
    task.width = width;
    task.deadline = now + std::chrono::milliseconds{1};
    submit(task);
    start(tasks.size() - 1);
    now = task.deadline;
    pool.ticked(now);
    text_of_decisions();
  }
};

} // namespace test
