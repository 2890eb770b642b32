#pragma once

#include <caf/mailbox_element.hpp>
#include <caf/message.hpp>

#include <string>

namespace test {

/// The content of an element, which keeps it.
inline caf::message copy_of_content(const caf::mailbox_element& element) {
  return element.copy_content_to_message();
}

/// The content in words.
inline std::string text_of_content(const caf::mailbox_element& element) {
  return element.content().stringify();
}

} // namespace test
