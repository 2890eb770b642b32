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

/// Which waiting task goes next? One of the three seams of the dispatcher.
///
/// Threads: one at a time.
class order {
public:
  order() = default;
  order(const order&) = delete;
  order& operator=(const order&) = delete;
  virtual ~order() = default;

  // -- facts ------------------------------------------------------------------

  /// Waits from now on. One that waited before, and has come back, has kept its
  /// number and goes where that belongs.
  virtual void added(task& task, instant now) noexcept = 0;

  /// Waits no more.
  virtual void removed(task& task, instant now) noexcept = 0;

  /// Waits no more, since it goes to a worker.
  virtual void dispatched(task& task, instant now) noexcept {
    removed(task, now);
  }

  /// Still waits, but no worker may run it for now: not to be chosen.
  virtual void held(task& task, instant now) noexcept {
    removed(task, now);
  }

  /// May be chosen again.
  virtual void freed(task& task, instant now) noexcept {
    added(task, now);
  }

  /// Has come back from its worker, where its handler ran for so long, if at
  /// all. Only told if it goes by flows, as are the following.
  virtual void unassigned(task&, std::optional<duration>, instant) noexcept {
    // nop
  }

  /// Was never accepted.
  virtual void refused(const task&) noexcept {
    // nop
  }

  /// The workers that are well have so many seats.
  virtual void seated(std::size_t, instant) noexcept {
    // nop
  }

  /// The task, which a worker has, has run for so long, and stands for another
  /// one of its flow now, which was not known here. Only told if it may.
  virtual void went_on(task&, duration, instant) noexcept {
    // nop
  }

  // -- questions --------------------------------------------------------------

  /// The rank of a task that has been accepted just now, asked once. Workers
  /// get the tasks that are bound to them by rank, too.
  virtual std::int64_t rank(const task& task) const noexcept {
    return task.urgent ? 1 : 0;
  }

  /// Whether tasks go in the order in which they come, urgent ones aside;
  /// always the same answer, like the next one.
  virtual bool is_by_arrival() const noexcept {
    return false;
  }

  /// For how long a worker may go on with tasks that are not known here, but
  /// would be next, of all or of the flow of its task. Zero: at no time; always
  /// the same answer.
  virtual duration may_go_on() const noexcept {
    return is_by_arrival() ? duration::max() : duration{0};
  }

  /// Whether a task of the flow waits, held or not. Only asked if it goes by
  /// flows.
  virtual bool has_waiting(const flow_key&) const noexcept {
    return false;
  }

  /// Whether it goes by the time, so that the caller has to look at a clock.
  virtual bool is_timed() const noexcept {
    return false;
  }

  /// Whether it goes by flows. Then tasks take seats: the next one waits until
  /// as many are free as it is wide, and starts at once when it is sent.
  virtual bool has_flows() const noexcept {
    return false;
  }

  /// Whether it ever objects to a task; always the same answer.
  virtual bool has_limits() const noexcept {
    return false;
  }

  /// Why it does not take the task, unless that could start at once; errc{} if
  /// it does.
  virtual errc objection(const task&, instant) const noexcept {
    return {};
  }

  /// The statistics of its flows, at most so many: the flows with the most
  /// waiting tasks first. Costs O(flows).
  virtual std::vector<flow_stats> flows(std::size_t) const {
    return {};
  }

  /// The next task, which keeps waiting; nullptr if none waits.
  virtual task* choose(instant now) noexcept = 0;
};

} // namespace libpool
