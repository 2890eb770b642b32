#pragma once

#include "libpool/actors/caf/message_element.hpp"

#include <caf/mailbox_element.hpp>
#include <caf/message.hpp>

#include <typeinfo>
#include <utility>

namespace libpool {

/// A message that counts as work, whatever it contains: a pool does not take it
/// for a management request.
class work_element final : public message_element {
public:
  using message_element::message_element;

  /// Whether `element` is one of these.
  static bool is(const caf::mailbox_element& element) noexcept {
    return &typeid(element) == &typeid(work_element);
  }
};

inline caf::mailbox_element_ptr make_work(caf::strong_actor_ptr from,
                                          caf::message_id id,
                                          caf::message content) {
  return caf::mailbox_element_ptr{
    new work_element{std::move(from), id, std::move(content)}};
}

} // namespace libpool
