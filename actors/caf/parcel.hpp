#pragma once

#include "libpool/actors/caf/port/type_ids.hpp"
#include "libpool/core/errc.hpp"

#include <caf/message.hpp>

#include <cstdint>
#include <memory>
#include <string>

namespace libpool {

/// Content of a message that goes to another node, as bytes. The bytes are made
/// once and shared. The parcel itself stays in this process.
struct parcel {
  /// Bytes of the content; nullptr if they could not be made.
  std::shared_ptr<const std::string> bytes;
  /// The content itself, while a function of the user may need it.
  caf::message content;
  /// Problem that prevented the bytes, as a code and as a text.
  errc problem{};
  std::string words;
  /// Number of the taking of a message of the durable queue; 0: none.
  std::uint64_t taking = 0;
};

} // namespace libpool
