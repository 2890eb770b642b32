#pragma once

#include "libpool/core/line_levels.hpp"
#include "libpool/core/order.hpp"
#include "libpool/core/virtual_time.hpp"
#include "libpool/export.hpp"
#include "libpool/policies/order/fair_queue.hpp"
#include "libpool/policies/order/fair_queuing_options.hpp"

#include <boost/intrusive/set.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace libpool {

/// Base class of the orders of fair queuing. Flows (tenants, clients or kinds
/// of requests) take turns by the service times of their tasks. While several
/// flows have waiting tasks, none of these flows gets more than its share.
///
/// This class implements what the modes `exact` and `kubernetes` have in
/// common. Each queue has a virtual time `next`, at which its next task would
/// begin if the pool served all queues at the same time. The queue whose next
/// task would end first has the next turn. When a task goes to a worker, its
/// queue is charged an assumed service time, the guess: `next` moves forward.
/// When the task ends, the guess is replaced by the actual service time.
///
/// Source:  fair queuing (Demers, Keshav and Shenker 1989), applied to server
///          requests as in Kubernetes.
/// Load:    one record for each queue that has tasks.
/// Order:   within a queue first come, first served, urgent tasks first.
/// Time:    the order depends on the clock, because tasks cost their service
///          times.
/// Threads: one thread at a time.
class LIBPOOL_EXPORT fair_queuing : public order {
public:
  // -- facts ------------------------------------------------------------------

  void added(task& task, instant now) noexcept final;
  void removed(task& task, instant now) noexcept final;
  void dispatched(task& task, instant now) noexcept final;
  void held(task& task, instant now) noexcept final;
  void freed(task& task, instant now) noexcept final;
  void unparked(task& task, instant now) noexcept final;
  void served(const task& task) noexcept final;
  void unassigned(task& task, std::optional<duration> ran,
                  instant now) noexcept final;
  void seated(std::size_t seats, instant now) noexcept final;

  // -- questions --------------------------------------------------------------

  task* newest(task& next) noexcept final;

  bool has_flows() const noexcept final {
    return true;
  }

  bool is_timed() const noexcept final {
    return true;
  }

  bool has_limits() const noexcept final;

protected:
  /// Makes an order without tasks. The virtual clock, which advances by the
  /// service that flows get, begins at `start`.
  ///
  /// Errors: std::invalid_argument if an option is out of bounds.
  fair_queuing(const fair_queuing_options& options, virtual_time start);

  // -- to be implemented by each mode -----------------------------------------

  /// Called before each change of a task or of the number of seats, so that the
  /// virtual clock can be set forward. `now` is the current time.
  virtual void pass(instant now) noexcept = 0;

  /// Returns the queue in which a new task waits.
  virtual fair_queue& queue_for(const task& task, instant now) noexcept = 0;

  /// Called when a queue that has no waiting or running tasks gets a task.
  virtual void woke(fair_queue& queue) noexcept = 0;

  /// Called when a task of the queue goes to a worker, before the assumed
  /// service time of the task is added to `queue.next`. `begins`: whether the
  /// worker has no task that goes before it.
  virtual void gets_turn(fair_queue& queue, bool begins) noexcept = 0;

  /// Returns how much unused service, in virtual time, a queue may make up for
  /// later. `queue.next` is set forward, if necessary, to the virtual time at
  /// which its first task was accepted, less the result.
  virtual std::int64_t most_credit(const fair_queue& queue) const noexcept = 0;

  /// Sorts the queue into its new position. Queues are sorted by the virtual
  /// time at which their next task would end. If no worker can take a task of
  /// the queue, the queue is taken out. May be called even if nothing has
  /// changed.
  virtual void line_up(fair_queue& queue) noexcept = 0;

  /// Called when the queue has no waiting and no running tasks any more.
  virtual void idled(fair_queue& queue, instant now) noexcept = 0;

  // -- shared by both modes ---------------------------------------------------

  /// Returns the amount by which `queue.next` moves forward when a task of the
  /// queue takes `seats` seats for `time`: the product of both, divided by the
  /// share of the queue.
  std::int64_t charge(const fair_queue& queue, std::uint64_t seats,
                      duration time) const noexcept;

  /// Returns the virtual time at which the next task of the queue would end if
  /// it began at `queue.next` and took as long as assumed. If the task is wider
  /// than the pool, it counts with the current number of seats of the pool.
  /// @pre the queue has a waiting task that is not held
  virtual_time finish_of(const fair_queue& queue) const noexcept;

  /// Whether the queue has fewer waiting tasks than the limit allows.
  bool has_room(const fair_queue& queue) const noexcept {
    return queue.length() < limit_;
  }

  /// Returns the statistics of the queue. The name of the flow is left empty.
  flow_stats row_of(const fair_queue& queue) const;

  /// Assumed service time of a task, charged until the task ends.
  const duration guess_;
  /// Current virtual time: the clock of fair queuing, which advances by the
  /// service that queues get.
  virtual_time clock_;
  /// Number of seats of the pool. A seat is a place for a task at a worker;
  /// only workers that can get tasks count.
  std::uint64_t seats_ = 0;
  /// Number of seats (places at workers) that tasks in flight take.
  std::uint64_t seats_taken_ = 0;
  /// Number of seats (places at workers) that all waiting tasks need, including
  /// held tasks.
  std::uint64_t seats_wanted_ = 0;
  /// Finds the queues with the most waiting tasks. Destroyed after the queues.
  mutable line_levels levels_;

private:
  struct has_wider_head {
    bool operator()(const fair_queue& x, const fair_queue& y) const noexcept {
      return x.head_width > y.head_width;
    }
  };

  using queues_by_width = boost::intrusive::multiset<
    fair_queue, boost::intrusive::compare<has_wider_head>,
    boost::intrusive::constant_time_size<false>,
    boost::intrusive::member_hook<fair_queue, decltype(fair_queue::wide_hook),
                                  &fair_queue::wide_hook>>;

  void wait(fair_queue& queue, task& task) noexcept;
  void wait_no_more(fair_queue& queue, task& task) noexcept;
  void rearrange(fair_queue& queue, instant now) noexcept;
  void stand(fair_queue& queue) noexcept;
  std::uint64_t seats_for(std::uint64_t width) const noexcept;

  const std::size_t limit_;
  /// Queues whose next task needs several seats (places at workers), the
  /// largest number first.
  queues_by_width wide_;
};

} // namespace libpool
