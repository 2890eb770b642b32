#pragma once

#include "libpool/core/order.hpp"

namespace libpool {

/// First come, first served; urgent tasks before all others. A task that comes
/// back from a worker goes where its number belongs.
///
/// Cost: O(1) for a new task, O(log tasks) for one that has come back.
class fifo final : public order {
public:
  void added(task& task, instant now) noexcept override;
  void removed(task& task, instant now) noexcept override;
  task* choose(instant now) noexcept override;

  bool is_by_arrival() const noexcept override {
    return true;
  }

private:
  task_list& fresh(const task& task) noexcept {
    return task.urgent ? urgent_ : normal_;
  }

  // Both in the order of their numbers, since these are given in that order.
  task_list urgent_;
  task_list normal_;
  task_set returned_;
};

} // namespace libpool
