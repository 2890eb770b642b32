#pragma once

#include "libpool/core/placement.hpp"
#include "libpool/policies/kind_estimates.hpp"
#include "libpool/policies/option.hpp"

#include <boost/intrusive/set.hpp>

#include <optional>
#include <vector>

namespace libpool {

/// The options of `join_shortest_estimated_queue`. Their bounds and meanings
/// are in `options_in`, and listed in docs/policies.md.
struct shortest_queue_options {
  double alpha = 0.25;
};

std::vector<option> options_in(shortest_queue_options& options);

/// The worker with the least work in flight, in time rather than in tasks: each
/// task counts what its kind has taken lately, or what it is known to take. So
/// a long task is not followed by another one where short ones are under way
/// elsewhere, as with `least_used`; and where tasks differ more than workers,
/// it needs no history of each worker, as `fair_share` does.
///
/// Before a task of any kind has ended, and of tasks that all take the same,
/// this is the worker with the fewest tasks in flight. Workers of different
/// speed are told apart only by how long their queues stay.
///
/// Source: "least work left" of queueing theory, with estimates in place of the
///         lengths, which are not known; "join the shortest queue" (Haight
///         1958) counts tasks.
/// Load:   the kinds of tasks, see `kind_estimates`.
/// Cost:   O(log workers) per choice and per end.
/// Time:   service times are measured.
class join_shortest_estimated_queue final : public placement {
public:
  /// Errors: std::invalid_argument names the option that is out of bounds.
  explicit join_shortest_estimated_queue(
    const shortest_queue_options& options = {});

  void joined(worker& worker, instant now) noexcept override;
  void left(worker& worker, instant now) noexcept override;
  void offered(worker& worker, instant now) noexcept override;
  void withdrawn(worker& worker, instant now) noexcept override;
  void assigned(worker& worker, task& task, instant now) noexcept override;
  void measured(worker& worker, task& task, ending how, duration cost,
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
