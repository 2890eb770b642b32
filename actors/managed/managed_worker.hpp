#pragma once

#include "libpool/actors/caf/return_path.hpp"
#include "libpool/actors/caf/tracked_element.hpp"
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
  /// In errors, also when it has ended.
  std::string name;
  tracked_element::receiver receiver;
  /// Whether it is stopped when it is dismissed.
  bool stops = false;
  /// Whether it is to get nothing more because a user wants that.
  bool is_taken_out = false;
  /// Whether it shares the threads of the scheduler. One that has a thread of
  /// its own must not wait for these.
  bool takes_turns = false;
  /// Whether it has shown to be dead before its death is told.
  bool is_presumed_dead = false;
  /// Since it paused last.
  unsigned ended = 0;
  duration ran{0};
  /// At the clock, where tasks are not measured.
  instant looked{};
  std::vector<std::shared_ptr<pending_answer>> waiting;
  /// That only this one may run a task, and the tasks.
  restriction alone;
  managed_task_list<&managed_task::asked_hook> asked;
};

} // namespace libpool
