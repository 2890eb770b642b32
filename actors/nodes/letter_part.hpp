#pragma once

#include <caf/message.hpp>

#include <string_view>

namespace libpool {

/// Bytes of a letter, not copied: a content that travelled in it.
struct letter_part {
  caf::message letter; // stays for as long as somebody needs its bytes
  std::string_view bytes;
};

} // namespace libpool
