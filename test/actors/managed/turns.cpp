/// The turns of workers, with more workers than threads.

#include "support/managed_world.hpp"

#include <algorithm>
#include <chrono>
#include <numeric>

using namespace std::chrono_literals;

using test::managed_world;
using test::scripted;

namespace {

/// How many tasks one of so many workers runs before it lets another one run,
/// if each takes so long, and whether that is measured; 0 if that differs.
std::size_t stretch(std::size_t workers, bool measured,
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
  std::vector<std::size_t> stretches;
  for (auto i = ran.begin(); i != ran.end();) {
    auto next = std::find_if(i, ran.end(), [i](auto id) { return id != *i; });
    stretches.push_back(static_cast<std::size_t>(next - i));
    i = next;
  }
  stretches.resize(3); // no worker is out of work yet
  auto first = stretches.front();
  return stretches == std::vector<std::size_t>(3, first) ? first : 0;
}

} // namespace

TEST_CASE("a worker yields its thread to other actors after some time or after "
          "many tasks") {
  SUBCASE("with measured times") {
    CHECK(stretch(3, true, 0ns) == 512);
    CHECK(stretch(3, true, 10us) == 101); // the pause ends a lease
    CHECK(stretch(3, true, 1ms) == 1);
  }
  SUBCASE("without measured times, by reading the clock after 64 tasks") {
    CHECK(stretch(3, false, 0ns) == 512);
    CHECK(stretch(3, false, 100us) == 2 * 64 + 1);
    CHECK(stretch(3, false, 1ms) == 64 + 1);
  }
  SUBCASE("after more tasks if each worker can have a thread") {
    CHECK(stretch(2, true, 0ns) == 5120);
    CHECK(stretch(2, true, 1ms) == 10);
    CHECK(stretch(2, false, 1ms) == 2 * 64 + 1);
  }
}

TEST_CASE("a task in the mailbox of a worker does not wait until the queue of "
          "the pool is empty") {
  constexpr auto tasks = 8000;
  for (auto seed = 1U; seed <= 20; ++seed) {
    CAPTURE(seed);
    managed_world w{seed};
    w.populate(4, w.doubling());
    for (auto i = 0; i < tasks; ++i)
      w.client.send(w.pool, i);
    w.run();
    REQUIRE(w.doubled.size() == tasks);
    auto place = 0;
    auto latest = 0;
    for (auto task : w.doubled)
      latest = std::max(latest, place++ - task);
    // Each of the others may run 512 tasks before it lets go of the thread,
    // and the seed may pick one of them again, but not for ever.
    CHECK(latest < tasks / 2);
    std::sort(w.doubled.begin(), w.doubled.end());
    std::vector<int> all(tasks);
    std::iota(all.begin(), all.end(), 0);
    CHECK(w.doubled == all);
  }
}
