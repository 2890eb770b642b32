#pragma once

#include "libpool/policies/estimating_placement.hpp"

#include <boost/intrusive/list.hpp>

#include <deque>
#include <vector>

namespace libpool {

/// The worker that would have ended the task first, by estimates: the one with
/// the smallest sum of when it is ready and of what the task is estimated to
/// cost there. It is ready when it has done all that it has in flight, each for
/// its charge: the estimate at the time it was assigned, doubled while it runs
/// for longer. So slow workers get less, bursts are spread, and a worker that
/// does not come to an end is avoided more and more.
///
/// The mean is moved by each outlier, the median (`statistic`) by none.
///
/// Source: poolifier's fair share, which moves its predictions only when tasks
///         end, so that a burst all lands on one worker.
/// Cost:   O(log workers) per choice, start and end, where workers run one task
///         at a time; otherwise that times how many numbers of running tasks
///         there are: at most that of the workers, or of the seats of one.
class fair_share final : public estimating_placement {
public:
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

  /// With r charged tasks running, a worker is ready at now · (1 - r) and a
  /// constant: so workers are sorted by that constant, apart for each r.
  /// Workers without samples are sorted apart as well: their estimates all move
  /// together.
  struct group {
    sorted members;
    boost::intrusive::list_member_hook<> hook;
  };

  using group_list = boost::intrusive::list<
    group, boost::intrusive::member_hook<
             group, boost::intrusive::list_member_hook<>, &group::hook>>;

  std::deque<group> groups_;
  group_list filled_; // groups that have members
};

} // namespace libpool
