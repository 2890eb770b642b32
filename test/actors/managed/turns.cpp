/// Who gets to run, with more workers than threads.

#include "support/managed_world.hpp"

#include <caf/all.hpp>
#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <memory>
#include <vector>

using namespace std::chrono_literals;

using test::managed_world;
using test::scripted;

namespace {

/// The most tasks that one of so many workers runs before it lets another one
/// run, if each takes so long, and whether that is measured.
std::size_t longest_stretch(std::size_t workers, bool measured,
                            std::chrono::nanoseconds service) {
  constexpr auto tasks = 20000;
  managed_world w;
  w.options.measure_times = measured;
  std::vector<caf::actor_id> ran;
  w.populate(workers, [&](scripted& self) -> caf::behavior {
    return {[&, id = self.id()](int) {
      ran.push_back(id);
      w.pass(service);
    }};
  });
  for (auto i = 0; i < tasks; ++i)
    w.client.send(w.pool, i);
  w.run();
  REQUIRE(ran.size() == tasks);
  std::size_t longest = 0;
  std::size_t stretch = 0;
  for (std::size_t i = 0; i < ran.size(); ++i) {
    stretch = i > 0 && ran[i] == ran[i - 1] ? stretch + 1 : 1;
    longest = std::max(longest, stretch);
  }
  return longest;
}

} // namespace

TEST_CASE("a worker lets go of its thread after some time, or many tasks") {
  SUBCASE("measured") {
    CHECK(longest_stretch(3, true, 0ns) == 512);
    CHECK(longest_stretch(3, true, 10us) == 100);
    CHECK(longest_stretch(3, true, 1ms) == 1);
  }
  SUBCASE("not measured: it looks at the clock after 64") {
    CHECK(longest_stretch(3, false, 0ns) == 512);
    CHECK(longest_stretch(3, false, 100us) == 2 * 64 + 1);
    CHECK(longest_stretch(3, false, 1ms) == 64 + 1);
  }
  SUBCASE("later where each worker may have a thread") {
    CHECK(longest_stretch(2, true, 0ns) == 5120);
    CHECK(longest_stretch(2, true, 1ms) == 10);
    CHECK(longest_stretch(2, false, 1ms) == 2 * 64 + 1);
  }
}

TEST_CASE("no task that was sent waits until the queue is empty") {
  constexpr auto tasks = 8000;
  for (auto seed = 1U; seed <= 20; ++seed) {
    CAPTURE(seed);
    managed_world w{seed};
    auto seen = std::make_shared<std::vector<int>>();
    w.populate(4, test::doubling(seen));
    for (auto i = 0; i < tasks; ++i)
      w.client.send(w.pool, i);
    w.run();
    REQUIRE(seen->size() == tasks);
    auto place = 0;
    auto latest = 0;
    for (auto what : *seen)
      latest = std::max(latest, place++ - what);
    // Each of the others may run 512 tasks before it lets go of the thread,
    // and the seed may pick one of them again, but not for ever.
    CHECK(latest < tasks / 2);
  }
}
