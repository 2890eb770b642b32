#pragma once

#include "libpool/policies/weighted.hpp"

#include <cstddef>
#include <map>
#include <optional>

namespace libpool {

/// Placement that applies weighted round robin in small portions. The weight of
/// a worker is its budget of time per cycle. A cycle has one round for each
/// distinct weight, in ascending order. In the round of weight r, each worker
/// with a weight of at least r is chosen until the worker has used a time of r
/// in this cycle. The shares are those of `weighted_round_robin`, exact in the
/// long run, but a worker with a large weight does not get its whole budget at
/// once. With weights of 1, 2 and 3, tasks of one unit go to workers 0 1 2 1 2
/// 2.
///
/// A worker that has exceeded its budget in a cycle gets less time in the
/// following cycles, by the amount of the excess.
///
/// Source: Tabatabaee, Le Boudec and Boyer, "Interleaved Weighted Round-Robin:
///         A Network Calculus Analysis", 2020.
/// Order:  within a round, the order in which the workers joined; workers
///         without room are passed over.
/// Cost:   O(log workers) for a choice while the turn of a worker lasts;
///         otherwise O(workers), because the next worker depends on the used
///         budgets of all workers. O(workers), a short move in memory, when a
///         worker is offered or withdrawn.
class interleaved_weighted_round_robin final : public weighted {
public:
  /// Makes a placement that has no workers yet.
  ///
  /// Errors: std::invalid_argument if an option is out of bounds; the error
  ///         names the option.
  explicit interleaved_weighted_round_robin(
    const estimate_options& options = {});

  void joined(worker& worker, instant now) noexcept override;
  void left(worker& worker, instant now) noexcept override;

private:
  struct position {
    duration round{0};                   // weight of the round; 0: none yet
    std::optional<worker_number> cursor; // worker chosen last
    duration::rep cycles = 0;            // cycles that the choice begins
  };

  estimate_record& pick(const records& room) noexcept override;
  void took_turn() noexcept override;

  void enter_round_that_exists() noexcept;
  estimate_record* rest_of_round(const records& room,
                                 records::const_iterator from) noexcept;
  estimate_record* later_round(const records& room) noexcept;
  void next_cycle(const records& room) noexcept;
  bool is_served(const estimate_record& record) const noexcept;
  duration used(const estimate_record& record) const noexcept;
  duration round_after(duration used) const noexcept;

  std::map<duration, std::size_t> weights_; // number of workers by weight
  position at_;
  /// Position after the last choice. It becomes the current position `at_` in
  /// `took_turn`.
  position next_;
};

} // namespace libpool
