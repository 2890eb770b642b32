#pragma once

#include "libpool/core/moving_mean.hpp"
#include "libpool/core/moving_median.hpp"
#include "libpool/core/placement.hpp"
#include "libpool/export.hpp"
#include "libpool/policies/placement/estimate_options.hpp"
#include "libpool/policies/placement/tie_rule.hpp"
#include "libpool/policies/placement/worker_heap.hpp"

#include <boost/intrusive/set.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

namespace libpool {

/// Data that a placement with estimates keeps of one worker: the measured costs
/// of its recent tasks, and the estimated costs of its tasks in flight.
struct LIBPOOL_EXPORT estimate_record final : placement_record {
  /// Integer type for sums of many points in time, in nanoseconds. Such sums
  /// may exceed 64 bits.
  __extension__ using wide = __int128;

  /// Makes the record of a worker that has not completed a task yet.
  estimate_record(libpool::worker& subject, const estimate_options& options);

  /// Whether the worker has completed a task, so that its costs can be
  /// estimated.
  bool has_samples() const noexcept;

  /// Returns the estimated cost of a task on this worker: the mean or the
  /// median of the costs of its recent tasks.
  /// @pre has_samples()
  duration estimate() const noexcept;

  /// Worker to which the record belongs.
  libpool::worker* worker;
  /// Measured costs of the worker's most recent completed tasks.
  std::variant<moving_mean, moving_median> samples;
  /// Index of this record in the list of all workers, `members()`.
  std::size_t place = 0;

  /// Sum of the charges of the worker's tasks in flight. The charge of a task
  /// is its estimated cost.
  duration charged{0};
  /// Number of tasks in flight without an estimated cost, because no estimate
  /// was available when they were assigned.
  std::size_t uncharged = 0;
  /// Number of tasks in flight that have begun and have an estimated cost above
  /// 0.
  std::size_t running = 0;
  /// Sum of the start times of the tasks that `running` counts, in nanoseconds.
  /// From this sum, the total time for which these tasks have run is computed
  /// at once.
  wide began = 0;
  /// Time before which no running task has run for longer than estimated;
  /// `never` if no task with an estimated cost has begun.
  instant overruns_at = never;

  /// Number of tasks that the pool had assigned when this worker last got a
  /// task; for a worker without tasks so far, when it joined. Used to find
  /// workers that have been idle for too many assignments.
  std::uint64_t idle_since = 0;
  /// Hook for the set of idle workers, sorted by `idle_since`.
  boost::intrusive::set_member_hook<> idle_hook;

  /// Sort key of the worker in a heap. Each placement defines its own key; the
  /// worker with the smallest key is preferred.
  wide key = 0;
  /// Index of the heap that has the worker. Used by `fair_share`, which has a
  /// heap for each number of running tasks.
  std::size_t group = 0;

  /// Position of the worker in the order of turns. Used by placements with
  /// weights; changes when other workers join.
  std::uint64_t turn = 0;

  /// Time account of the worker; each placement defines its meaning.
  /// `weighted_round_robin`: time of its budget that is not used yet.
  /// `interleaved_weighted_round_robin`: time of its budget that ended tasks
  /// have used. Other placements: total cost of its ended tasks.
  duration account{0};
};

/// Base class of placements that estimate how long a task takes on each worker.
/// The estimate is the mean or the median of the costs of the worker's recent
/// tasks. A task in flight counts with a charge, its estimated cost. An idle
/// worker that has not been chosen for long gets a task as a probe, which
/// renews its estimate.
///
/// For a worker that has not completed a task, the estimate is the mean of the
/// estimates for the other workers. Before any worker has completed a task, the
/// estimate is the option `initial_estimate`. If this option is unset, tasks
/// cannot be estimated yet. In this case, placements with weights charge the
/// smallest weight for a task, so that workers get tasks in proportion to their
/// weights. Other placements charge nothing at first. When the first task has
/// completed, they charge all tasks in flight.
///
/// Cost: O(1) per completed task with means, O(log history) with medians; the
///       first completed task of the pool costs O(tasks in flight). About 3 KiB
///       per worker with means and 15 KiB with medians, at the default history.
class LIBPOOL_EXPORT estimating_placement : public placement {
public:
  void joined(worker& worker, instant now) noexcept override;
  void left(worker& worker, instant now) noexcept override;
  void offered(worker& worker, instant now) noexcept final;
  void withdrawn(worker& worker, instant now) noexcept final;
  void picked(worker& worker, const task& task, instant now) noexcept final;
  void assigned(worker& worker, task& task, instant now) noexcept final;
  void began(worker& worker, task& task, instant now) noexcept final;
  void measured(worker& worker, task& task, ending ending, duration cost,
                instant now) noexcept final;
  void unassigned(worker& worker, task& task, instant now) noexcept final;

