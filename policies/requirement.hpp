#pragma once

#include <stdexcept>
#include <string>
#include <utility>

namespace libpool {

/// Error for an option that is unknown, out of bounds, or incompatible with
/// another option. The text of the error begins with "libpool: ", so that the
/// error can be recognized in the log of a program.
class option_error : public std::invalid_argument {
public:
  /// Makes an error whose text is "libpool: ", followed by `reason`.
  explicit option_error(std::string reason)
    : std::invalid_argument("libpool: " + reason), reason_(std::move(reason)) {
    // nop
  }

  /// Returns the text without the prefix "libpool: ", for callers that add
  /// another prefix.
  const std::string& reason() const noexcept {
    return reason_;
  }

private:
  std::string reason_;
};

/// Throws an `option_error` if `holds` is false. The text of the error is made
/// of the name of the option, its bound in words and the given value.
inline void require(bool holds, const std::string& option,
                    const std::string& bound, const std::string& given) {
  if (!holds)
    throw option_error(option + ": must be " + bound + ", got " + given);
}

} // namespace libpool
