/// The rule of examples/own_policy.cpp, which its e2e test asks as well.

#include "fewest_bytes.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cstddef>
#include <vector>

TEST_CASE(
  "the loads of two workers differ by at most the size of the largest text") {
  // The worker that gets a text of size s has the fewest, m; then it has m + s,
  // and all others at least m: it is ahead by s at most. The others lose ground
  // to it, or nothing.
  using sizes = std::vector<std::size_t>;
  CHECK(rc::check([] {
    sizes given(*rc::gen::inRange<std::size_t>(1, 8));
    const auto texts =
      *rc::gen::container<sizes>(rc::gen::inRange<std::size_t>(1, 1000));
    fewest_bytes rule;
    rule.resize(given.size());
    for (auto size : texts) {
      const auto worker = rule.next();
      rule.gave(worker, size);
      given.at(worker) += size;
      const auto [least, most] = std::minmax_element(given.begin(),
                                                     given.end());
      RC_ASSERT(*most - *least
                <= *std::max_element(texts.begin(), texts.end()));
    }
  }));
}