  std::optional<measure> measures() const noexcept final;
  worker* choose(const task& task, instant now) noexcept final;
  worker* choose_among(const std::vector<worker*>& some, const task& task,
                       instant now) noexcept final;

  /// Returns the charge of a task in flight: its estimated cost when the task
  /// was assigned, or when the first estimate became available. None if the
  /// task has no charge yet.
  static std::optional<duration> charge_of(const task& task) noexcept;

protected:
  /// Integer type for sums of many points in time, in nanoseconds. Such sums
  /// may exceed 64 bits.
  using wide = estimate_record::wide;

  /// Makes a placement for a pool without workers.
  ///
  /// Errors: std::invalid_argument if an option is out of bounds; the error
  ///         names the option.
  explicit estimating_placement(const estimate_options& options);

  // -- to be implemented by each placement ------------------------------------

  /// Called when the worker becomes available. From then on, the placement may
  /// choose the worker, until `withdrew` is called.
  virtual void entered(estimate_record& record) noexcept = 0;

  /// Called when the worker becomes unavailable. From then on, the placement
  /// must not choose the worker, until `entered` is called.
  virtual void withdrew(estimate_record& record) noexcept = 0;

  /// Called when the placement may have to sort the worker again: its estimate,
  /// the charges for its tasks in flight or its rank among equal workers have
  /// changed.
  virtual void changed(estimate_record& record) noexcept = 0;

  /// Returns the charge for a new task on this worker: its estimated cost. None
  /// before the first estimate is available.
  virtual std::optional<duration>
  charge_for(const estimate_record& record) const noexcept;

  /// Called when a task of the worker has ended. `cost` is its measured cost.
  /// The estimated cost of the task still counts in `record.charged`.
  virtual void settled(estimate_record& record, duration cost) noexcept;

  /// Called when the sum of the estimated costs of the worker's tasks in flight
  /// changes by `more`; negative: the sum decreases.
  virtual void charged(estimate_record& record, duration more) noexcept;

  /// Returns the available worker that the placement prefers for the next task;
  /// nullptr if no worker is available.
  virtual worker* best(instant now) noexcept = 0;

  /// Returns the worker of `some` that the placement prefers for the next task.
  /// All workers of `some` are available, and are sorted by the order in which
  /// they joined.
  /// @pre !some.empty()
  virtual worker* best_of(const std::vector<worker*>& some,
                          instant now) noexcept = 0;

  /// Called when the worker that `best` or `best_of` returned gets the task.
  /// Not called if the task goes to another worker instead.
  virtual void took_turn() noexcept {
    // nop
  }

  // -- shared by all placements -----------------------------------------------

  /// Order of workers by `estimate_record::key`, the smallest key first. Among
  /// equal keys, the worker that `wins_tie` prefers goes first.
  struct smaller_key {
    /// Whether `x` has the smaller key, or has the same key and goes first by
    /// `wins_tie`.
    bool operator()(const estimate_record& x,
                    const estimate_record& y) const noexcept {
      return x.key != y.key ? x.key < y.key : wins_tie{}(*x.worker, *y.worker);
    }
  };

  /// Heap of workers, sorted by `estimate_record::key`, the smallest key first.
  using sorted = worker_heap<wide>;

  /// Returns the data that the placement keeps of the worker.
  static estimate_record& record_of(const worker& worker) noexcept {
    return static_cast<estimate_record&>(*worker.placed);
  }

  /// Returns the data that the placement keeps of all workers, in no particular
  /// order.
  const std::vector<estimate_record*>& members() const noexcept {
    return members_;
  }

  /// Returns the estimated cost of a task on a worker that has not completed a
  /// task: the mean of the estimates for the other workers, or
  /// `initial_estimate` before the first task of the pool has completed. None
  /// if that option is unset.
  std::optional<duration> common_estimate() const noexcept;

  /// Returns the estimated cost of a task on this worker; none before the
  /// first estimate is available.
  std::optional<duration>
  estimate_of(const estimate_record& record) const noexcept;

  /// Corrects the charges of the worker's running tasks: if a task has run for
  /// at least its charge, which is its estimated cost, the charge is doubled
  /// until it exceeds this time. Returns whether a charge has changed.
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
  /// Number of workers that have completed a task, so that their costs can be
  /// estimated.
  std::size_t known_ = 0;
  /// Sum of the estimated costs of one task on each worker that `known_`
  /// counts, in nanoseconds.
  wide estimates_ = 0;
  std::uint64_t choices_ = 0;
  bool probes_ = false; // whether the last choice was a probe
  idle_records idle_;   // offered workers without tasks
};

} // namespace libpool
