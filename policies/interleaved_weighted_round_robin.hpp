#pragma once

#include "libpool/policies/weighted.hpp"

#include <cstddef>
#include <map>
#include <optional>

namespace libpool {

/// Weighted round robin in small portions: a cycle has a round for each weight
/// there is, in ascending order, and in the round of weight r each worker whose
/// weight is at least r is served up to r. Shares are those of
/// `weighted_round_robin`, exact in the long run, but a heavy worker does not
/// get its whole budget in one go: units of work to weights of 1, 2 and 3 are
/// given to 0 1 2 1 2 2.
///
/// A worker that has used more than its budget in a cycle sits out as much of
/// the next ones.
///
/// Source: Tabatabaee, Le Boudec and Boyer, "Interleaved Weighted Round-Robin:
///         A Network Calculus Analysis", 2020.
/// Order:  as they joined, within a round; workers without room are passed
///         over.
/// Cost:   O(1) for a worker that may go on, otherwise O(workers), since the
///         next worker depends on the used budget of each. O(workers), a short
///         move in memory, when one is offered.
class interleaved_weighted_round_robin final : public weighted {
public:
  /// Errors: std::invalid_argument names the option that is out of bounds.
  explicit interleaved_weighted_round_robin(
    const estimate_options& options = {});

  void joined(worker& worker, instant now) noexcept override;
  void left(worker& worker, instant now) noexcept override;

private:
  struct position {
    duration round{0};                   // its weight; 0 before the first
    std::optional<worker_number> cursor; // where the last choice was made
    duration::rep cycles = 0;            // that have begun since
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

  std::map<duration, std::size_t> weights_; // how many workers have them
  position at_;
  /// Of the worker that was chosen last, if its turn is taken.
  position next_;
};

} // namespace libpool
