#include "libpool/actors/caf/port/elements.hpp"

#include "libpool/actors/caf/port/tracked_element.hpp"

#include <caf/error.hpp>
#include <caf/message_builder.hpp>

#include <typeinfo>
#include <utility>

namespace libpool {

namespace {

/// A message in a mailbox, as `caf::make_mailbox_element` makes it of a
/// `caf::message`, but made in place: that function hands each part on by
/// value, and looks up the category of each element's content.
///
/// The category of the message's id is left as it is.
class message_element : public caf::mailbox_element {
public:
  /// Shares or takes over `content`.
  template <class Message>
  message_element(caf::strong_actor_ptr actor, caf::message_id id,
                  Message&& content)
    : content_(std::forward<Message>(content)) {
    sender = std::move(actor);
    mid = id;
    if (content_.vals() == nullptr)
      content_ = no_elements();
  }

  message_content& content() override {
    return content_;
  }

  const message_content& content() const override {
    return content_.content();
  }

  caf::message move_content_to_message() override {
    return std::move(content_);
  }

  caf::message copy_content_to_message() const override {
    return content_;
  }

private:
  static caf::message no_elements() {
    return caf::message_builder{}.to_message();
  }

  caf::message content_;
};

class work_element final : public message_element {
public:
  using message_element::message_element;
};

/// `id` in the category of `content`, as CAF does it for elements of its own.
caf::message_id categorised(caf::message_id id,
                            const caf::message& content) noexcept {
  using caf::downstream_msg;
  using caf::upstream_msg;
  auto token = content.type_token();
  if (token == caf::make_type_token<downstream_msg>())
    return caf::mailbox_category_corrector<downstream_msg>::apply(id);
  if (token == caf::make_type_token<upstream_msg>())
    return caf::mailbox_category_corrector<upstream_msg>::apply(id);
  return id;
}

} // namespace

caf::mailbox_element_ptr make_work(caf::strong_actor_ptr sender,
                                   caf::message_id id, caf::message content) {
  return caf::mailbox_element_ptr{
    new work_element{std::move(sender), id, std::move(content)}};
}

bool is_work(const caf::mailbox_element& element) noexcept {
  return &typeid(element) == &typeid(work_element);
}

bool is_system_message(const caf::mailbox_element& element) {
  using caf::make_type_token;
  if (element.mid.is_stream_message())
    return true;
  auto& content = element.content();
  switch (content.type_token()) {
    case make_type_token<caf::exit_msg>():
    case make_type_token<caf::down_msg>():
    case make_type_token<caf::group_down_msg>():
    case make_type_token<caf::timeout_msg>():
    case make_type_token<caf::open_stream_msg>():
    case make_type_token<caf::upstream_msg>():
    case make_type_token<caf::downstream_msg>():
    case make_type_token<caf::error>():
      return true;
    default:
      return !content.empty() && content.match_element<caf::sys_atom>(0);
  }
}

void put_back(caf::mailbox_element_ptr& element, caf::message content) {
  if (auto* tracked = tracked_element::from(*element))
    tracked->put_back(std::move(content));
  else
    element = make_element(return_path_of(*element), std::move(content));
}

void tracked_element::put_back(caf::message content) {
  libpool::put_back(element_, std::move(content));
}

copies::copies(caf::mailbox_element& original)
  : original_(original),
    content_(original.move_content_to_message()),
    id_(categorised(original.mid, content_)) {
  // nop
}

caf::mailbox_element_ptr copies::next() const {
  caf::mailbox_element_ptr result{
    new message_element{original_.sender, id_, content_}};
  if (!original_.stages.empty())
    result->stages = original_.stages;
  return result;
}

} // namespace libpool
