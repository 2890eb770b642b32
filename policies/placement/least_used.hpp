#pragma once

#include "libpool/core/placement.hpp"
#include "libpool/export.hpp"
#include "libpool/policies/placement/worker_heap.hpp"

#include <vector>

namespace libpool {

/// Placement that chooses the worker with the fewest tasks in flight. Among
/// equals, the placement chooses the worker chosen least recently, then the
/// worker that joined first. The policy is also known as least connections or
/// least outstanding requests.
///
/// If tasks get their workers only when a worker is idle (lazy assignment with
/// a window of 1), a task goes to the idle worker that was chosen least
/// recently. With the order `fifo` in addition, the policy is the shared queue.
///
/// Cost: O(log workers) for each assignment and each end of a task.
class LIBPOOL_EXPORT least_used final : public placement {
public:
  void offered(worker& worker, instant now) noexcept override;
  void withdrawn(worker& worker, instant now) noexcept override;
  void assigned(worker& worker, task& task, instant now) noexcept override;
  void unassigned(worker& worker, task& task, instant now) noexcept override;

  /// Returns true: a worker that has just ended a task may continue with the
  /// next one, because then no other worker with room has fewer tasks in
  /// flight.
  bool lets_workers_go_on() const noexcept override {
    return true;
  }

  worker* choose(const task& task, instant now) noexcept override;
  worker* choose_among(const std::vector<worker*>& some, const task& task,
                       instant now) noexcept override;

private:
  [[gnu::noinline]] void sort_in(worker& worker) noexcept;
  void sort_in_again(worker& worker) noexcept;

  /// Workers that may be chosen, sorted by the number of tasks in flight, then
  /// by the time at which each worker was last chosen.
  __extension__ worker_heap<__int128> offered_;
};

} // namespace libpool
