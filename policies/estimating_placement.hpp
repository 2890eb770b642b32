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

/// The record that an estimating placement keeps of a worker.
struct estimate_record final : placement_record {
  /// Wide enough for sums of moments.
  __extension__ using wide = __int128;

  estimate_record(libpool::worker& of, const estimate_options& options);

  bool has_samples() const noexcept;

  /// @pre has_samples()
  duration estimate() const noexcept;

  libpool::worker* worker;
  std::variant<moving_mean, moving_median> samples;
  std::size_t place = 0; // among the members

  /// The sum of the costs that its tasks in flight are taken to have.
  duration charged{0};
  /// How many of these tasks are taken to cost nothing, since nothing was
  /// known.
  std::size_t uncharged = 0;
  /// How many of these tasks cost something and have begun, and the sum of the
  /// moments when they began.
  std::size_t running = 0;
  wide began = 0;
  /// None of these tasks runs for longer than its charge before then.
  instant overruns_at = never;

  /// When it was chosen last, or joined, counted in choices.
  std::uint64_t idle_since = 0;
  boost::intrusive::set_member_hook<> idle_hook;

  /// Where the placement sorts workers: by what, in which of its heaps.
  wide key = 0;
  std::size_t group = 0;

  /// The rest of its budget, or the part that is used, where workers have
  /// budgets; or the cost of the tasks that it has ended.
  duration account{0};
};

/// The base of placements by estimates: a statistic of the last costs of each
/// worker, charges for tasks in flight, and a look at workers that would not be
/// chosen again otherwise.
///
/// A worker without a sample is taken to be like the others on average. While
/// there is no sample at all, and no `initial_estimate`, tasks cost nothing
/// until the first one ends, and are charged then.
///
/// Cost: a sample is O(1), or O(log history) with medians; the first sample of
///       all is O(tasks in flight). Some 3 KiB, or 15 KiB, per worker with the
///       default history.
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

  /// The cost that the task, which is in flight, was taken to have when that
  /// was known; none if nothing is known yet.
  static std::optional<duration> charge_of(const task& task) noexcept;

protected:
  using wide = estimate_record::wide;

  /// Errors: std::invalid_argument names the option that is out of bounds.
  explicit estimating_placement(const estimate_options& options);

  // -- parts that each placement has ------------------------------------------

  /// The worker may be chosen from now on.
  virtual void entered(estimate_record& record) noexcept = 0;

  /// The worker may not be chosen for now.
  virtual void withdrew(estimate_record& record) noexcept = 0;

  /// The samples, the charges or the tie rank of the worker have changed.
  virtual void changed(estimate_record& record) noexcept = 0;

  /// The cost that a new task on this worker is taken to have; none if that is
  /// unknown.
  virtual std::optional<duration>
  charge_for(const estimate_record& record) const noexcept;

  /// A task has ended and cost so much; its charge is given back after that.
  virtual void settled(estimate_record& record, duration cost) noexcept;

  /// The tasks in flight of the worker are taken to cost so much more, or less.
  virtual void charged(estimate_record& record, duration more) noexcept;

  /// One of the offered workers; nullptr if there is none.
  virtual worker* best(instant now) noexcept = 0;

  /// One of `some` offered workers, in the order in which they joined; at least
  /// one is there.
  virtual worker* best_of(const std::vector<worker*>& some,
                          instant now) noexcept = 0;

  /// The last answer of these two is taken up.
  virtual void took_turn() noexcept {
    // nop
  }

  // -- parts that placements share --------------------------------------------

  /// The smallest key first, then the tie rule.
  struct smaller_key {
    bool operator()(const estimate_record& x,
                    const estimate_record& y) const noexcept {
      return x.key != y.key ? x.key < y.key : wins_tie{}(*x.worker, *y.worker);
    }
  };

  using sorted = worker_heap<wide>;

  static estimate_record& record_of(const worker& worker) noexcept {
    return static_cast<estimate_record&>(*worker.placed);
  }

  const std::vector<estimate_record*>& members() const noexcept {
    return members_;
  }

  /// The estimate of a worker without samples; none if nothing is known.
  std::optional<duration> common_estimate() const noexcept;

  /// The estimate of this worker; none if nothing is known.
  std::optional<duration>
  estimate_of(const estimate_record& record) const noexcept;

  /// Doubles the charges of tasks that have run for longer. Returns whether
  /// there were any.
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
  /// How many workers have samples, and the sum of their estimates.
  std::size_t known_ = 0;
  wide estimates_ = 0;
  std::uint64_t choices_ = 0;
  bool probes_ = false; // whether the last answer was a worker passed over
  idle_records idle_;   // offered, with nothing in flight
};

} // namespace libpool
