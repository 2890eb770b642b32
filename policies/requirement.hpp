#pragma once

#include <stdexcept>
#include <string>

namespace libpool {

/// Throws std::invalid_argument, which names the option and its bound, unless
/// that holds.
inline void require(bool holds, const std::string& option, const char* bound) {
  if (!holds)
    throw std::invalid_argument(option + ": must be " + bound);
}

} // namespace libpool
