#pragma once

#include "libpool/actors/caf/port/types.hpp"

#include <caf/actor_control_block.hpp>
#include <caf/fwd.hpp>
#include <caf/mailbox_element.hpp>
#include <caf/message.hpp>
#include <caf/message_id.hpp>

#include <utility>

namespace libpool {

/// Return path of a message: the actors to which the answer is sent, and the id
/// of the answered request.
struct return_path {
  caf::strong_actor_ptr sender;
  caf::message_id id;
};

/// Moves the return path out of the element, and returns it.
inline return_path take_return_path(caf::mailbox_element& element) {
  return {std::move(element.sender), element.mid};
}

/// Moves the return path out of `from`, and returns it. `from` keeps the id.
inline return_path take_return_path(return_path& from) {
  return {std::move(from.sender), from.id};
}

/// Returns a copy of the return path of the element.
inline return_path return_path_of(const caf::mailbox_element& element) {
  return {element.sender, element.mid};
}

/// Whether a client waits for the answer to the message.
inline bool wants_answer(const caf::mailbox_element& element) noexcept {
  return element.mid.is_request();
}

/// Sends `content` to the client as an answer of `from`. Has no effect without
/// a client.
void answer(return_path to, caf::strong_actor_ptr from, caf::message content,
            execution_context* host);

/// Sends the answer of another actor to the client, as an answer of `from`.
void pass_answer(const return_path& to, caf::strong_actor_ptr from,
                 caf::mailbox_element_ptr content, execution_context* host);

} // namespace libpool
