#pragma once

#include "libpool/core/placement.hpp"
#include "libpool/policies/worker_heap.hpp"

#include <vector>

namespace libpool {

/// The worker with the fewest tasks in flight; of several, the one that was
/// chosen least recently, then the one that joined first. Known as least
/// connections or least outstanding requests.
///
/// Bound late and with a window of one, it gives a task to the idle worker that
/// got its last one longest ago: with fifo, the shared queue.
///
/// Cost: O(log workers) per choice and per end.
class least_used final : public placement {
public:
  void offered(worker& worker, instant now) noexcept override;
  void withdrawn(worker& worker, instant now) noexcept override;
  void assigned(worker& worker, task& task, instant now) noexcept override;
  void unassigned(worker& worker, task& task, instant now) noexcept override;
  /// Where tasks are bound late, who has ended one has the fewest.
  bool lets_workers_go_on() const noexcept override {
    return true;
  }

  worker* choose(const task& task, instant now) noexcept override;
  worker* choose_among(const std::vector<worker*>& some, const task& task,
                       instant now) noexcept override;

private:
  void sort_in(worker& worker) noexcept;
  void sort_in_again(worker& worker) noexcept;

  /// By how many tasks they have in flight, and when they were chosen.
  __extension__ worker_heap<__int128> offered_;
};

} // namespace libpool
