#pragma once

#include <memory>
#include <string_view>

namespace libpool {

/// Reference to the bytes of a content inside a message batch.
struct batch_part {
  std::shared_ptr<const void> owner; // keeps the bytes alive
  std::string_view bytes;
};

} // namespace libpool
