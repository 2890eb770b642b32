#pragma once

#include <stdexcept>
#include <string>
#include <utility>

namespace libpool {

/// Error for an option that is unknown, out of bounds, or incompatible with
/// another option. The text begins with "libpool: ", so that it can be
/// recognized in the log of a program.
class option_error : public std::invalid_argument {
public:
  /// Makes an error with that reason.
  explicit option_error(std::string reason)
    : std::invalid_argument("libpool: " + reason), reason_(std::move(reason)) {
    // nop
  }

  /// Returns the text without "libpool: ", for callers that add a prefix of
  /// their own.
  const std::string& reason() const noexcept {
    return reason_;
  }

private:
  std::string reason_;
};

/// Throws an `option_error` that names the option, its bound and the value that
/// was given, unless `holds`.
inline void require(bool holds, const std::string& option,
                    const std::string& bound, const std::string& given) {
  if (!holds)
    throw option_error(option + ": must be " + bound + ", got " + given);
}

} // namespace libpool
