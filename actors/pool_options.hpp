#pragma once

#include <caf/actor_control_block.hpp>
#include <caf/error.hpp>
#include <caf/message.hpp>
#include <caf/message_id.hpp>

#include <functional>

namespace libpool {

/// Message that a pool has refused, with the reason.
struct refusal {
  /// Sender of the message; nullptr for a message without a sender.
  caf::strong_actor_ptr sender;
  /// Id of the message, as given by CAF. The id of a request contains a request
  /// number; the id of an asynchronous message does not.
  caf::message_id id;
  /// Content of the message.
  caf::message content;
  /// Reason of the refusal.
  caf::error reason;
};

/// Options of every pool.
struct pool_options {
  /// Called with each refused message for which no client waits; a refused
  /// request is answered with the reason instead. A direct pool calls this
  /// function in the threads of the senders, concurrently. A managed pool calls
  /// this function in one thread at a time. Exceptions are ignored.
  std::function<void(refusal&)> on_refused = nullptr;
};

} // namespace libpool
