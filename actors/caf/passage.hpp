#pragma once

#include <caf/actor_addr.hpp>
#include <caf/mailbox_element.hpp>
#include <caf/message.hpp>
#include <caf/message_id.hpp>

#include <memory>

namespace libpool {

struct managed_task;

/// A message that one managed pool has sent to another pool: what that one can
/// know of it before it begins.
///
/// Threads: belongs to whoever has the message, and from its beginning on to
///          nobody; `owner` and `id` do not change; `task` is the owner's.
struct passage {
  /// The pool that has sent it.
  caf::actor_addr owner;
  /// As the client has sent it.
  caf::message_id id;
  caf::strong_actor_ptr sender;
  caf::mailbox_element::forwarding_stack stages;
  /// Until it begins.
  caf::message content;
  /// The owner's task, for as long as there is one; nobody else's to look at.
  managed_task* task = nullptr;
};

} // namespace libpool
