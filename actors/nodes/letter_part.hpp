#pragma once

#include <caf/message.hpp>

#include <string_view>

namespace libpool {

/// Bytes of a content inside a message batch, not copied.
struct letter_part {
  caf::message letter; // keeps the bytes alive
  std::string_view bytes;
};

} // namespace libpool
