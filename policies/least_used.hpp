#pragma once

#include "libpool/core/placement.hpp"
#include "libpool/policies/tie_rule.hpp"

#include <boost/intrusive/list.hpp>
#include <boost/intrusive/set.hpp>

#include <vector>

namespace libpool {

/// The worker with the fewest tasks in flight; of several, the one that was
/// chosen least recently, then the one that joined first. Known as least
/// connections or least outstanding requests.
///
/// Bound late and with a window of one, it gives a task to the idle worker that
/// got its last one longest ago: with fifo, the shared queue.
///
/// Workers are sorted when one is to be chosen: tasks that go home cost
/// nothing.
///
/// Cost: O(log workers) per choice and per end.
class least_used final : public placement {
public:
  void offered(worker& worker, instant now) noexcept override;
  void withdrawn(worker& worker, instant now) noexcept override;

  void assigned(worker& worker, task&, instant) noexcept override {
    changed(worker);
  }

  void unassigned(worker& worker, task&, instant) noexcept override {
    changed(worker);
  }

  /// Where tasks are bound late, who has ended one has the fewest.
  bool lets_workers_go_on() const noexcept override {
    return true;
  }

  worker* choose(const task& task, instant now) noexcept override;
  worker* choose_among(const std::vector<worker*>& some, const task& task,
                       instant now) noexcept override;

private:
  using workers_by_use = boost::intrusive::set<
    worker, boost::intrusive::compare<wins_tie>,
    boost::intrusive::member_hook<worker, boost::intrusive::set_member_hook<>,
                                  &worker::placement_hook>>;

  using unsorted_workers = boost::intrusive::list<
    worker,
    boost::intrusive::member_hook<worker, boost::intrusive::list_member_hook<>,
                                  &worker::unsorted_hook>>;

  void changed(worker& worker) noexcept;

  // The offered workers, those that have changed since the last choice apart.
  workers_by_use sorted_;
  unsorted_workers unsorted_;
};

} // namespace libpool
