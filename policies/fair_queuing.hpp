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

/// Base class of the orders in which flows take turns by the cost of their
/// tasks, so that a flow gets at most its share while another flow waits: fair
/// queuing for server requests, as in Kubernetes, after Demers, Keshav and
/// Shenker (1989).
///
/// This class holds the parts that both modes share. Each queue has a virtual
/// time `next`, at which its next task would begin if the pool served all
/// queues at the same time. The queue whose head would end first goes first. A
/// task is charged a guess when it is dispatched; when it ends, the difference
/// between its cost and the guess is charged.
///
/// Load:    one record for each queue that has tasks.
/// Order:   within a flow first come, first served, urgent tasks first.
/// Time:    depends on the time: tasks cost their service times.
/// Threads: one at a time.
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
  /// @pre the task waits in this order, or has waited there
  static virtual_time arrival_of(const task& task) noexcept;

protected:
  /// Errors: std::invalid_argument if an option is out of bounds.
  fair_queuing(const fair_queuing_options& options, virtual_time start);

  // -- to be implemented by each mode -----------------------------------------

  /// Sets the time to `now`; called before each fact.
  virtual void pass(instant now) noexcept = 0;

  /// Returns the queue in which a new task is to wait.
  virtual fair_queue& queue_for(const task& task, instant now) noexcept = 0;

  /// Called when an idle queue gets a task.
  virtual void woke(fair_queue& queue) noexcept = 0;

  /// Called when a task of the queue goes to a worker, before the queue is
  /// charged.
  virtual void gets_turn(fair_queue& queue) noexcept = 0;

  /// Returns the maximum by which `next` may be behind the virtual time at
  /// which the head of the queue was accepted.
  virtual std::int64_t most_credit(const fair_queue& queue) const noexcept = 0;

  /// Sorts the queue by the virtual time at which its head would end, or takes
  /// it out if no task can be chosen; called also if nothing has changed.
  virtual void line_up(fair_queue& queue) noexcept = 0;

  /// Called when the queue becomes idle.
  virtual void idled(fair_queue& queue, instant now) noexcept = 0;

  // -- shared by both modes ---------------------------------------------------

  /// Returns the charge of the queue for this number of seats and this time.
  std::int64_t charge(const fair_queue& queue, std::uint64_t seats,
                      duration time) const noexcept;

  /// Returns the virtual time at which the head of the queue would end, with
  /// the seats that it would take now.
  /// @pre a task of the queue waits that is not held
  virtual_time finish_of(const fair_queue& queue) const noexcept;

  /// Whether one more task may wait in the queue.
  bool has_room(const fair_queue& queue) const noexcept {
    return queue.length() < limit_;
  }

  /// Returns the statistics of the queue, without its name.
  flow_stats row_of(const fair_queue& queue) const;

  /// Charge for one seat of a task whose cost is not known yet.
  const duration guess_;
  /// The virtual clock.
  virtual_time clock_;
  /// Seats of the workers to which tasks can be assigned.
  std::uint64_t seats_ = 0;
  /// Seats that dispatched tasks take.
  std::uint64_t seats_taken_ = 0;
  /// Sum of the widths of all waiting tasks, held ones included.
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
  /// The queues whose heads are wider than one seat, the widest first.
  queues_by_width wide_;
};

/// Makes the order for the mode in `options`.
///
/// Errors: std::invalid_argument if an option is out of bounds.
std::unique_ptr<order> make_fair_queuing(const fair_queuing_options& options);

} // namespace libpool
