#pragma once

#include "arrivals.hpp"

#include "libpool/core/gather.hpp"
#include "libpool/core/task.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>

namespace poolsim {

/// A task in the pool.
struct job : libpool::task, libpool::gather_part {
  std::size_t id = 0;
  std::size_t slot = 0;
  arrival from;
  /// Number of the current run among all runs of the simulation, from 1; 0 if
  /// the task does not run.
  std::uint64_t run = 0;
  /// Number of the task among all tasks that were sent to nodes.
  std::uint64_t at_nodes = 0;
  /// Index in the errors of the scenario, from 1, of the error that the last
  /// run has answered with; 0: none.
  std::uint32_t error = 0;
  /// Whether another task replaces this one.
  bool is_replaced = false;
  /// Whether the only worker that may run the task has left in good order.
  bool is_removed = false;
};

/// A worker, with the mailbox that the dispatcher fills.
struct server : libpool::gather_worker {
  std::size_t id = 0;
  /// Index in the scenario of the worker whose settings this worker has.
  std::size_t like = 0;
  std::size_t free = 1;
  std::uint64_t completed = 0;
  /// Tasks that have not started, the next one first.
  std::deque<job*> inbox;

  std::size_t seats_for(const job& job) const noexcept {
    return std::min(job.notes().width, seats);
  }
};

} // namespace poolsim
