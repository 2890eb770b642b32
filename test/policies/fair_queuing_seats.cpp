/// Wide tasks, and their charges.

#include "libpool/core/errc.hpp"
#include "support/fair_world.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>

using libpool::errc;
using libpool::limits;
using test::fair_world;
using test::guessing;
using names = fair_world::names;
using namespace std::chrono_literals;

// a, which is wide, would end at 40. b would at 10, 20 and 30, and has turns at
// 0, 10 and 20 = V; then at 40, but a never had a turn. So a goes when all
// seats are free, and is charged 40; the last one of b goes after it.
TEST_CASE("while the next task needs more seats than are free, no task of any "
          "flow starts") {
  for (std::size_t workers : {1U, 4U}) {
    CAPTURE(workers);
    fair_world w{guessing(10ns)};
    for (std::size_t i = 0; i < workers; ++i)
      w.join(4 / workers);
    auto holder = w.submit("holder", 4);
    auto wide = w.submit("a", 4);
    for (auto i = 0; i < 4; ++i)
      w.submit("b");
    w.finish(holder);
    CHECK(w.running() == names{2, 3, 4}); // one seat is free
    w.serve(2, 10ns);
    w.serve(4, 10ns);
    CHECK(w.running() == names{3}); // three are
    w.serve(3, 10ns);
    CHECK(w.running() == names{wide});
    CHECK(w.lag("a") == 20 - 40);
    w.serve(wide, 10ns);
    CHECK(w.running() == names{5});
  }
}

TEST_CASE("a task that needs more seats than remain after a worker has left is "
          "charged for the remaining seats") {
  fair_world w{guessing(10ns)};
  for (auto i = 0; i < 3; ++i)
    w.join();
  w.submit("holder");
  auto wide = w.submit("a", 3);
  CHECK(w.waits(wide));
  w.retire(2);
  CHECK(w.waits(wide));
  w.finish(0);
  CHECK(w.runs(wide));
  CHECK(w.lag("a") == -20);
  w.serve(wide, 7ns);
  CHECK(w.lag("a") == -14);
}

// Both flows start at 0. With 3 seats the head of a would end at 30 and that of
// b at 20; with 1 seat both would at 10, and a, which is older, goes first.
TEST_CASE("the order of waiting tasks that need several seats is updated when "
          "a worker leaves") {
  for (auto mode :
       {libpool::fair_mode::exact, libpool::fair_mode::kubernetes}) {
    fair_world w{guessing(10ns, mode)};
    for (auto i = 0; i < 3; ++i)
      w.join();
    auto holder = w.submit("holder", 3);
    auto widest = w.submit("a", 3);
    auto wide = w.submit("b", 2);
    w.retire(1);
    w.retire(2);
    w.finish(holder);
    CHECK(w.runs(widest));
    CHECK(w.waits(wide));
  }
}

// With 1 seat both would end at 10, and a, which is older, would go first; with
// 3 seats the head of a would end at 30 and that of b at 20.
TEST_CASE("the order of waiting tasks that need several seats is updated when "
          "workers join") {
  fair_world w{guessing(10ns)};
  w.join();
  auto holder = w.submit("holder");
  auto widest = w.submit("a", 3);
  auto wide = w.submit("b", 2);
  w.join();
  w.join();
  CHECK(w.runs(wide));
  CHECK(w.waits(widest));
  w.finish(holder);
  w.finish(wide);
  CHECK(w.runs(widest));
}

TEST_CASE("a task that only a busy worker may run does not delay other tasks") {
  fair_world w{guessing(10ns)};
  w.join();
  w.join();
  w.submit("holder");
  auto& waits = w.add("a");
  waits.where = &w.only_on({0});
  w.submit(waits);
  auto next = w.submit("b");
  CHECK(w.waits(1));
  CHECK(w.runs(next));
  w.finish(0);
  CHECK(w.runs(1));
}

TEST_CASE(
  "a task wider than the pool is refused, or takes all seats of the pool") {
  limits refusing;
  refusing.too_wide = libpool::too_wide::refuse;
  fair_world strict{guessing(10ns), refusing};
  strict.join(2);
  CHECK(strict.refusal(strict.submit("a", 3)) == errc::too_wide);
  CHECK(strict.row("a")->refused == 1);
  CHECK(strict.runs(strict.submit("a", 2)));
  fair_world lax{guessing(10ns)};
  lax.join(2);
  CHECK(lax.runs(lax.submit("a", 3)));
  CHECK(lax.lag("a") == -20);
}
