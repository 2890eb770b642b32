#pragma once

#include "libpool/core/errc.hpp"
#include "libpool/core/flow.hpp"
#include "libpool/core/instant.hpp"
#include "libpool/core/task.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace libpool {

/// Chooses the waiting task that goes next. One of the three customisation
/// points of the dispatcher.
///
/// Threads: one at a time.
class order {
public:
  order() = default;
  order(const order&) = delete;
  order& operator=(const order&) = delete;
  virtual ~order() = default;

  // -- facts ------------------------------------------------------------------

  /// The task waits from now on. A task that has waited before and has come
  /// back keeps its number, and goes to the place that the number gives it.
  virtual void added(task& task, instant now) noexcept = 0;

  /// The task does not wait any more.
  virtual void removed(task& task, instant now) noexcept = 0;

  /// The task does not wait any more, since it goes to a worker. Default:
  /// `removed`.
  virtual void dispatched(task& task, instant now) noexcept {
    removed(task, now);
  }

  /// The task still waits, but must not be chosen, since no worker may run it
  /// for now. Default: `removed`.
  virtual void held(task& task, instant now) noexcept {
    removed(task, now);
  }

  /// The task may be chosen again. Default: `added`.
  virtual void freed(task& task, instant now) noexcept {
    added(task, now);
  }

  /// The task has come back from its worker. The duration is the time that its
  /// handler ran; none if it did not run. This fact and the following ones are
  /// told only if the order `has_flows`.
  virtual void unassigned(task&, std::optional<duration>, instant) noexcept {
    // nop
  }

  /// The task was never accepted.
  virtual void refused(const task&) noexcept {
    // nop
  }

  /// The workers that are well have that many seats from now on, see
  /// `seat_book`.
  virtual void seated(std::size_t, instant) noexcept {
    // nop
  }

  /// The task, which is at a worker, has run for that time, and now stands for
  /// another task of its flow that the order did not know. Told only if
  /// `may_go_on` is above zero.
  virtual void went_on(task&, duration, instant) noexcept {
    // nop
  }

  // -- questions --------------------------------------------------------------

  /// Returns the rank of a task that was just accepted; called once per task.
  /// The higher rank goes first. Tasks that are assigned to a worker are sent
  /// by rank, too. Default: 1 for urgent tasks, 0 for others.
  virtual std::int64_t rank(const task& task) const noexcept {
    return task.urgent ? 1 : 0;
  }

  /// Whether tasks go in the order in which they arrive, apart from urgent
  /// ones. Constant.
  virtual bool is_by_arrival() const noexcept {
    return false;
  }

  /// Returns how long a worker may go on with tasks that the order does not
  /// know. These are the tasks that would be next of all, or next of the flow
  /// of its task. Zero: not at all. Constant. Default: unlimited for an order
  /// by arrival, otherwise zero.
  virtual duration may_go_on() const noexcept {
    return is_by_arrival() ? duration::max() : duration{0};
  }

  /// Whether a task of the flow waits, set aside or not. Called only if the
  /// order `has_flows`.
  virtual bool has_waiting(const flow_key&) const noexcept {
    return false;
  }

  /// Whether the order uses the time, so that the caller has to read a clock.
  virtual bool is_timed() const noexcept {
    return false;
  }

  /// Whether the order goes by flows. If so, tasks take seats: the next task
  /// waits until as many seats are free as it is wide, and starts at once when
  /// it is sent.
  virtual bool has_flows() const noexcept {
    return false;
  }

  /// Whether the order may object to a task. Constant.
  virtual bool has_limits() const noexcept {
    return false;
  }

  /// Returns why the order does not take a task that cannot start at once;
  /// errc{} if it takes the task.
  virtual errc objection(const task&, instant) const noexcept {
    return {};
  }

  /// Returns the statistics of its flows, at most that many, the flows with the
  /// most waiting tasks first. Costs O(flows).
  virtual std::vector<flow_stats> flows(std::size_t) const {
    return {};
  }

  /// Returns the task that goes next, which keeps waiting; nullptr if there is
  /// none.
  virtual task* choose(instant now) noexcept = 0;
};

} // namespace libpool
