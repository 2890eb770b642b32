#pragma once

#include "libpool/actors/caf/port/types.hpp"

#include <caf/actor_control_block.hpp>
#include <caf/fwd.hpp>
#include <caf/mailbox_element.hpp>
#include <caf/message.hpp>
#include <caf/message_id.hpp>

#include <utility>

namespace libpool {

/// Where the answer to a message goes.
struct return_path {
  caf::strong_actor_ptr sender;
  caf::message_id id;
};

/// Takes the way back out of the element.
inline return_path take_return_path(caf::mailbox_element& element) {
  return {std::move(element.sender), element.mid};
}

/// Takes it out of another one, which keeps the id.
inline return_path take_return_path(return_path& from) {
  return {std::move(from.sender), from.id};
}

/// The way back, which the element keeps.
inline return_path return_path_of(const caf::mailbox_element& element) {
  return {element.sender, element.mid};
}

/// Whether somebody waits for an answer.
inline bool wants_answer(const caf::mailbox_element& element) noexcept {
  return element.mid.is_request();
}

/// Sends `content`, as an answer of `from`, on its way; nothing if there is
/// none.
void answer(return_path to, caf::strong_actor_ptr from, caf::message content,
            execution_context* host);

/// Sends an answer that has come from another actor on its way, as one of
/// `from`.
void pass_answer(const return_path& to, caf::strong_actor_ptr from,
                 caf::mailbox_element_ptr content, execution_context* host);

} // namespace libpool
