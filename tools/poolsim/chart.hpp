#pragma once

#include "result.hpp"
#include "scenario.hpp"

#include "libpool/timeline/timeline.hpp"

namespace poolsim {

/// Collects the runs of a simulation, to draw them.
class chart {
public:
  /// @pre `scenario` outlives the chart
  explicit chart(const scenario& scenario);

  /// A worker was at a task.
  void add(const task_run& run);

  /// The simulation has come to its end: tasks that were never started are
  /// missing yet.
  void finish(const result& end);

  const libpool::timeline& all() const noexcept {
    return all_;
  }

private:
  const scenario& scenario_;
  libpool::timeline all_;
};

} // namespace poolsim
