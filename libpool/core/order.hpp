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

/// Part of a policy that chooses the waiting task that goes next. One of the
/// three customisation points of the dispatcher.
///
/// Threads: one at a time.
class order {
public:
  order() = default;
  order(const order&) = delete;
  order& operator=(const order&) = delete;
  virtual ~order() = default;

  // -- facts ------------------------------------------------------------------

  /// Called when the task begins to wait. A task that has come back from a
  /// worker keeps its number, and so its place in the order.
  virtual void added(task& task, instant now) noexcept = 0;

  /// Called when the task does not wait any more.
  virtual void removed(task& task, instant now) noexcept = 0;

  /// Called when the task does not wait any more because it goes to a worker.
  /// Default: calls `removed`.
  virtual void dispatched(task& task, instant now) noexcept {
    removed(task, now);
  }

  /// Called when the task must not be chosen until `freed`, because no worker
  /// can take the task now. The task still waits. Default: calls `removed`.
  virtual void held(task& task, instant now) noexcept {
    removed(task, now);
  }

  /// Called when a held task may be chosen again. Default: calls `added`.
  virtual void freed(task& task, instant now) noexcept {
    added(task, now);
  }

  /// Called when the task has come back from its worker. The duration is the
  /// time that the handler ran; none if the handler did not run. Called only if
  /// the order `has_flows`.
  virtual void unassigned(task&, std::optional<duration>, instant) noexcept {
    // nop
  }

  /// Called when a new task was refused, so that the order will not get the
  /// task. Called only if the order `has_flows`.
  virtual void refused(const task&) noexcept {
    // nop
  }

  /// Called when the number of seats of the pool has changed to the given
  /// number. Only seats of workers that are well count, see `seat_book`. Called
  /// only if the order `has_flows`.
  virtual void seated(std::size_t, instant) noexcept {
    // nop
  }

  /// Called when a worker has ended one task of a lease and continues with the
  /// next task. The duration is the time that the handler ran. From then on,
  /// the task object stands for the next task of the flow, which was not known
  /// to the order. Called only if the order `has_flows` and `may_go_on` is
  /// above zero.
  virtual void went_on(task&, duration, instant) noexcept {
    // nop
  }

  // -- questions --------------------------------------------------------------

  /// Returns the rank of an accepted task; the task with the higher rank goes
  /// first. Called once per task. Tasks that are assigned to a worker are also
  /// sent by rank. Default: 1 for urgent tasks, 0 for others.
  virtual std::int64_t rank(const task& task) const noexcept {
    return task.urgent ? 1 : 0;
  }

  /// Whether tasks are sent in the order in which they arrive, except that
  /// urgent tasks are sent first. Constant.
  virtual bool is_by_arrival() const noexcept {
    return false;
  }

  /// Returns the maximum duration of a lease; zero: leases are not permitted. A
  /// lease is one task, followed by messages that are unknown to the order: the
  /// next ones of all waiting messages, or of the flow of the task. Constant.
  /// Default: unlimited for an order by arrival, otherwise zero.
  virtual duration may_go_on() const noexcept {
    return is_by_arrival() ? duration::max() : duration{0};
  }

  /// Whether the flow has waiting tasks, including held ones. The default
  /// returns false, for orders that ignore flows.
  virtual bool has_waiting(const flow_key&) const noexcept {
    return false;
  }

  /// Whether the order uses the time, so that the caller has to read a clock.
  virtual bool is_timed() const noexcept {
    return false;
  }

  /// Whether the order uses flows. If so, tasks take seats: the next task waits
  /// until the number of free seats is at least its width, and starts as soon
  /// as it is sent.
  virtual bool has_flows() const noexcept {
    return false;
  }

  /// Whether `objection` may return a reason to refuse a task. Constant.
  virtual bool has_limits() const noexcept {
    return false;
  }

  /// Returns the reason why the order does not accept a task that cannot start
  /// at once; errc{} if the order accepts the task.
  virtual errc objection(const task&, instant) const noexcept {
    return {};
  }

  /// Returns the statistics of at most the given number of flows, the flows
  /// with the most waiting tasks first.
  ///
  /// Cost: O(flows).
  virtual std::vector<flow_stats> flows(std::size_t) const {
    return {};
  }

  /// Returns the task that goes next, and leaves the task waiting; nullptr if
  /// no task can go.
  virtual task* choose(instant now) noexcept = 0;
};

} // namespace libpool
