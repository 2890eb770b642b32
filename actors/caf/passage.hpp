#pragma once

#include "libpool/actors/caf/port/return_path.hpp"

#include <caf/actor_addr.hpp>
#include <caf/message.hpp>

#include <memory>

namespace libpool {

struct managed_task;

/// The facts about a message of an outer pool that an inner pool can know
/// before the message begins.
///
/// Threads: belongs to whichever pool has the message, and from its beginning
/// on to none; `owner` and `way.id` do not change; `task` is the owner's.
struct passage {
  /// The pool that has sent it.
  caf::actor_addr owner;
  /// The client, and the id with which it has sent the message.
  return_path way;
  /// Until it begins.
  caf::message content;
  /// The owner's task, for as long as there is one; only the owner looks at it.
  managed_task* task = nullptr;
};

} // namespace libpool
