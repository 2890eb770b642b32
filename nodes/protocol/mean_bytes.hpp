#pragma once

#include <cmath>
#include <cstddef>

namespace libpool {

/// Exponential moving mean of the content sizes of tasks, in bytes. The latest
/// task has a weight of one twentieth, so that the mean follows recent tasks.
/// After the first task, the mean is the size of its content.
class mean_bytes {
public:
  /// Adds `tasks` tasks with `bytes` bytes in total.
  void add(std::size_t tasks, std::size_t bytes) noexcept {
    if (tasks == 0)
      return;
    auto each = static_cast<double>(bytes) / static_cast<double>(tasks);
    auto before = empty_ ? 0.0 : std::pow(1 - weight, tasks);
    mean_ = each + before * (mean_ - each);
    empty_ = false;
  }

  /// Mean size; 0 before the first task.
  double value() const noexcept {
    return mean_;
  }

private:
  static constexpr auto weight = 0.05;

  double mean_ = 0;
  bool empty_ = true;
};

} // namespace libpool
