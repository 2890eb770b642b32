#include "libpool/actors/caf/message_element.hpp"

#include <caf/message_builder.hpp>

#include <utility>

namespace libpool {

caf::message message_element::no_elements() {
  return caf::message_builder{}.to_message();
}

caf::type_erased_tuple& message_element::content() {
  return content_;
}

const caf::type_erased_tuple& message_element::content() const {
  return content_.content();
}

caf::message message_element::move_content_to_message() {
  return std::move(content_);
}

caf::message message_element::copy_content_to_message() const {
  return content_;
}

} // namespace libpool
