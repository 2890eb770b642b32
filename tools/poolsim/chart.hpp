#pragma once

#include "result.hpp"
#include "scenario.hpp"

#include "libpool/timeline/timeline.hpp"

namespace poolsim {

/// Collects what is to be drawn of a simulation.
class chart {
public:
  /// @pre `what` outlives it
  explicit chart(const scenario& scenario);

  /// A worker was at a task.
  void add(const task_run& run);

  /// The simulation has come to its end: what was never started is missing yet.
  void finish(const result& end);

  const libpool::timeline& all() const noexcept {
    return all_;
  }

private:
  const scenario& scenario_;
  libpool::timeline all_;
};

} // namespace poolsim
