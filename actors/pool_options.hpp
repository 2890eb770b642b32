#pragma once

#include <caf/actor_control_block.hpp>
#include <caf/error.hpp>
#include <caf/message.hpp>
#include <caf/message_id.hpp>

#include <functional>

namespace libpool {

/// A message that a pool has refused.
struct refusal {
  /// The sender of the message; nullptr if it has none.
  caf::strong_actor_ptr sender;
  /// Message id; that of an asynchronous message has no number.
  caf::message_id id;
  /// Content of the message.
  caf::message content;
  /// Why the message was refused.
  caf::error reason;
};

/// The options of every pool.
struct pool_options {
  /// Called with each message that is refused, unless a client waits for its
  /// answer; a refused request is answered with the reason instead. Direct
  /// pools call it in the sender's thread, many at the same time; managed pools
  /// in one thread at a time. Exceptions are ignored.
  std::function<void(refusal&)> on_refused = nullptr;
};

} // namespace libpool
