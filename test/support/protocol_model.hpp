#pragma once

#include "support/protocol_world.hpp"
#include "support/state_search.hpp"

namespace test {

/// Goes through all states that can be reached, breadth first, and checks in
/// each what holds for the protocol: one owner per task, no run too many, no
/// reservation without a request; one outcome per task where nothing is left
/// that must happen; and that no run goes on for ever. Ends at the first
/// violation.
exploration explore(const protocol_setting& how);

} // namespace test
