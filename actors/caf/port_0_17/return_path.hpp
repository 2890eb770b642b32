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
  caf::mailbox_element::forwarding_stack stages = {};
};

/// Moves the return path out of the element, and returns it.
return_path take_return_path(caf::mailbox_element& element);

/// Moves the return path out of `path`, and returns it. `path` keeps the id.
inline return_path take_return_path(return_path& path) {
  return {std::move(path.sender), path.id, std::move(path.stages)};
}

/// Returns a copy of the return path of the element.
inline return_path return_path_of(const caf::mailbox_element& element) {
  return {element.sender, element.mid, element.stages};
}

/// Whether a client waits for the answer to the message.
inline bool wants_answer(const caf::mailbox_element& element) noexcept {
  return element.mid.is_request() || !element.stages.empty();
}

/// Sends `content` to the client as an answer of `actor`. Has no effect without
/// a client.
void answer(return_path path, caf::strong_actor_ptr actor, caf::message content,
            execution_context* host);

/// Sends the answer of another actor to the client, as an answer of `actor`.
void pass_answer(const return_path& path, caf::strong_actor_ptr actor,
                 caf::mailbox_element_ptr content, execution_context* host);

} // namespace libpool
