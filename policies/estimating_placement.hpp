#pragma once

#include "libpool/core/moving_mean.hpp"
#include "libpool/core/moving_median.hpp"
#include "libpool/core/placement.hpp"
#include "libpool/policies/estimate_options.hpp"
#include "libpool/policies/tie_rule.hpp"
#include "libpool/policies/worker_heap.hpp"

#include <boost/intrusive/set.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

namespace libpool {

/// The record that an estimating placement keeps of each worker.
struct estimate_record final : placement_record {
  /// Integer type that is wide enough for sums of time points.
  __extension__ using wide = __int128;

  /// Makes the record of a worker without samples.
  estimate_record(libpool::worker& of, const estimate_options& options);

  /// Whether the worker has a sample.
  bool has_samples() const noexcept;

  /// Returns the estimated cost of a task on this worker.
  /// @pre has_samples()
  duration estimate() const noexcept;

  /// Worker to which the record belongs.
  libpool::worker* worker;
  /// Most recent samples of the worker.
  std::variant<moving_mean, moving_median> samples;
  /// Index of the record in `members()`.
  std::size_t place = 0;

  /// Sum of the charges (estimated costs) of the worker's tasks in flight.
  duration charged{0};
  /// Number of tasks in flight without a charge, because no estimate was
  /// available.
  std::size_t uncharged = 0;
  /// Number of tasks in flight that have begun and have a charge above 0.
  std::size_t running = 0;
  /// Sum of the start times of the running tasks with a charge above 0, in
  /// nanoseconds.
  wide began = 0;
  /// Lower bound on the time at which a running task exceeds its charge;
  /// `never` if no charged task has begun.
  instant overruns_at = never;

  /// Number of tasks that the placement had assigned when the worker last got a
  /// task, or joined.
  std::uint64_t idle_since = 0;
  /// Hook for the set of idle workers.
  boost::intrusive::set_member_hook<> idle_hook;

  /// Sort key of the worker in the heap of the placement.
  wide key = 0;
  /// Index of the heap that has the worker, if the placement has several heaps.
  std::size_t group = 0;

  /// Time account of the worker. With `weighted_round_robin`: rest of the
  /// budget of the worker. With `interleaved_weighted_round_robin`: used part
  /// of the budget, without the charges of tasks in flight. With other
  /// placements: total cost of ended tasks.
  duration account{0};
};

/// Base class of placements that use estimates. The cost of a task on a worker
/// is estimated from the recent costs of tasks on this worker. The worker is
/// charged this estimate for each task in flight. Idle workers that estimates
/// would pass over get a task from time to time, as a probe.
///
/// The estimate of a worker without samples is the mean of the estimates of the
/// other workers. While no worker has a sample, the estimate is
/// `initial_estimate`, if this option is set. If the option is unset, tasks
/// cannot be estimated yet. In this case, placements with weights charge the
/// weight of the worker for a task. Other placements charge nothing at first,
/// and charge the tasks in flight when the first sample is recorded.
///
/// Cost: O(1) per sample with means, O(log history) with medians; the first
///       sample of the pool costs O(tasks in flight). About 3 KiB per worker
///       with means and 15 KiB with medians, at the default history.
class estimating_placement : public placement {
public:
  void joined(worker& worker, instant now) noexcept override;
  void left(worker& worker, instant now) noexcept override;
  void offered(worker& worker, instant now) noexcept final;
  void withdrawn(worker& worker, instant now) noexcept final;
  void picked(worker& worker, const task& task, instant now) noexcept final;
  void assigned(worker& worker, task& task, instant now) noexcept final;
  void began(worker& worker, task& task, instant now) noexcept final;
  void measured(worker& worker, task& task, ending how, duration cost,
                instant now) noexcept final;
  void unassigned(worker& worker, task& task, instant now) noexcept final;
  std::optional<measure> measures() const noexcept final;
  worker* choose(const task& task, instant now) noexcept final;
  worker* choose_among(const std::vector<worker*>& some, const task& task,
                       instant now) noexcept final;

  /// Returns the estimated cost that was charged for a task in flight when the
  /// task was assigned, or when the first estimate became available; none if no
  /// estimate is available yet.
  static std::optional<duration> charge_of(const task& task) noexcept;

protected:
  /// Integer type that is wide enough for sums of time points.
  using wide = estimate_record::wide;

