/// Who gets to run, with more workers than threads.

#include "support/managed_world.hpp"

#include <caf/all.hpp>
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

using test::managed_world;

TEST_CASE("no task that was sent waits until the queue is empty") {
  constexpr auto tasks = 4000;
  for (auto seed = 1U; seed <= 20; ++seed) {
    CAPTURE(seed);
    managed_world w{seed};
    auto seen = std::make_shared<std::vector<int>>();
    w.populate(4, test::doubling(seen));
    for (auto i = 0; i < tasks; ++i)
      w.client.send(w.pool, i);
    w.run();
    REQUIRE(seen->size() == tasks);
    auto latest = std::ptrdiff_t{0};
    for (auto i = 0; i < tasks; ++i) {
      auto place = std::find(seen->begin(), seen->end(), i) - seen->begin();
      latest = std::max(latest, place - i);
    }
    // Each of the others may run 256 tasks before it lets go of the thread,
    // and the seed may pick one of them again, but not for ever.
    CHECK(latest < tasks / 2);
  }
}
