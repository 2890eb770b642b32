#pragma once

#include "libpool/actors/caf/port/type_ids.hpp"
#include "libpool/core/errc.hpp"

#include <caf/message.hpp>

#include <memory>
#include <string>

namespace libpool {

/// The content of a message that is to go to another node, as bytes: they are
/// made once, and shared by whoever sends them. Itself it goes nowhere.
struct parcel {
  /// None if they could not be made.
  std::shared_ptr<const std::string> bytes;
  /// The content itself, as long as somebody may want to see it.
  caf::message content;
  /// Why there are no bytes, and that in words, if there are any.
  errc problem{};
  std::string words;
};

} // namespace libpool
