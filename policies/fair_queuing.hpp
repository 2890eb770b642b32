#pragma once

#include "libpool/core/order.hpp"
#include "libpool/core/virtual_time.hpp"
#include "libpool/policies/fair_queue.hpp"
#include "libpool/policies/fair_queuing_options.hpp"

#include <boost/intrusive/set.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace libpool {

/// Base class of the orders of fair queuing. Flows take turns by the cost of
/// their tasks, so that a flow gets at most its share while another flow waits.
///
/// This class implements the common parts of the modes `exact` and
/// `kubernetes`. Each queue has a virtual time `next`, at which its next task
/// would begin if the pool served all queues at the same time. The next task
/// comes from the queue whose head would end first. A queue is charged an
/// assumed cost, the guess, when one of its tasks is dispatched. When the task
/// ends, the queue is charged the difference between the cost of the task and
/// the guess.
///
/// Source:  fair queuing (Demers, Keshav and Shenker 1989), applied to server
///          requests as in Kubernetes.
/// Load:    one record for each queue that has tasks.
/// Order:   within a queue first come, first served, urgent tasks first.
/// Time:    the order depends on the clock, because tasks cost their service
///          times.
/// Threads: one thread at a time.
class fair_queuing : public order {
public:
  // -- facts ------------------------------------------------------------------

  void added(task& task, instant now) noexcept final;
  void removed(task& task, instant now) noexcept final;
  void dispatched(task& task, instant now) noexcept final;
  void held(task& task, instant now) noexcept final;
  void freed(task& task, instant now) noexcept final;
  void unassigned(task& task, std::optional<duration> ran,
                  instant now) noexcept final;
  void seated(std::size_t seats, instant now) noexcept final;
  void went_on(task& task, duration ran, instant now) noexcept final;

  // -- questions --------------------------------------------------------------

  bool has_flows() const noexcept final {
    return true;
  }

  bool is_timed() const noexcept final {
    return true;
  }

  bool has_limits() const noexcept final;

  /// Returns the virtual time at which the task was accepted.
  /// @pre the task waits in this order, or has waited in it
  static virtual_time arrival_of(const task& task) noexcept;

protected:
  /// Makes an order without tasks, whose virtual clock begins at `start`.
  ///
  /// Errors: std::invalid_argument if an option is out of bounds.
  fair_queuing(const fair_queuing_options& options, virtual_time start);

  // -- to be implemented by each mode -----------------------------------------

  /// Called with the current time before each change of a task or of the seats.
  virtual void pass(instant now) noexcept = 0;

  /// Returns the queue for a new task.
  virtual fair_queue& queue_for(const task& task, instant now) noexcept = 0;

  /// Called when an idle queue gets a task.
  virtual void woke(fair_queue& queue) noexcept = 0;

  /// Called when a task of the queue goes to a worker, before the queue is
  /// charged for the task.
  virtual void gets_turn(fair_queue& queue) noexcept = 0;

  /// Returns the maximum virtual time that a queue can catch up after it was
  /// idle: `queue.next` is at least the acceptance time of the head, less this
  /// time.
  virtual std::int64_t most_credit(const fair_queue& queue) const noexcept = 0;

  /// Updates the position of the queue among the queues, which are sorted by
  /// the virtual time at which the head of each queue would end. If no task of
  /// the queue can be chosen, removes the queue. May be called even if nothing
  /// has changed.
  virtual void line_up(fair_queue& queue) noexcept = 0;

  /// Called when the queue becomes idle.
  virtual void idled(fair_queue& queue, instant now) noexcept = 0;

  // -- shared by both modes ---------------------------------------------------

  /// Returns the amount of virtual time that the queue is charged for the use
  /// of `seats` seats during `time`.
  std::int64_t charge(const fair_queue& queue, std::uint64_t seats,
                      duration time) const noexcept;

  /// Returns the virtual time at which the head of the queue would end if the
  /// head began at `queue.next`, with the current number of seats of the pool.
  /// @pre the queue has a waiting task that is not held
  virtual_time finish_of(const fair_queue& queue) const noexcept;

  /// Whether one more task may wait in the queue.
  bool has_room(const fair_queue& queue) const noexcept {
    return queue.length() < limit_;
  }

  /// Returns the statistics of the queue, without its name.
  flow_stats row_of(const fair_queue& queue) const;

  /// Assumed service time of a task that has not ended.
  const duration guess_;
  /// Current virtual time.
  virtual_time clock_;
  /// Number of seats of the workers to which tasks can be assigned.
  std::uint64_t seats_ = 0;
  /// Number of seats that dispatched tasks take.
  std::uint64_t seats_taken_ = 0;
  /// Sum of the widths of all waiting tasks, including held tasks.
  std::uint64_t seats_wanted_ = 0;

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
  static void note_run(fair_queue& queue, const task& task, duration ran);
  std::uint64_t seats_for(std::uint64_t width) const noexcept;

  const std::size_t limit_;
  /// Queues whose head is wider than one seat, the widest head first.
  queues_by_width wide_;
};

/// Makes the order for the mode that `options` selects.
///
/// Errors: std::invalid_argument if an option is out of bounds.
std::unique_ptr<order> make_fair_queuing(const fair_queuing_options& options);

} // namespace libpool
