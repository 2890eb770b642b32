#pragma once

#include "libpool/actors/caf/port/tracked_element.hpp"
#include "libpool/actors/caf/queued_element.hpp"
#include "libpool/actors/managed/managed_task.hpp"
#include "libpool/actors/managed/user_answer.hpp"
#include "libpool/core/gather.hpp"
#include "libpool/core/instant.hpp"
#include "libpool/core/worker_number.hpp"

#include <caf/actor.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace libpool {

/// An answer that is given when `missing` workers have left.
struct pending_answer {
  user_answer give; // nullptr: no user waits for the answer
  std::size_t missing = 0;
};

class node_worker;

struct managed_worker;

/// A lease of a worker.
struct worker_lease : lease<queued_element> {
  /// Makes an empty lease of the worker `owner`.
  explicit worker_lease(managed_worker& owner) noexcept : worker(owner) {
    // nop
  }

  /// Worker that gets the lease.
  managed_worker& worker;
  /// Tasks of the messages; empty if the worker does not have the lease.
  std::vector<managed_task*> tasks;
};

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
  /// Time at which the worker was last sent something; kept only if times are
  /// not measured.
  instant sent_at{};
  /// The lease; nullptr before the first one. See `leasing`.
  std::unique_ptr<worker_lease> lease;
  /// Answers that are given when the worker has left.
  std::vector<std::shared_ptr<pending_answer>> waiting;

  /// Whether the worker has a lease.
  bool has_lease() const noexcept {
    return lease != nullptr && !lease->tasks.empty();
  }
};

/// Returns the worker that has the task.
inline managed_worker& worker_of(const task& task) noexcept {
  return static_cast<managed_worker&>(*task.on);
}

/// Returns the worker as error texts name it, see `describe`.
std::string words_of(const managed_worker& worker);

} // namespace libpool
