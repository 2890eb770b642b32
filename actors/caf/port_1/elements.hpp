#pragma once

#include "libpool/actors/caf/port/return_path.hpp"
#include "libpool/actors/caf/port/types.hpp"

#include <caf/mailbox_element.hpp>
#include <caf/message.hpp>
#include <caf/message_id.hpp>
#include <caf/stream.hpp>
#include <caf/system_messages.hpp>
#include <caf/type_id.hpp>

#include <cstdint>
#include <utility>

namespace libpool {

// -- making elements ----------------------------------------------------------

template <class... Ts>
caf::mailbox_element_ptr make_element(caf::strong_actor_ptr sender,
                                      caf::message_id id, Ts&&... content) {
  return caf::make_mailbox_element(std::move(sender), id,
                                   std::forward<Ts>(content)...);
}

/// Makes a message whose answer is sent along the return path `way`.
inline caf::mailbox_element_ptr make_element(return_path way,
                                             caf::message content) {
  return caf::make_mailbox_element(std::move(way.sender), way.id,
                                   std::move(content));
}

/// Makes a message that a pool handles as work, even if its content is that of
/// a management request.
caf::mailbox_element_ptr make_work(caf::strong_actor_ptr sender,
                                   caf::message_id id, caf::message content);

/// Whether the element was made by `make_work`.
bool is_work(const caf::mailbox_element& element) noexcept;

/// Maker of copies of a message. The content is moved out of the message; the
/// copies share the content.
class copies {
public:
  explicit copies(caf::mailbox_element& original);

  caf::mailbox_element_ptr next() const {
    return caf::make_mailbox_element(original_.sender, original_.mid, content_);
  }

private:
  const caf::mailbox_element& original_;
  caf::message content_;
};

// -- content of elements ------------------------------------------------------

/// Removes and returns the content of the element. If the element belongs to
/// another pool, the element begins.
caf::message take_content(caf::mailbox_element& element);

/// Puts content back that was taken out of the element. An element of another
/// pool still belongs to that pool.
void put_back(caf::mailbox_element_ptr& element, caf::message content);

/// Returns the content that the receiver of the element sees.
/// @pre if `element` belongs to another pool, the element has begun
message_content& content_of(caf::mailbox_element& element);

/// Returns the content of the element. The element keeps the content, which is
/// shared.
/// @pre if `element` belongs to another pool, the element has begun
inline caf::message copy_content(caf::mailbox_element& element) {
  return content_of(element);
}

/// Returns the elements of a message.
inline const message_content& elements_of(const caf::message& message) {
  return message;
}

/// Whether the message opens a stream between actors.
inline bool belongs_to_stream(const caf::mailbox_element& element) {
  return element.payload.match_elements<caf::stream_open_msg>();
}

/// Whether the message may be addressed to a direct pool itself. Compares only
/// the type of the first element.
inline bool may_be_for_direct_pool(const caf::mailbox_element& element) {
  auto types = element.payload.types();
  if (types.empty())
    return false;
  return types[0]
           == caf::type_id_v<
             caf::
               sys_atom> || types[0] == caf::type_id_v<caf::exit_msg> || types[0] == caf::type_id_v<caf::down_msg>;
}

/// Whether the message may be addressed to a managed pool itself, is an answer
/// to a request, or belongs to a stream.
inline bool may_be_for_managed_pool(const caf::mailbox_element& element) {
  return element.mid.is_response() || may_be_for_direct_pool(element)
         || belongs_to_stream(element);
}

/// Whether pools or actors of CAF handle the message themselves. Such a message
/// is not work.
bool is_system_message(const caf::mailbox_element& element);

/// Returns a number that is equal for messages with the same types of elements.
std::uint64_t number_of_types(const message_content& content) noexcept;

} // namespace libpool
