#pragma once

#include <string>

namespace pooltop {

/// Address of a server.
struct address {
  bool is_secure = false;
  std::string host; ///< without the brackets of an IPv6 address
  int port = 80;
  std::string path; ///< prefix of the pools' path; does not end in `/`

  /// Returns host and port as in the header `Host`.
  std::string authority() const;

  /// Returns the address as users write it.
  std::string text() const;
};

/// Reads `http://host:port/path`, of which only the host is required.
///
/// Errors: std::invalid_argument, a sentence with the text.
address read_address(const std::string& text);

} // namespace pooltop
