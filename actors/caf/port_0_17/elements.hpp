#pragma once

#include "libpool/actors/caf/port/atoms.hpp"
#include "libpool/actors/caf/port/return_path.hpp"
#include "libpool/actors/caf/port/types.hpp"

#include <caf/actor.hpp>
#include <caf/mailbox_element.hpp>
#include <caf/message.hpp>
#include <caf/message_id.hpp>
#include <caf/system_messages.hpp>
#include <caf/type_nr.hpp>

#include <cstdint>
#include <utility>

namespace libpool {

struct selection;

// -- making elements ----------------------------------------------------------

template <class... Ts>
caf::mailbox_element_ptr make_element(caf::strong_actor_ptr sender,
                                      caf::message_id id, Ts&&... content) {
  return caf::make_mailbox_element(std::move(sender), id, {},
                                   std::forward<Ts>(content)...);
}

/// Makes a message whose answer is sent along the return path `way`.
inline caf::mailbox_element_ptr make_element(return_path way,
                                             caf::message content) {
  return caf::make_mailbox_element(std::move(way.sender), way.id,
                                   std::move(way.stages), std::move(content));
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

  caf::mailbox_element_ptr next() const;

private:
  const caf::mailbox_element& original_;
  caf::message content_;
  caf::message_id id_;
};

// -- content of elements ------------------------------------------------------

/// Removes and returns the content of the element. Content that is shared is
/// copied; the copy may throw.
inline caf::message take_content(caf::mailbox_element& element) {
  return element.move_content_to_message();
}

/// Puts content back that was taken out of the element. May replace the
/// element. An element of another pool still belongs to that pool.
void put_back(caf::mailbox_element_ptr& element, caf::message content);

/// Returns the content of the element. The element keeps the content, which is
/// shared.
/// @pre if `element` belongs to another pool, the element has begun
inline caf::message copy_content(caf::mailbox_element& element) {
  return element.copy_content_to_message();
}

/// Returns the content that the receiver of the element sees.
/// @pre if `element` belongs to another pool, the element has begun
inline message_content& content_of(caf::mailbox_element& element) {
  return element.content();
}

/// Returns the elements of a message.
inline const message_content& elements_of(const caf::message& message) {
  if (message.vals() == nullptr) // it has no elements
    return message;
  return message.content();
}

/// Whether the message belongs to a stream of CAF.
inline bool belongs_to_stream(caf::mailbox_element& element) {
  return element.mid.is_stream_message()
         || element.content().match_elements<caf::open_stream_msg>();
}

/// Whether the message may be addressed to a direct pool itself. The check
/// compares one number a few times.
inline bool may_be_for_direct_pool(const caf::mailbox_element& element) {
  using caf::make_type_token;
  using caf::sys_atom;
  auto token = element.content().type_token();
  return token == make_type_token<sys_atom, caf::get_atom>()
         || token == make_type_token<sys_atom, caf::put_atom, caf::actor>()
         || token == make_type_token<caf::exit_msg>()
         || token == make_type_token<caf::down_msg>();
}

/// Whether the message may be addressed to a managed pool itself, is an answer
/// to a request, or belongs to a stream.
inline bool may_be_for_managed_pool(const caf::mailbox_element& element) {
  using caf::make_type_token;
  using caf::sys_atom;
  if (element.mid.is_response() || element.mid.is_stream_message())
    return true;
  switch (element.content().type_token()) { // fewer comparisons than in a row
    case make_type_token<caf::exit_msg>():
    case make_type_token<caf::down_msg>():
    case make_type_token<sys_atom, caf::get_atom>():
    case make_type_token<sys_atom, caf::put_atom, caf::actor>():
    case make_type_token<sys_atom, resize_atom, int>():
    case make_type_token<sys_atom, resize_atom, std::uint64_t>():
    case make_type_token<sys_atom, cancel_atom, selection>():
    case make_type_token<caf::open_stream_msg>():
      return true;
    default:
      return false;
  }
}

/// Whether pools or actors of CAF handle the message themselves. Such a message
/// is not work.
bool is_system_message(const caf::mailbox_element& element);

/// Returns a number that is equal for messages with the same types of elements.
inline std::uint64_t number_of_types(const message_content& content) noexcept {
  return content.type_token();
}

} // namespace libpool
