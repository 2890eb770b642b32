#pragma once

#include "arrivals.hpp"
#include "waiting.hpp"

#include "libpool/core/restriction.hpp"
#include "libpool/core/task.hpp"
#include "libpool/core/worker.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

namespace poolsim {

struct gathered_message;
struct server;

/// A task in the pool.
struct job : libpool::task {
  std::size_t id = 0;
  std::size_t slot = 0;
  arrival from;
  /// Number of the current run among all runs of the simulation, from 1; 0 if
  /// the task does not run.
  std::uint64_t run = 0;
  /// The message that the task belongs to if messages are gathered, the index
  /// of the task in the message, and the only worker that may run it.
  gathered_message* message = nullptr;
  std::size_t number = 0;
  server* asked_of = nullptr;
  /// Whether another task replaces this one.
  bool is_replaced = false;
  /// Whether the only worker that may run the task has left in good order.
  bool is_removed = false;
  /// The line whose head the task is, until it goes to a worker as the first
  /// task of the line; and whether it has gone, so that other tasks can follow.
  waiting_line* head_of = nullptr;
  bool leads = false;
};

/// A worker, with the mailbox that the dispatcher fills.
struct server : libpool::worker {
  std::size_t id = 0;
  std::size_t free = 1;
  std::uint64_t completed = 0;
  /// Tasks that have not started, the next one first.
  std::deque<job*> inbox;
  /// Tasks of the current lease, and the time at which it was filled.
  std::deque<waiting_task> lease;
  duration leased_at{0};
  /// End of the last task.
  duration ended_at{-1};
  /// Restriction to this worker, and the open tasks with it.
  libpool::restriction alone;
  std::vector<job*> asked;

  std::size_t seats_for(const job& job) const noexcept {
    return std::min(job.width, seats);
  }

  /// Seats that the task takes: as the pool counts them, or as the worker has
  /// them.
  std::size_t seats_held(const job& job) const noexcept {
    return job.seats > 0 ? job.seats : seats_for(job);
  }
};

} // namespace poolsim
