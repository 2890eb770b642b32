#pragma once

#include "result.hpp"
#include "scenario.hpp"

#include "libpool/observability/timeline/timeline.hpp"

namespace poolsim {

/// Collects the runs of a simulation for a picture.
class chart {
public:
  /// @pre `scenario` outlives the chart
  explicit chart(const scenario& scenario);

  /// Adds a run.
  void add(const task_run& run);

  /// Adds the tasks that were never started, at the end of the simulation.
  void finish(const result& end);

  const libpool::timeline& all() const noexcept {
    return all_;
  }

private:
  const scenario& scenario_;
  libpool::timeline all_;
};

} // namespace poolsim
