#pragma once

#include "libpool/export.hpp"
#include "libpool/policies/placement/weighted.hpp"

#include <cstddef>
#include <map>

namespace libpool {

/// Weighted round robin in small portions. A worker's weight is the time that
/// it gets in each cycle. A cycle has one round for each distinct weight, the
/// smallest weight first. In the round of the weight r, each worker with a
/// weight of at least r is chosen until its tasks have taken the time r in this
/// cycle. In the long run, time is shared exactly in proportion to the weights,
/// but no worker gets its time all at once. Example: with weights of 1, 2 and
/// 3, tasks of one unit go to workers 0 1 2 1 2 2.
///
/// If the tasks of a worker take longer than its weight in a cycle, the worker
/// gets less time in the following cycles, by this excess.
///
/// Source: Tabatabaee, Le Boudec and Boyer, "Interleaved Weighted Round-Robin:
///         A Network Calculus Analysis", 2020.
/// Order:  within a round, the order in which the workers joined; a worker that
///         joins later has its first turn, in the next round, after all others;
///         workers without room are passed over.
/// Cost:   O(log workers) for a choice while the turn of a worker lasts;
///         otherwise O(workers), because the next worker depends on the used
///         budgets of all workers. O(workers), a short move in memory, when a
///         worker is offered or withdrawn.
class LIBPOOL_EXPORT interleaved_weighted_round_robin final : public weighted {
public:
  /// Makes a placement for a pool without workers.
  ///
  /// Errors: std::invalid_argument if an option is out of bounds; the error
  ///         names the option.
  explicit interleaved_weighted_round_robin(
    const estimate_options& options = {});

  void joined(worker& worker, instant now) noexcept override;
  void left(worker& worker, instant now) noexcept override;
  bool reweighed(worker& worker, duration before) noexcept override;

private:
  void forget_weight(duration weight) noexcept;

  struct position {
    duration round{0};        // weight of the round; 0: none yet
    duration::rep cycles = 0; // cycles that the choice begins
  };

  estimate_record& pick(const records& room) noexcept override;
  void ended_turns() noexcept override;

  void enter_round_that_exists() noexcept;
  estimate_record* rest_of_round(const records& room,
                                 records::const_iterator source) noexcept;
  estimate_record* later_round(const records& room) noexcept;
  void next_cycle(const records& room) noexcept;
  bool is_served(const estimate_record& record) const noexcept;
  duration used(const estimate_record& record) const noexcept;
  duration round_after(duration used) const noexcept;

  std::map<duration, std::size_t> weights_; // number of workers by weight
  position at_;
  /// Round of the last choice. Becomes the current position `at_` if the chosen
  /// worker gets the task (`ended_turns`).
  position next_;
};

} // namespace libpool
