#pragma once

#include "libpool/core/errc.hpp"
#include "libpool/core/flow.hpp"
#include "libpool/core/instant.hpp"
#include "libpool/core/task.hpp"
#include "libpool/export.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace libpool {

/// Part of a policy that chooses which of the waiting tasks goes to a worker
/// next. One of the three customisation points of the dispatcher, besides
/// `placement` and `stealing`.
///
/// Threads: one at a time.
class LIBPOOL_EXPORT order {
public:
  order() = default;
  order(const order&) = delete;
  order& operator=(const order&) = delete;
  virtual ~order() = default;

  // -- facts ------------------------------------------------------------------

  /// Called when the task begins to wait: after its acceptance, or when it has
  /// come back from a worker. A task that has come back keeps its number, and
  /// so its place among the waiting tasks.
  virtual void added(task& task, instant now) noexcept = 0;

  /// Called when the task does not wait any more, for example because it was
  /// cancelled.
  virtual void removed(task& task, instant now) noexcept = 0;

  /// Called when the task does not wait any more, because it goes to a worker.
  /// Default: calls `removed`.
  virtual void dispatched(task& task, instant now) noexcept {
    removed(task, now);
  }

  /// Called when `choose` must not return the task until `freed` is called,
  /// because no worker can take the task now. The task still waits. Default:
  /// calls `removed`.
  virtual void held(task& task, instant now) noexcept {
    removed(task, now);
  }

  /// Called when `choose` may return a task again for which `held` was called.
  /// Default: calls `added`.
  virtual void freed(task& task, instant now) noexcept {
    added(task, now);
  }

  /// Called in place of `freed` when the flow of the task had reached its
  /// limits or was paused, and may have a task at a worker again. Default:
  /// calls `freed`.
  virtual void unparked(task& task, instant now) noexcept {
    freed(task, now);
  }

  /// Called before `unassigned` when the handler of the task has run and the
  /// task is not tried again. Called only if `has_flows()` is true.
  virtual void served(const task&) noexcept {
    // nop
  }

  /// Called when the task has left its worker, because it has ended or came
  /// back. The duration is the time that the handler ran; none if the handler
  /// did not run. Called only if `has_flows()` is true.
  virtual void unassigned(task&, std::optional<duration>, instant) noexcept {
    // nop
  }

  /// Called when a new task was refused, so that `added` will not be called for
  /// it. Called only if `has_flows()` is true.
  virtual void refused(const task&) noexcept {
    // nop
  }

  /// Called when the number of seats (places for tasks) of all workers that can
  /// get tasks has changed to the given number. Workers that leave, run a task
  /// past its deadline, or get no tasks for some time after a crash do not
  /// count. Called only if `has_flows()` is true.
  virtual void seated(std::size_t, instant) noexcept {
    // nop
  }

  /// Replaces the shares of flows, by their names; flows without an entry get
  /// the share 1. Returns false, without an effect, if the order has no shares.
  /// Default: returns false.
  virtual bool set_shares(const std::map<std::string, double>&) {
    return false;
  }

  /// Sets the waiting time that raises the priority of tasks by one level, for
  /// tasks that are accepted from now on. Returns false, without an effect, if
  /// the order does not raise priorities. Default: returns false.
  virtual bool set_age_step(duration) noexcept {
    return false;
  }

  // -- questions --------------------------------------------------------------

  /// Returns the rank of a task that was just accepted; a task with a higher
  /// rank goes before others. Called once per task. The tasks that are assigned
  /// to one worker are also sent by rank. Default: 1 for urgent tasks, 0 for
  /// others.
  virtual std::int64_t rank(const task& task) const noexcept {
    return task.urgent ? 1 : 0;
  }

  /// Whether tasks are sent in the order in which they arrive, except that
  /// urgent tasks are sent first. Constant.
  virtual bool is_by_arrival() const noexcept {
    return false;
  }

  /// Whether the order uses the time, so that the caller has to read a clock.
  virtual bool is_timed() const noexcept {
    return false;
  }

  /// Whether the order divides the pool among flows, such as tenants. If so,
  /// tasks take seats (places at workers): the next task waits until the number
  /// of free seats is at least its width, and starts as soon as it is sent. A
  /// task that is sent together with an earlier one (`task::follows`) takes the
  /// seats of the earlier task when that has ended.
  virtual bool has_flows() const noexcept {
    return false;
  }

  /// Whether the order may refuse new tasks, by a result of `objection`.
  /// Constant.
  virtual bool has_limits() const noexcept {
    return false;
  }

  /// Returns the reason why a new task that cannot start at once must be
  /// refused; errc{} if the order accepts the task. Default: errc{}.
  virtual errc objection(const task&, instant) const noexcept {
    return {};
  }

  /// Returns the waiting tasks of the flow of a refused task, and the flows
  /// that share the workers with it. Default: unknown, which is 0 tasks.
  virtual flow_line line_for(const task&) const noexcept {
    return {};
  }

  /// Returns the statistics of the flows with the most waiting tasks, the
  /// longest queue first. `most`: maximum number of flows.
  std::vector<flow_stats> flows(std::size_t most) const {
    return longest_flows(most, {});
  }

  /// Returns the statistics of the flows with the most waiting tasks, the
  /// longest queue first; at most the given number of flows. The statistics are
  /// completed with those of the supplement before flows are compared. Default:
  /// none.
  ///
  /// Cost: as if there were at most `most_compared_flows` flows.
  virtual std::vector<flow_stats> longest_flows(std::size_t,
                                                const flow_supplement&) const {
    return {};
  }

  /// Returns the waiting task that should go to a worker next; nullptr if no
  /// task can go. The task still waits until `dispatched` or `removed` is
  /// called.
  virtual task* choose(instant now) noexcept = 0;

  /// Returns the newest waiting task with the rank of `next`, which is the
  /// result of `choose`. If the order has flows, only tasks of the flow of
  /// `next` count. The result can be `next` itself. Default: `next`.
  virtual task* newest(task& next) noexcept {
    return &next;
  }
};

} // namespace libpool
