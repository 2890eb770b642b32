#pragma once

#include <stdexcept>
#include <string>
#include <utility>

namespace libpool {

/// An option that is out of bounds, or not known, or does not go with another
/// one. Its text begins with "libpool: ", so that it can be told apart in the
/// log of a program.
class option_error : public std::invalid_argument {
public:
  explicit option_error(std::string reason)
    : std::invalid_argument("libpool: " + reason), reason_(std::move(reason)) {
    // nop
  }

  /// The text without the beginning, for callers that have one of their own.
  const std::string& reason() const noexcept {
    return reason_;
  }

private:
  std::string reason_;
};

/// Throws an `option_error`, which names the option and its bound, unless that
/// holds.
inline void require(bool holds, const std::string& option, const char* bound) {
  if (!holds)
    throw option_error(option + ": must be " + bound);
}

} // namespace libpool
