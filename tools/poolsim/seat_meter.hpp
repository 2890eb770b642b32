#pragma once

#include "result.hpp"
#include "scenario.hpp"

#include <vector>

namespace poolsim {

/// How many seats the tasks of each flow held, on average, in each of some
/// windows of time.
///
/// Cost: O(windows) per run.
class seat_meter {
public:
  explicit seat_meter(const scenario& scenario);

  void add(const task_run& run);

  /// The averages of a flow, for a simulation that ended at `now`. A window
  /// counts in full, even the part of it that has not come.
  std::vector<double> means(std::size_t flow, duration now) const;

private:
  __extension__ using seat_time = unsigned __int128;

  std::vector<std::pair<duration, duration>> windows_;
  bool measures_all_;
  std::vector<seat_time> sums_; // by flow, then by window
};

} // namespace poolsim
