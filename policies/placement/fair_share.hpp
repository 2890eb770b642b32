#pragma once

#include "libpool/export.hpp"
#include "libpool/policies/placement/estimating_placement.hpp"

#include <boost/intrusive/list.hpp>

#include <deque>
#include <vector>

namespace libpool {

/// Placement that chooses the worker that is estimated to end the task first.
/// For each worker, the estimated end is the time at which the worker will have
/// done the tasks it already has, plus the estimated cost of the new task on
/// this worker. If a task runs for longer than estimated, its estimate is
/// doubled, again and again. Slow workers therefore get fewer tasks, bursts are
/// spread, and a worker whose task does not end is avoided more and more.
///
/// The estimate is the mean or the median of the costs of recent tasks of the
/// worker. Single outliers change a mean, but hardly a median.
///
/// Source: poolifier's fair share, which updates its predictions only when
///         tasks end, so that all tasks of a burst go to one worker.
/// Cost:   O(log workers) for each choice, start and end of a task, if each
///         worker runs one task after the other. Otherwise the workers with the
///         same number of running tasks form a group, and a choice costs O(log
///         workers) for each group. The number of groups is about the number of
///         seats of a worker, and at most the number of workers.
class LIBPOOL_EXPORT fair_share final : public estimating_placement {
public:
  /// Makes a placement for a pool without workers.
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

  /// Workers with the same number of running tasks, sorted by the time at which
  /// each worker is estimated to end its tasks. Within a group, this order does
  /// not change as time passes. Workers that have not completed a task yet are
  /// in groups of their own, because their estimates change together.
  struct group {
    sorted members;
    boost::intrusive::list_member_hook<> hook;
  };

  using group_list = boost::intrusive::list<
    group, boost::intrusive::member_hook<
             group, boost::intrusive::list_member_hook<>, &group::hook>>;

  /// All groups of workers. The index is `estimate_record::group`, which
  /// depends on the number of running tasks.
  std::deque<group> groups_;
  group_list filled_; // groups with members
};

} // namespace libpool
