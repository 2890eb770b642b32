#pragma once

#include "support/protocol_world.hpp"

#include <cstddef>
#include <string>

namespace test {

/// The results of an exploration of all runs of a setting.
struct exploration {
  std::size_t states = 0;
  std::size_t steps = 0;
  /// States in which nothing can happen any more.
  std::size_t ends = 0;
  /// Steps of the longest run.
  std::size_t longest = 0;
  /// The violation, and the shortest way there in words; empty if there is
  /// none.
  std::string wrong;
  std::string trace;
  std::size_t trace_length = 0;
};

/// Goes through all states that can be reached, breadth first, and checks in
/// each what holds for the protocol: one owner per task, no run too many, no
/// reservation without a request; one outcome per task where nothing is left
/// that must happen; and that no run goes on for ever. Ends at the first
/// violation.
exploration explore(const protocol_setting& how);

} // namespace test
