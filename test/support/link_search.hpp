#pragma once

#include "support/link_world.hpp"
#include "support/soak.hpp"
#include "support/state_search.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <string>

namespace test {

// How test cases search the states of a link_world. The numbers of states are
// no expectations, they are printed.

using link_search = state_search<link_world, link_setting, link_step>;

/// Checks that nothing is wrong in any state of the setting. A build with a
/// sanitizer looks for errors of memory, and sees the first states.
inline void holds(const std::string& name, const link_setting& how) {
  constexpr std::size_t most = sanitized() ? 2'000 : 100'000'000;
  auto all = link_search{how, most}.run();
  CHECK_MESSAGE(all.wrong.empty(), name, ": ", all.wrong, ", after ",
                all.trace_length, " steps:\n", all.trace);
  CHECK(all.states > 1000);
  MESSAGE(name, ": ", all.states, " states, ", all.steps,
          " steps between them, the longest run has ", all.longest);
}

/// Returns the first violation in the setting.
inline std::string fault_of(const link_setting& how) {
  auto all = link_search{how}.run();
  MESSAGE(all.states, " states until a violation, after ", all.trace_length,
          " steps:\n", all.trace);
  return all.wrong;
}

/// Returns how worlds with equal bytes differ; empty if they do not.
inline std::string difference(const link_setting& how) {
  const std::size_t most = soaks() ? 150'000 : sanitized() ? 1'000 : 20'000;
  return link_search{how}.difference(most);
}

/// The shorter form, unless tests run in their long form.
template <class Number>
Number at_length(Number usual, Number in_soak) {
  return soaks() ? in_soak : usual;
}

} // namespace test