  /// Makes a placement that has no workers yet.
  ///
  /// Errors: std::invalid_argument if an option is out of bounds; the error
  ///         names the option.
  explicit estimating_placement(const estimate_options& options);

  // -- to be implemented by each placement ------------------------------------

  /// Called when the worker becomes available: it may be chosen until the next
  /// call of `withdrew`.
  virtual void entered(estimate_record& record) noexcept = 0;

  /// Called when the worker becomes unavailable: it must not be chosen until
  /// the next call of `entered`.
  virtual void withdrew(estimate_record& record) noexcept = 0;

  /// Called when the samples, the charges or the tie rank of the worker have
  /// changed.
  virtual void changed(estimate_record& record) noexcept = 0;

  /// Returns the charge for a new task on this worker; none if no estimate is
  /// available.
  virtual std::optional<duration>
  charge_for(const estimate_record& record) const noexcept;

  /// Called when a task of the worker has ended with the cost `cost`, before
  /// the charge of the task is taken back.
  virtual void settled(estimate_record& record, duration cost) noexcept;

  /// Called when the charges for the worker's tasks in flight change by `more`,
  /// which may be negative.
  virtual void charged(estimate_record& record, duration more) noexcept;

  /// Returns the offered worker that the placement prefers; nullptr if no
  /// worker is offered.
  virtual worker* best(instant now) noexcept = 0;

  /// Returns the worker of `some` that the placement prefers. All workers of
  /// `some` are offered, and are listed in the order in which they joined.
  /// @pre !some.empty()
  virtual worker* best_of(const std::vector<worker*>& some,
                          instant now) noexcept = 0;

  /// Called when the worker last returned by `best` or `best_of` gets the task.
  virtual void took_turn() noexcept {
    // nop
  }

  // -- shared by all placements -----------------------------------------------

  /// Order of workers by key, the smallest first, and by the tie rule among
  /// equal keys.
  struct smaller_key {
    /// Whether `x` goes before `y`.
    bool operator()(const estimate_record& x,
                    const estimate_record& y) const noexcept {
      return x.key != y.key ? x.key < y.key : wins_tie{}(*x.worker, *y.worker);
    }
  };

  /// Heap of workers by key.
  using sorted = worker_heap<wide>;

  /// Returns the record of a worker.
  static estimate_record& record_of(const worker& worker) noexcept {
    return static_cast<estimate_record&>(*worker.placed);
  }

  /// Returns the records of all workers, in no particular order.
  const std::vector<estimate_record*>& members() const noexcept {
    return members_;
  }

  /// Returns the estimated cost of a task on a worker without samples; none if
  /// no estimate is available.
  std::optional<duration> common_estimate() const noexcept;

  /// Returns the estimated cost of a task on this worker; none if no estimate
  /// is available.
  std::optional<duration>
  estimate_of(const estimate_record& record) const noexcept;

  /// Doubles the charge of each running task of the worker until the charge
  /// exceeds the time that the task has run. Returns whether a charge has
  /// changed.
  static bool overran(estimate_record& record, instant now) noexcept;

private:
  struct idle_longer {
    bool operator()(const estimate_record& x,
                    const estimate_record& y) const noexcept;
  };

  using idle_records = boost::intrusive::set<
    estimate_record, boost::intrusive::compare<idle_longer>,
    boost::intrusive::member_hook<estimate_record,
                                  boost::intrusive::set_member_hook<>,
                                  &estimate_record::idle_hook>>;

  void charge(estimate_record& record, task& task) noexcept;
  void charge_tasks_in_flight() noexcept;
  void began_with(estimate_record& record, task& task) noexcept;
  void add_sample(estimate_record& record, duration cost) noexcept;
  void sort_by_idleness(estimate_record& record) noexcept;
  bool was_passed_over(const estimate_record& record) const noexcept;

  estimate_options options_;
  std::vector<estimate_record*> members_;
  /// Number of workers that have samples.
  std::size_t known_ = 0;
  /// Sum of the estimates of the workers that have samples, in nanoseconds.
  wide estimates_ = 0;
  std::uint64_t choices_ = 0;
  bool probes_ = false; // whether the last choice was a probe
  idle_records idle_;   // offered workers without tasks
};

} // namespace libpool
