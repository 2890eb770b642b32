#pragma once

#include "libpool/actors/caf/port/return_path.hpp"
#include "libpool/actors/caf/port/tracked_element.hpp"
#include "libpool/actors/managed/leases.hpp"
#include "libpool/actors/managed/managed_task.hpp"
#include "libpool/core/instant.hpp"
#include "libpool/core/restriction.hpp"
#include "libpool/core/worker.hpp"

#include <caf/actor.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace libpool {

/// An answer that is sent once `missing` workers have left.
struct pending_answer {
  return_path to;
  std::size_t missing = 0;
};

/// A worker of a managed pool.
struct managed_worker : worker {
  caf::actor handle;
  /// Its name as an actor, or its class; stays when it has ended.
  std::string name;
  tracked_element::receiver receiver;
  /// Whether it is stopped when it is dismissed.
  bool stops = false;
  /// Whether a user has taken it out of the pool.
  bool is_taken_out = false;
  /// Whether it shares the threads of the scheduler. One that has a thread of
  /// its own must not wait for these.
  bool takes_turns = false;
  /// Whether it is on another node: contents go there as bytes.
  bool is_node = false;
  /// Whether it has shown to be dead before its death is told.
  bool is_presumed_dead = false;
  /// How many tasks it has ended since it paused last, and how long they took.
  unsigned ended = 0;
  duration ran{0};
  /// When the clock was looked at last, where tasks are not measured.
  instant looked{};
  /// Whether the pool may leave it several messages at a time: it is an actor
  /// of the usual kind, and gets one task at a time.
  bool may_go_on = false;
  /// Made when it gets its first one.
  std::unique_ptr<worker_lease> lease;
  /// The answers that are sent once it has left.
  std::vector<std::shared_ptr<pending_answer>> waiting;
  /// The restriction of tasks to this worker, and the parts of messages that it
  /// alone was asked for.
  restriction alone;
  managed_task_list<&managed_task::asked_hook> asked;
};

/// The worker that has the task.
inline managed_worker& worker_of(const task& task) noexcept {
  return static_cast<managed_worker&>(*task.on);
}

/// Returns the worker in the words of an error, see `describe`.
std::string words_of(const managed_worker& worker);

} // namespace libpool
