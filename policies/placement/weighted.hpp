#pragma once

#include "libpool/export.hpp"
#include "libpool/policies/placement/estimating_placement.hpp"

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

namespace libpool {

/// Base class of placements in which workers take turns, and the weight of each
/// worker is the time that it gets per turn.
///
/// A worker that joins has its turn after all other workers: its place in the
/// order of turns is immediately behind the worker chosen last. Between two
/// turns of a worker, each other place has at most one turn, however many
/// workers join and leave.
///
/// Cost: O(workers) for a worker that joins after a choice, a short addition
///       for each; O(1) for further workers until the next choice.
class LIBPOOL_EXPORT weighted : public estimating_placement {
public:
  void joined(worker& worker, instant now) noexcept override;
  void left(worker& worker, instant now) noexcept override;
  bool reweighed(worker& worker, duration before) noexcept override;

protected:
  /// List of the data that the placement keeps of some workers, one record for
  /// each worker.
  using records = std::vector<estimate_record*>;

  using estimating_placement::estimating_placement;

  /// Returns the record of the worker that should get the next task. `room` has
  /// the records of the workers to choose from, in the order of their turns.
  /// The turns of workers change only in `ended_turns`, which is called if the
  /// worker gets the task.
  /// @pre !room.empty()
  virtual estimate_record& pick(const records& room) noexcept = 0;

  /// Called when the worker that `pick` returned gets the task.
  virtual void ended_turns() noexcept = 0;

  /// Returns the position in the order of turns of the worker chosen last. The
  /// worker may have left. Before the first choice, the position is behind all
  /// workers.
  std::uint64_t cursor() const noexcept {
    return cursor_;
  }

  /// Returns the time that the worker gets per turn: its weight. If the workers
  /// of the pool have no weights, the result is the estimated cost of one task.
  duration weight_of(const estimate_record& record) const noexcept;

  std::optional<duration>
  charge_for(const estimate_record& record) const noexcept override;

  /// Returns the position in `room` of the first worker whose turn is at least
  /// `turn`. `room` is sorted by turns.
  static records::const_iterator at_or_behind(const records& room,
                                              std::uint64_t turn) noexcept;

private:
  static constexpr auto behind_all = std::numeric_limits<std::uint64_t>::max();

  void entered(estimate_record& record) noexcept override;
  void withdrew(estimate_record& record) noexcept override;
  void changed(estimate_record& record) noexcept override;
  worker* best(instant now) noexcept override;
  worker* best_of(const std::vector<worker*>& some,
                  instant now) noexcept override;
  void took_turn() noexcept override;

  worker* picked_from(const records& room) noexcept;
  void make_room_behind_cursor() noexcept;
  duration smallest_weight() const noexcept;

  records offered_; // in the order of turns
  records some_;
  std::uint64_t cursor_ = behind_all;
  /// Turn of the next worker that joins. No worker has a turn from this one up
  /// to the cursor.
  std::uint64_t next_turn_ = 0;
  const estimate_record* picked_ = nullptr; // result of the last `pick`
  /// Worker with the smallest weight; nullptr, or a worker that does not serve:
  /// to be determined anew.
  mutable const estimate_record* lightest_ = nullptr;
};

} // namespace libpool
