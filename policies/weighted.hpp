#pragma once

#include "libpool/policies/estimating_placement.hpp"

#include <optional>
#include <vector>

namespace libpool {

/// Base class of placements that give each worker a budget of time.
class weighted : public estimating_placement {
protected:
  /// List of the records of some workers.
  using records = std::vector<estimate_record*>;

  using estimating_placement::estimating_placement;

  /// Returns the record of the worker that gets the next task. `room` has the
  /// records of the workers to choose from, in the order in which the workers
  /// joined. The choice takes effect in `took_turn`, which is called only if
  /// the worker gets the task.
  /// @pre !room.empty()
  virtual estimate_record& pick(const records& room) noexcept = 0;

  /// Returns the budget of time that the worker gets for each turn: its weight
  /// or, without weights, the common estimate of the cost of a task.
  duration weight_of(const estimate_record& record) const noexcept;

  std::optional<duration>
  charge_for(const estimate_record& record) const noexcept override;

  /// Returns the position of the first worker in `room` whose number is at
  /// least `cursor`.
  static records::const_iterator at_or_behind(const records& room,
                                              worker_number cursor) noexcept;

private:
  void entered(estimate_record& record) noexcept override;
  void withdrew(estimate_record& record) noexcept override;
  void changed(estimate_record& record) noexcept override;
  worker* best(instant now) noexcept override;
  worker* best_of(const std::vector<worker*>& some,
                  instant now) noexcept override;

  records offered_; // in the order in which they joined
  records some_;
};

} // namespace libpool
