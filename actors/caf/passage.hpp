#pragma once

#include "libpool/actors/caf/port/return_path.hpp"
#include "libpool/core/instant.hpp"

#include <caf/actor_addr.hpp>
#include <caf/message.hpp>

#include <memory>
#include <optional>

namespace libpool {

struct task;
struct task_facts;

/// What an inner pool can know about a message of an outer pool before the
/// message begins.
///
/// Threads: used by the pool that has the message, until the message begins.
///          `owner` and `way.id` are constant. `task` is used only by the
///          owner.
struct passage {
  /// The pool that sent the message.
  caf::actor_addr owner;
  /// Client, and id with which the client sent the message.
  return_path way;
  /// Content of the message, until it begins.
  caf::message content;
  /// Task of the owner, while it exists.
  libpool::task* task = nullptr;
  /// What handlers can know of the task; only for nodes and their local pools.
  std::shared_ptr<const task_facts> facts;
  /// Time at which the handler began; `never` if unknown; only for nodes. Used
  /// only by the owner.
  instant began = never;
  /// Duration of the last handler that has ended, without the time for which
  /// the message waited for its worker to be scheduled; unset if unknown.
  /// Written by the pool that has the message, until the message ends there.
  std::optional<duration> took;
};

} // namespace libpool
