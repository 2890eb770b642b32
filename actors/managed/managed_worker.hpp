#pragma once

#include "libpool/actors/caf/port/return_path.hpp"
#include "libpool/actors/caf/port/tracked_element.hpp"
#include "libpool/actors/caf/queued_element.hpp"
#include "libpool/actors/managed/managed_task.hpp"
#include "libpool/core/gather.hpp"
#include "libpool/core/instant.hpp"
#include "libpool/core/worker_number.hpp"

#include <caf/actor.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace libpool {

/// An answer that is sent when `missing` workers have left.
struct pending_answer {
  return_path to;
  std::size_t missing = 0;
};

class node_worker;

/// A worker of a managed pool.
struct managed_worker : gather_worker {
  caf::actor handle;
  /// Name of the actor or of its class. Stays after the actor has ended.
  std::string name;
  tracked_element::receiver receiver;
  /// Whether the worker is stopped when it is dismissed.
  bool stops = false;
  /// Whether the worker shares the threads of the scheduler. A worker with its
  /// own thread must not wait for these threads.
  bool takes_turns = false;
  /// The node that the worker is; nullptr if it is not a node.
  const node_worker* node = nullptr;
  /// Whether the worker is a pool that has reported that it contains this pool.
  bool contains_this = false;
  /// Whether the worker is known to have ended although its end was not
  /// reported yet.
  bool is_presumed_dead = false;
  /// Number of tasks since the last pause, and their total duration.
  unsigned ended = 0;
  duration ran{0};
  /// Last look at the clock, if tasks are not measured.
  instant looked{};
  /// The lease; nullptr before the first one.
  std::unique_ptr<worker_lease> lease;
  /// Tasks of the lease, from the first one on; empty if the worker has no lease
  /// of tasks. See `task_leasing`.
  std::vector<managed_task*> leased;
  /// Descriptions of the messages of the lease, if the pool describes messages.
  std::vector<message_note> notes;
  /// Kinds and clients of the messages of the lease, if the pool was recorded
  /// when the lease was filled.
  std::vector<recorded_names> recorded;
  /// Interceptors of the messages of the lease, nullptr for messages without
  /// one; empty if no answer passes the pool.
  std::vector<std::shared_ptr<reply_interceptor>> interceptors;
  /// Answers that are sent when the worker has left.
  std::vector<std::shared_ptr<pending_answer>> waiting;
};

/// Returns the worker that has the task.
inline managed_worker& worker_of(const task& task) noexcept {
  return static_cast<managed_worker&>(*task.on);
}

/// Returns the worker as error texts name it, see `describe`.
std::string words_of(const managed_worker& worker);

} // namespace libpool
