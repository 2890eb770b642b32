#pragma once

#include <caf/fwd.hpp>
#include <caf/mailbox_element.hpp>
#include <caf/message.hpp>
#include <caf/message_id.hpp>

#include <utility>

namespace libpool {

/// A message in a mailbox, as `caf::make_mailbox_element` makes it of a
/// `caf::message`, but made in place: that function hands each part on by
/// value, and looks up the category of each element's content.
///
/// The category of the message's id is left as it is.
class message_element : public caf::mailbox_element {
public:
  /// Shares or takes over `content`.
  template <class Message>
  message_element(caf::strong_actor_ptr from, caf::message_id id,
                  Message&& content)
    : content_(std::forward<Message>(content)) {
    sender = std::move(from);
    mid = id;
    if (content_.vals() == nullptr)
      content_ = no_elements();
  }

  caf::type_erased_tuple& content() override;
  const caf::type_erased_tuple& content() const override;
  caf::message move_content_to_message() override;
  caf::message copy_content_to_message() const override;

private:
  static caf::message no_elements();

  caf::message content_;
};

} // namespace libpool
