#pragma once

#include <string>

namespace pooltop {

/// Where a server is.
struct address {
  bool is_secure = false;
  std::string host; ///< without the brackets of an IPv6 address
  int port = 80;
  std::string path; ///< before that of the pools; does not end in `/`

  /// Host and port as in the header `Host`.
  std::string authority() const;

  /// As people write it.
  std::string text() const;
};

/// Reads `http://host:port/path`, of which only the host must be there.
///
/// Errors: std::invalid_argument, a sentence that names the text.
address read_address(const std::string& text);

} // namespace pooltop
