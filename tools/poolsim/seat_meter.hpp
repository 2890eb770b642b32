#pragma once

#include "result.hpp"
#include "scenario.hpp"

#include <vector>

namespace poolsim {

/// Mean number of seats that the tasks of each flow held, in each of several
/// windows of time.
///
/// Cost: O(windows) for each run.
class seat_meter {
public:
  explicit seat_meter(const scenario& scenario);

  void add(const task_run& run);

  /// Returns the means of a flow, for a simulation that ended at `now`. A
  /// window counts with its full length, including a part after `now`.
  std::vector<double> means(std::size_t flow, duration now) const;

private:
  __extension__ using seat_time = unsigned __int128;

  std::vector<std::pair<duration, duration>> windows_;
  bool measures_all_;
  std::vector<seat_time> sums_; // by flow, then by window
};

} // namespace poolsim
