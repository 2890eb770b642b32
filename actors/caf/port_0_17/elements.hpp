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

// -- making elements ----------------------------------------------------------

template <class... Ts>
caf::mailbox_element_ptr make_element(caf::strong_actor_ptr sender,
                                      caf::message_id id, Ts&&... content) {
  return caf::make_mailbox_element(std::move(sender), id, {},
                                   std::forward<Ts>(content)...);
}

/// A message whose answer goes that way.
inline caf::mailbox_element_ptr make_element(return_path way,
                                             caf::message content) {
  return caf::make_mailbox_element(std::move(way.sender), way.id,
                                   std::move(way.stages), std::move(content));
}

/// A message that counts as work, whatever it contains: a pool does not take it
/// for a management request.
caf::mailbox_element_ptr make_work(caf::strong_actor_ptr sender,
                                   caf::message_id id, caf::message content);

/// Whether `make_work` has made it.
bool is_work(const caf::mailbox_element& element) noexcept;

/// Makes any number of copies of a message, which loses its content. That is
/// shared between them.
class copies {
public:
  explicit copies(caf::mailbox_element& original);

  caf::mailbox_element_ptr next() const;

private:
  const caf::mailbox_element& original_;
  caf::message content_;
  caf::message_id id_;
};

// -- asking elements ----------------------------------------------------------

/// Takes the content out of the element. A message that is shared is copied
/// then, and may throw.
inline caf::message take_content(caf::mailbox_element& element) {
  return element.move_content_to_message();
}

/// Puts content that was taken back into the element, which may be another one
/// then. That of another pool stays that of its pool.
void put_back(caf::mailbox_element_ptr& element, caf::message content);

/// The content, which the element keeps, and shares.
/// @pre an element of another pool has begun
inline caf::message copy_content(caf::mailbox_element& element) {
  return element.copy_content_to_message();
}

/// The content that its receiver sees.
/// @pre an element of another pool has begun
inline message_content& content_of(caf::mailbox_element& element) {
  return element.content();
}

/// The elements of a message.
inline const message_content& elements_of(const caf::message& message) {
  return message.content();
}

/// Whether CAF's streams have to do with it.
inline bool belongs_to_stream(caf::mailbox_element& element) {
  return element.mid.is_stream_message()
         || element.content().match_elements<caf::open_stream_msg>();
}

/// Whether the message may be one for a direct pool itself: one look tells most
/// messages apart.
inline bool may_be_for_direct_pool(const caf::mailbox_element& element) {
  using caf::make_type_token;
  using caf::sys_atom;
  auto token = element.content().type_token();
  return token == make_type_token<sys_atom, caf::get_atom>()
         || token == make_type_token<sys_atom, caf::put_atom, caf::actor>()
         || token == make_type_token<caf::exit_msg>()
         || token == make_type_token<caf::down_msg>();
}

/// Whether it may be one for a managed pool itself, answers a request, or has
/// to do with a stream.
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
    case make_type_token<caf::open_stream_msg>():
      return true;
    default:
      return false;
  }
}

/// Whether pools or CAF's actors handle the message by themselves: it is no
/// work.
bool is_system_message(const caf::mailbox_element& element);

/// A number that messages of the same types have in common.
inline std::uint64_t number_of_types(const message_content& content) noexcept {
  return content.type_token();
}

} // namespace libpool
