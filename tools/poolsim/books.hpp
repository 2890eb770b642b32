#pragma once

#include "result.hpp"
#include "scenario.hpp"
#include "seat_meter.hpp"

#include <vector>

namespace poolsim {

/// Collects the data for the result while a simulation runs.
class books {
public:
  books(const scenario& scenario, const run_listener& listener);

  /// Adds a row for the next task, and returns its number.
  std::size_t submitted(std::size_t flow, duration now);

  void refused(std::size_t task, libpool::errc why);

  /// Records that the client of the task has an answer.
  void answered(std::size_t task, fate is, libpool::errc why, duration now);

  void note(const task_run& run);

  task_row& row(std::size_t task) {
    return rows_[task];
  }

  /// Returns the position of the flow among the flows that have submitted a
  /// task, from 1.
  std::size_t rank(std::size_t flow);

  /// Returns the indices in the scenario of the flows of the result.
  const std::vector<std::size_t>& flows() const noexcept {
    return flows_;
  }

  /// Returns the result, without the workers, the ledger and the messages.
  result close(duration now);

private:
  std::vector<flow_row> flow_rows(duration now);
  void count_fates(result& result) const;

  const scenario& scenario_;
  const run_listener& listener_;
  seat_meter meter_;
  std::vector<task_row> rows_;
  duration makespan_{0};
  std::vector<std::size_t> flows_; // in the order of their first submissions
  std::vector<std::size_t> ranks_; // by flow, from 1; 0: no submission
};

} // namespace poolsim
