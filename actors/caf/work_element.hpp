#pragma once

#include <caf/mailbox_element.hpp>
#include <caf/message.hpp>
#include <caf/message_builder.hpp>

#include <typeinfo>
#include <utility>

namespace libpool {

/// A message that counts as work, whatever it contains: a pool does not take it
/// for a management request.
class work_element final : public caf::mailbox_element {
public:
  work_element(caf::strong_actor_ptr from, caf::message_id id,
               caf::message content)
    : caf::mailbox_element(std::move(from), id, {}),
      content_(std::move(content)) {
    if (content_.vals() == nullptr)
      content_ = caf::message_builder{}.to_message(); // of no elements
  }

  /// Whether `element` is one of these.
  static bool is(const caf::mailbox_element& element) noexcept {
    return &typeid(element) == &typeid(work_element);
  }

  caf::type_erased_tuple& content() override {
    return content_;
  }

  const caf::type_erased_tuple& content() const override {
    return content_.content();
  }

  caf::message move_content_to_message() override {
    return std::move(content_);
  }

  caf::message copy_content_to_message() const override {
    return content_;
  }

private:
  caf::message content_;
};

inline caf::mailbox_element_ptr make_work(caf::strong_actor_ptr from,
                                          caf::message_id id,
                                          caf::message content) {
  return caf::mailbox_element_ptr{
    new work_element{std::move(from), id, std::move(content)}};
}

} // namespace libpool
