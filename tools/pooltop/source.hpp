#pragma once

#include "address.hpp"
#include "model.hpp"

#include <optional>
#include <string>

namespace pooltop {

/// What a server has told, or else why it is not known, as a sentence that is
/// fit for a terminal.
struct answer {
  std::optional<snapshot> told;
  std::string trouble;
};

/// Asks a server about its pools.
///
/// Time: an answer takes some seconds at most, unless its headers come in small
///          pieces, and the resolving of the name.
class source {
public:
  /// The token is what the server asks for, if it does; it is not sent to where
  /// the server redirects to.
  source(address from, std::string token);

  answer ask() const;

private:
  address from_;
  std::string token_;
};

} // namespace pooltop
