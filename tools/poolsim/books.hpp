#pragma once

#include "result.hpp"
#include "scenario.hpp"
#include "seat_meter.hpp"

#include <vector>

namespace poolsim {

/// The notes that are taken while a simulation runs, for its result.
class books {
public:
  books(const scenario& scenario, const run_listener& listener);

  /// Opens the row of the next task.
  std::size_t submitted(std::size_t flow, duration now);

  void refused(std::size_t task, libpool::errc why);

  /// Its client has an answer.
  void answered(std::size_t task, fate is, libpool::errc why, duration now);

  void note(const task_run& run);

  task_row& row(std::size_t task) {
    return rows_[task];
  }

  /// The place of the flow among the flows that have submitted something, from
  /// 1.
  std::size_t rank(std::size_t flow);

  /// Hands out all but the workers, the ledger and the messages.
  result close(duration now);

private:
  std::vector<flow_row> flow_rows(duration now);

  const scenario& scenario_;
  const run_listener& listener_;
  seat_meter meter_;
  std::vector<task_row> rows_;
  duration makespan_{0};
  std::vector<std::size_t> flows_; // in the order of their first submissions
  std::vector<std::size_t> ranks_; // of flows in that order, from 1; 0: none
};

} // namespace poolsim
