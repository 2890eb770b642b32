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
  /// Counts the runs of the simulation, from 1; 0: it does not run.
  std::uint64_t run = 0;
  /// The message that it is a task of, if messages are gathered, which of its
  /// tasks it is, and the worker that alone may run it.
  gathered_message* message = nullptr;
  std::size_t number = 0;
  server* asked_of = nullptr;
  /// Whether another task stands for it.
  bool is_replaced = false;
  /// Whether the worker that alone may run it left in good order.
  bool is_removed = false;
  /// The line that it stands for, until it goes as the first task of that; and
  /// whether it has, so that others may go with it.
  waiting_line* head_of = nullptr;
  bool leads = false;
};

/// A worker with the mailbox that the dispatcher fills.
struct server : libpool::worker {
  std::size_t id = 0;
  std::size_t free = 1;
  std::uint64_t completed = 0;
  /// Not started, the next one first.
  std::deque<job*> inbox;
  /// That it goes on with by itself, since then.
  std::deque<waiting_task> lease;
  duration leased_at{0};
  /// When it ended a task last.
  duration ended_at{-1};
  /// That only this one may run a task, and the open tasks.
  libpool::restriction alone;
  std::vector<job*> asked;

  std::size_t seats_for(const job& job) const noexcept {
    return std::min(job.width, seats);
  }

  /// The seats of the pool, where it counts them, or its own.
  std::size_t seats_held(const job& job) const noexcept {
    return job.seats > 0 ? job.seats : seats_for(job);
  }
};

} // namespace poolsim
