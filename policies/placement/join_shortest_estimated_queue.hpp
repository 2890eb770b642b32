#pragma once

#include "libpool/core/kind_estimates.hpp"
#include "libpool/core/placement.hpp"
#include "libpool/export.hpp"
#include "libpool/policies/placement/placement_options.hpp"

#include <boost/intrusive/set.hpp>

#include <optional>
#include <vector>

namespace libpool {

/// Placement that chooses the worker with the least work in flight, measured in
/// time rather than in tasks. A task counts with its own estimate if it has
/// one, otherwise with the average service time of recent tasks of its kind.
/// Tasks of one kind take about the same time. Unlike `least_used`, the
/// placement gives no second task to a worker with a long task while other
/// workers have only short tasks. Unlike `fair_share`, it keeps no history of
/// each worker, which is an advantage if tasks differ more than workers.
///
/// Before a task of any kind has ended, or if all tasks take the same time, the
/// placement chooses the worker with the fewest tasks in flight. Estimates do
/// not depend on the worker, so slow workers are avoided only because their
/// queues shrink more slowly.
///
/// Source: "least work left" of queueing theory, with estimates in place of the
///         unknown lengths; "join the shortest queue" (Haight 1958) counts
///         tasks.
/// Load:   one estimate for each kind of task, see `kind_estimates`.
/// Cost:   O(log workers) for each assignment and each end of a task.
/// Time:   the estimates come from measured service times.
class LIBPOOL_EXPORT join_shortest_estimated_queue final : public placement {
public:
  /// Makes a placement for a pool without workers.
  ///
  /// Errors: std::invalid_argument if an option is out of bounds; the error
  ///         names the option.
  explicit join_shortest_estimated_queue(
    const shortest_queue_options& options = {});

  void joined(worker& worker, instant now) noexcept override;
  void left(worker& worker, instant now) noexcept override;
  void offered(worker& worker, instant now) noexcept override;
  void withdrawn(worker& worker, instant now) noexcept override;
  void assigned(worker& worker, task& task, instant now) noexcept override;
  void measured(worker& worker, task& task, ending ending, duration cost,
                instant now) noexcept override;
  void unassigned(worker& worker, task& task, instant now) noexcept override;

  std::optional<measure> measures() const noexcept override {
    return measure::service_time;
  }

  bool goes_by_kinds() const noexcept override {
    return true;
  }

  worker* choose(const task& task, instant now) noexcept override;
  worker* choose_among(const std::vector<worker*>& some, const task& task,
                       instant now) noexcept override;

private:
  struct has_less_work {
    bool operator()(const worker& x, const worker& y) const noexcept;
  };

  using workers_by_work = boost::intrusive::set<
    worker, boost::intrusive::compare<has_less_work>,
    boost::intrusive::member_hook<worker, boost::intrusive::set_member_hook<>,
                                  &worker::placement_hook>>;

  void add_work(worker& worker, duration more) noexcept;

  kind_estimates estimates_;
  workers_by_work offered_;
};

} // namespace libpool
