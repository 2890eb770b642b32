#pragma once

#include "address.hpp"
#include "model.hpp"

#include <optional>
#include <string>

namespace pooltop {

/// State that a server has sent, or the reason why it is unknown, as a sentence
/// that is escaped for a terminal.
struct answer {
  std::optional<snapshot> told;
  std::string trouble;
};

/// Asks a server about its pools.
///
/// Time: an answer takes at most some seconds, besides the resolution of the
///       name, unless its headers come in small pieces.
class source {
public:
  /// `token` is the token that the server requires; empty if none. It is not
  /// sent to the target of a redirection.
  source(address from, std::string token);

  answer ask() const;

  /// Sends a request that changes a pool. Returns the answer of the server, or
  /// the reason why it is missing, escaped for a terminal.
  std::string send(const std::string& target) const;

private:
  address from_;
  std::string token_;
};

} // namespace pooltop
