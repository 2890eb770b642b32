#pragma once

#include <caf/actor_addr.hpp>
#include <caf/mailbox_element.hpp>
#include <caf/message.hpp>
#include <caf/message_id.hpp>

#include <memory>

namespace libpool {

struct managed_task;

/// The facts about a message of an outer pool that an inner pool can know
/// before the message begins.
///
/// Threads: belongs to whichever pool has the message, and from its beginning
/// on to none; `owner` and `id` do not change; `task` is the owner's.
struct passage {
  /// The pool that has sent it.
  caf::actor_addr owner;
  /// The id with which the client has sent the message.
  caf::message_id id;
  caf::strong_actor_ptr sender;
  caf::mailbox_element::forwarding_stack stages;
  /// Until it begins.
  caf::message content;
  /// The owner's task, for as long as there is one; only the owner looks at it.
  managed_task* task = nullptr;
};

} // namespace libpool
