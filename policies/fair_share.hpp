#pragma once

#include "libpool/policies/estimating_placement.hpp"

#include <boost/intrusive/list.hpp>

#include <deque>
#include <vector>

namespace libpool {

/// Placement that chooses the worker that is estimated to end the task first.
/// The estimated end is the ready time of the worker, plus the estimated cost
/// of the task on this worker. The ready time of a worker is the time at which
/// the worker will have worked for the charges of all of its tasks in flight.
/// The charge of a task is its estimated cost at assignment, doubled whenever
/// the task has run for as long as its charge. Slow workers therefore get fewer
/// tasks, bursts are spread, and a worker whose task does not end is avoided
/// more and more.
///
/// With means, each outlier changes an estimate; with medians, single outliers
/// hardly change an estimate (see `estimate_options::statistic`).
///
/// Source: poolifier's fair share, which updates its predictions only when
///         tasks end, so that all tasks of a burst go to one worker.
/// Cost:   O(log workers) for each choice, start and end of a task, if each
///         worker runs one task after the other. Otherwise the workers with the
///         same number of running tasks form a group, and a choice costs O(log
///         workers) for each group. The number of groups is about the number of
///         seats of a worker, and at most the number of workers.
class fair_share final : public estimating_placement {
public:
  /// Makes a placement that has no workers yet.
  ///
  /// Errors: std::invalid_argument if an option is out of bounds; the error
  ///         names the option.
  explicit fair_share(const estimate_options& options = {});

private:
  void entered(estimate_record& record) noexcept override;
  void withdrew(estimate_record& record) noexcept override;
  void changed(estimate_record& record) noexcept override;
  worker* best(instant now) noexcept override;
  worker* best_of(const std::vector<worker*>& some,
                  instant now) noexcept override;

  wide end_on(const estimate_record& record, instant now) const noexcept;
  bool ends_sooner(const estimate_record& x, const estimate_record& y,
                   instant now) const noexcept;
  estimate_record& first_of(const sorted& members, instant now) noexcept;

  /// Workers with the same number r of running tasks that have a charge. Each
  /// of these workers is ready at now * (1 - r) plus a constant, so the workers
  /// of a group are sorted by this constant. Workers without samples are in
  /// groups of their own, because their estimates change together.
  struct group {
    sorted members;
    boost::intrusive::list_member_hook<> hook;
  };

  using group_list = boost::intrusive::list<
    group, boost::intrusive::member_hook<
             group, boost::intrusive::list_member_hook<>, &group::hook>>;

  /// All groups, by `estimate_record::group`.
  std::deque<group> groups_;
  group_list filled_; // groups with members
};

} // namespace libpool
