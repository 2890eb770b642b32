#pragma once

#include "model.hpp"

#include <stdexcept>
#include <string_view>

namespace pooltop {

/// The server's answer says nothing about pools.
class unreadable : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// Reads what a server tells as JSON. Servers are older and newer than this
/// program: members that are missing, or of another type than expected, count
/// as not told, and those that are unknown are passed over.
///
/// Errors: unreadable where it is no JSON, or has no list of pools.
snapshot read_snapshot(std::string_view text);

} // namespace pooltop
