#pragma once

#include <caf/actor_control_block.hpp>
#include <caf/fwd.hpp>
#include <caf/mailbox_element.hpp>
#include <caf/message.hpp>
#include <caf/message_id.hpp>

namespace libpool {

/// Where the answer to a message goes.
struct return_path {
  caf::strong_actor_ptr sender;
  caf::message_id id;
  caf::mailbox_element::forwarding_stack stages;
};

/// Takes the way back out of the element.
return_path take_return_path(caf::mailbox_element& element);

/// Sends `content`, as an answer of `from`, on its way; nothing if there is
/// none.
void answer(return_path to, caf::strong_actor_ptr from, caf::message content,
            caf::execution_unit* host);

/// Destroys an element that was kept until it was answered. A task of a managed
/// pool ends well by this, even if an exception is being handled in this
/// thread.
void let_go(caf::mailbox_element_ptr element) noexcept;

} // namespace libpool
