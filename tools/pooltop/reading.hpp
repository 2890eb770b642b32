#pragma once

#include "model.hpp"

#include <stdexcept>
#include <string_view>

namespace pooltop {

/// The server's answer has no data about pools.
class unreadable : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// Reads the state that a server sends as JSON. The server may be older or
/// newer than this program: members that are missing or of another type are
/// unset, and unknown members are ignored.
///
/// Errors: unreadable if the text is not JSON, or has no list of pools.
snapshot read_snapshot(std::string_view text);

} // namespace pooltop
