#pragma once

#include <cstdint>

namespace libpool {

/// How a handler has ended.
enum class ending : std::uint8_t { completed, crashed };

} // namespace libpool
