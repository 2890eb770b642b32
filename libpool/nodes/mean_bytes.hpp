#pragma once

#include <cstddef>
#include <cstdint>

namespace libpool {

/// How many bytes the content of a task has, on average.
class mean_bytes {
public:
  void add(std::size_t tasks, std::size_t bytes) noexcept {
    tasks_ += tasks;
    bytes_ += bytes;
  }

  /// 0 if there was no task.
  double value() const noexcept {
    return tasks_ == 0
             ? 0.0
             : static_cast<double>(bytes_) / static_cast<double>(tasks_);
  }

private:
  std::uint64_t tasks_ = 0;
  std::uint64_t bytes_ = 0;
};

} // namespace libpool
