#pragma once

#include <cmath>
#include <cstddef>

namespace libpool {

/// How many bytes the contents of the latest tasks have, on average: each task
/// counts a twentieth, all before it the rest, so that what comes now tells how
/// it travels best, whatever came before. The first one counts whole.
class mean_bytes {
public:
  /// So many tasks, which have so many bytes together.
  void add(std::size_t tasks, std::size_t bytes) noexcept {
    if (tasks == 0)
      return;
    auto each = static_cast<double>(bytes) / static_cast<double>(tasks);
    auto before = empty_ ? 0.0 : std::pow(1 - weight, tasks);
    mean_ = each + before * (mean_ - each);
    empty_ = false;
  }

  /// 0 if there was no task.
  double value() const noexcept {
    return mean_;
  }

private:
  static constexpr auto weight = 0.05;

  double mean_ = 0;
  bool empty_ = true;
};

} // namespace libpool
