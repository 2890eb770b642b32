#pragma once

#include "libpool/policies/weighted.hpp"

#include <cstddef>
#include <map>
#include <optional>

namespace libpool {

/// Placement that applies weighted round robin in small portions. A cycle has
/// one round for each distinct weight, in ascending order. In the round of
/// weight r, each worker with a weight of at least r is served until it has
/// used r. The shares are those of `weighted_round_robin`, exact in the long
/// run, but a heavy worker does not get its whole budget at once: with weights
/// of 1, 2 and 3, tasks of one unit go to workers 0 1 2 1 2 2.
///
/// A worker that has used more than its budget in a cycle is served less by
/// that amount in the following cycles.
///
/// Source: Tabatabaee, Le Boudec and Boyer, "Interleaved Weighted Round-Robin:
///         A Network Calculus Analysis", 2020.
/// Order:  within a round as the workers joined; workers without room are
///         passed over.
/// Cost:   O(log workers) for a worker that may continue its turn, otherwise
///         O(workers), because the next worker depends on the used budget of
///         each. O(workers), a short move in memory, when a worker is offered.
class interleaved_weighted_round_robin final : public weighted {
public:
  /// Errors: std::invalid_argument names the option that is out of bounds.
  explicit interleaved_weighted_round_robin(
    const estimate_options& options = {});

  void joined(worker& worker, instant now) noexcept override;
  void left(worker& worker, instant now) noexcept override;

private:
  struct position {
    duration round{0};                   // its weight; 0: none has begun
    std::optional<worker_number> cursor; // worker chosen last
    duration::rep cycles = 0;            // begun by this choice
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

  std::map<duration, std::size_t> weights_; // workers by weight
  position at_;
  /// Position after the last choice; `at_` becomes this if the turn is taken.
  position next_;
};

} // namespace libpool
