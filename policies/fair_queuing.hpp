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

/// Flows take turns by what their tasks have cost, so that none gets more than
/// its share while another one waits: fair queuing for server requests, as
/// Kubernetes has it, after Demers, Keshav and Shenker (1989).
///
/// This is what both modes share. Each queue has a virtual time `next`, at
/// which its next task would begin if the pool could serve all queues at once;
/// the queue goes first whose head would end first. A task is charged a guess
/// when it is dispatched, and the difference to what it has cost when it ends.
///
/// Load:    of each queue that has something to do.
/// Order:   within a flow first come, first served, urgent tasks first.
/// Time:    goes by it: tasks cost their service times.
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

  /// The virtual time at which the task was accepted.
  /// @pre it waits here, or has
  static virtual_time arrival_of(const task& task) noexcept;

protected:
  /// Errors: std::invalid_argument if an option is out of bounds.
  fair_queuing(const fair_queuing_options& options, virtual_time start);

  // -- parts that each mode has -----------------------------------------------

  /// It is that late now; told before every fact.
  virtual void pass(instant now) noexcept = 0;

  /// Where the task, which is new here, is to wait.
  virtual fair_queue& queue_for(const task& task, instant now) noexcept = 0;

  /// Has something to do, after it had nothing.
  virtual void woke(fair_queue& queue) noexcept = 0;

  /// A task of it goes to a worker; told before the queue is charged.
  virtual void gets_turn(fair_queue& queue) noexcept = 0;

  /// How far before the virtual time at which its head came `next` may be.
  virtual std::int64_t most_credit(const fair_queue& queue) const noexcept = 0;

  /// Is to be found by when its head would end, or not to be found if there is
  /// none; that may have been so before.
  virtual void line_up(fair_queue& queue) noexcept = 0;

  /// Has nothing to do any more.
  virtual void idled(fair_queue& queue, instant now) noexcept = 0;

  // -- parts that the modes share ---------------------------------------------

  /// Seats for a time, as the queue is charged for it.
  std::int64_t charge(const fair_queue& queue, std::uint64_t seats,
                      duration time) const noexcept;

  /// When its head would end, with the seats that it would take now.
  /// @pre something waits that is not held
  virtual_time finish_of(const fair_queue& queue) const noexcept;

  bool has_room(const fair_queue& queue) const noexcept {
    return queue.length() < limit_;
  }

  /// The statistics of a queue, but for its name.
  flow_stats row_of(const fair_queue& queue) const;

  const duration guess_;
  /// The virtual clock.
  virtual_time clock_;
  /// Of the workers that are well.
  std::uint64_t seats_ = 0;
  std::uint64_t seats_taken_ = 0;
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
  /// The queues whose heads take more than one seat, the widest first.
  queues_by_width wide_;
};

/// Fair queuing as the options have it.
///
/// Errors: std::invalid_argument if an option is out of bounds.
std::unique_ptr<order> make_fair_queuing(const fair_queuing_options& options);

} // namespace libpool
