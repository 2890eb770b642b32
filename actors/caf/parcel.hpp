#pragma once

#include "libpool/actors/caf/port/type_ids.hpp"

#include <memory>
#include <string>

namespace libpool {

/// The content of a message that is to go to another node, as bytes: they are
/// made once, and shared by whoever sends them. Itself it goes nowhere.
struct parcel {
  std::shared_ptr<const std::string> bytes;
};

} // namespace libpool
