#pragma once

#include "libpool/core/splitmix64.hpp"
#include "link_world.hpp"
#include "state_search.hpp"
#include "support/soak.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <string>
#include <vector>

namespace test {

// How test cases search the states of a link_world. The numbers of states are
// no expectations, they are printed.

using link_search = state_search<link_world, link_setting, link_step>;

/// Checks that nothing is wrong in any state of the setting. A build with a
/// sanitizer looks for errors of memory, and sees the first states.
inline void holds(const link_setting& how) {
  constexpr std::size_t most = sanitized() ? 2'000 : 100'000'000;
  auto all = link_search{how, most}.run();
  CHECK_MESSAGE(all.wrong.empty(), all.wrong, ", after ", all.trace_length,
                " steps:\n", all.trace);
  CHECK(all.states > 1000);
  MESSAGE(all.states, " states, ", all.steps,
          " steps between them, the longest run has ", all.longest);
}

/// A mistake, and the first violation that the search finds.
struct mistake {
  bool link_setting::*is_made;
  link_setting how;
  const char* wrong;
};

inline void finds(const std::vector<mistake>& all) {
  for (auto each : all) {
    each.how.*each.is_made = true;
    auto found = link_search{each.how}.run();
    CAPTURE(found.trace);
    CHECK(found.wrong == each.wrong);
  }
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

/// Returns the steps in words, one a line.
inline std::string words_for(const link_setting& how,
                             const std::vector<link_step>& steps) {
  std::string result;
  link_world world{how};
  for (const auto& each : steps) {
    result += world.words_for(each) + '\n';
    world.take(each);
  }
  return result;
}

/// Takes random steps until all time has passed. Returns what is wrong, after
/// the steps in words; empty if nothing is wrong. Adds to `released` how tasks
/// came back from nodes.
template <class Counts>
std::string walk(const link_setting& how, std::uint64_t seed,
                 Counts& released) {
  link_world world{how};
  libpool::splitmix64 random{seed};
  std::vector<link_step> steps;
  std::vector<link_step> taken;
  std::string wrong;
  while (!world.is_over() && wrong.empty()) {
    world.list_steps(steps);
    const auto& drawn = steps[random.below(steps.size())];
    if (random.below(drawn.one_in) != 0)
      continue;
    taken.push_back(drawn);
    wrong = world.take(drawn) ? world.wrong() : "a line has no room";
  }
  for (auto [each, count] : world.released())
    released[each] += count;
  if (wrong.empty())
    wrong = world.wrong_at_the_end();
  return wrong.empty() ? wrong : words_for(how, taken) + wrong;
}

} // namespace test
