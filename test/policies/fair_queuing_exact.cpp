/// The rules of mode exact, worked out by hand. V is the virtual clock; `lag`
/// is V - next. The guess is 10 ns everywhere unless it is said otherwise.

#include "support/policy_world.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>
#include <vector>

using libpool::limits;
using test::guessing;
using names = test::policy_world::names;
using namespace std::chrono_literals;

namespace {

/// Workers with so many seats each.
struct exact_world : test::policy_world {
  explicit exact_world(
    const std::vector<std::size_t>& seats = {1},
    const libpool::fair_queuing_options& how = guessing(10ns),
    const limits& within = {})
    : policy_world(how, within) {
    for (auto each : seats)
      seat(each);
  }

  /// A task of another flow holds the seats, so that later tasks wait.
  void hold() {
    held = submit("holder", workers[0].seats);
  }

  /// Ends that task and the following ones, each after 10 ns; returns their
  /// order.
  names freed() {
    finish(held);
    return served(10ns);
  }

  /// Tasks of the flow run one after the other, for 10 ns each.
  void serve_flow(const char* flow, int count) {
    auto first = tasks.size();
    for (auto i = 0; i < count + 2; ++i)
      submit(flow); // it is never idle meanwhile
    for (auto i = 0; i < count; ++i)
      end_after(first + static_cast<std::size_t>(i), 10ns);
  }

  std::size_t held = 0;
};

} // namespace

// -- charges ------------------------------------------------------------------

TEST_CASE("a flow is charged the estimate for each seat when its task starts, "
          "and the time beyond the estimate when the task ends") {
  exact_world w;
  w.submit("a");
  w.submit("a");
  CHECK(w.lag("a") == -10); // V = 0, next = 10
  w.end_after(0, 4ns);      // next = 4, the second one's turn: V = 4
  CHECK(w.lag("a") == -10);
  w.end_after(1, 25ns); // next = 14 + 15 = 29
  CHECK(w.lag("a") == -25);
  for (std::size_t width : {3U, 8U}) { // of 3 seats
    exact_world v{{3}};
    v.submit("a", width);
    CHECK(v.lag("a") == -30);
    v.end_after(0, 4ns);
    CHECK(v.lag("a") == -12);
    CHECK(v.row("a")->seat_time == 12ns);
  }
}

TEST_CASE("the cost that a flow is charged for a task is divided by the share "
          "of the flow") {
  auto how = guessing(12ns);
  how.shares = {{"a", 3}};
  exact_world w{{1}, how};
  w.hold();
  for (const auto* flow : {"a", "a", "a", "a", "a", "a", "b", "b"})
    w.submit(flow);
  w.finish(w.held);
  CHECK(w.lag("a") == -12); // 4 in the virtual time of a third
  // a at 4, 8 and b at 12; a would end at 12, too, but b has waited longer; a
  // at 12, then the same again.
  CHECK(w.served(12ns) == names{1, 2, 7, 3, 4, 5, 8, 6});
}

TEST_CASE("a task that is cancelled while it waits costs its flow nothing, and "
          "a task that is cancelled while it runs costs its time") {
  exact_world w;
  w.submit("a");
  w.submit("b");
  w.cancel(1);
  CHECK(w.lag("b") == 0);
  CHECK(w.row("b")->waiting == 0);
  w.now += 5ns;
  w.cancel(0);
  CHECK(w.lag("a") == -10);
  CHECK(w.row("a")->running == 1);
  w.end_after(0, 20ns);
  CHECK(w.lag("a") == -25);
}

TEST_CASE("a task costs its flow the time of all its runs, and nothing if its "
          "worker gives the task back without having started it") {
  limits within;
  within.retries = 1;
  exact_world w{{1}, guessing(10ns), within};
  w.begins = false;
  w.submit("a");
  w.come_back(0); // and is sent again
  CHECK(w.lag("a") == -10);
  CHECK(w.row("a")->served == 0);
  w.begins = true;
  w.decided();
  w.now += 30ns;
  w.crash(0); // next = 30 = V at the second turn, then 40
  CHECK(w.sent == names{0, 0, 0});
  CHECK(w.lag("a") == -10);
  w.end_after(0, 5ns);
  CHECK(w.lag("a") == -5);
  CHECK(w.row("a")->served == 1);    // once, whatever the number of attempts
  CHECK(w.row("a")->waited == 30ns); // until the last attempt
  CHECK(w.row("a")->seat_time == 35ns);
}

// -- turns --------------------------------------------------------------------

// A flow that owes nothing is forgotten when it goes idle: what it comes back
// as is younger than all, and never had a turn.
TEST_CASE("among flows that have had no turn yet, the flow that arrived first "
          "goes first, and a flow that was idle without debt counts as new") {
  exact_world w;
  w.submit("b");
  w.finish(0);
  w.hold();
  for (const auto* flow : {"c", "a", "b", "b", "a", "c"})
    w.submit(flow);
  CHECK(w.freed() == names{2, 3, 4, 7, 6, 5});
}

// a goes first as it is older; b's first task takes two guesses, and a has two
// in that time: both are at 20 then. The last turn of b was before that of a.
TEST_CASE("among flows with equal start tags, the flow whose last turn is "
          "longest ago goes first") {
  exact_world w;
  w.hold();
  for (const auto* flow : {"a", "b", "a", "b", "a", "b"})
    w.submit(flow);
  w.finish(w.held);
  for (std::size_t task : {1U, 2U, 3U, 4U}) {
    CHECK(w.running() == names{task});
    w.end_after(task, task == 2 ? 20ns : 10ns);
  }
}

TEST_CASE("an urgent task overtakes only tasks of its own flow") {
  exact_world w;
  w.hold();
  w.submit("a");
  w.submit("a");
  for (const auto* flow : {"a", "b"}) {
    if (*flow == 'b')
      w.submit("b");
    auto& task = w.add(flow);
    task.urgent = true;
    w.submit(task);
  }
  CHECK(w.freed() == names{3, 5, 1, 4, 2});
}

// -- the bound on credit ------------------------------------------------------

// b is charged 10 for each turn while a runs one long task, so V = 50 in the
// end; a was charged 10. Two seats, so the clock may be 20 ahead of itself.
TEST_CASE("a flow keeps credit for unused time, up to one guessed task cost "
          "for each seat of the pool") {
  exact_world w{{2}};
  w.submit("a");
  w.serve_flow("b", 5);
  w.submit("a"); // next = max(10, 50 - 20)
  CHECK(w.lag("a") == 20);
}

// While the first head of a is from V = 0, next(a) = 10 may be; once it is
// gone, the one that came at V = 50 may not be behind 50 - 20. The first worker
// is busy, so the task that only it may run is set aside.
TEST_CASE("the start tag of a flow is at most the bound on credit behind the "
          "virtual time at which its next task arrived, and a flow is not idle "
          "while one of its tasks waits for a particular worker") {
  for (const auto& seats : {names{2}, names{1, 1}}) {
    exact_world w{seats};
    w.submit(seats.size() == 1 ? "a" : "holder");
    auto& early = w.add("a");
    early.own_notes().where = &w.only_on({seats.size() == 1 ? 1U : 0U});
    w.submit(early);
    w.serve_flow("b", 5);
    if (seats.size() == 1)
      CHECK(w.lag("a") == 40);
    w.submit("a");
    CHECK(w.lag("a") == 20);
    CHECK(w.row("a")->waiting == 2);
  }
}

// -- wide tasks ---------------------------------------------------------------

// Both flows start at 0. With 3 seats the head of a would end at 30 and that of
// b at 20; with 1 seat both would at 10, and a, which is older, goes first.
TEST_CASE("the order of waiting tasks that need several seats is updated when "
          "workers leave or join") {
  for (auto mode :
       {libpool::fair_mode::exact, libpool::fair_mode::kubernetes}) {
    exact_world w{{1, 1, 1}, guessing(10ns, mode)};
    auto holder = w.submit("holder", 3);
    auto widest = w.submit("a", 3);
    auto wide = w.submit("b", 2);
    w.retire(1);
    w.retire(2);
    w.finish(holder);
    CHECK(w.runs(widest));
    CHECK(w.waits(wide));
  }
  exact_world w;
  w.hold();
  auto widest = w.submit("a", 3);
  auto wide = w.submit("b", 2);
  w.seat();
  w.seat();
  CHECK(w.runs(wide));
  CHECK(w.waits(widest));
}

// -- flows that are held back -------------------------------------------------

TEST_CASE("a flow is owed nothing for the time in which it was paused or at "
          "its limits") {
  auto is_paused = false;
  exact_world w;
  SUBCASE("paused") {
    is_paused = true;
  }
  SUBCASE("at its limits") {}
  w.hold();
  for (auto i = 0; i < 3; ++i)
    w.submit("a");
  for (auto i = 0; i < 6; ++i)
    w.submit("b");
  libpool::throttles none_of_a;
  none_of_a.of_flows["a"].most_running = 0;
  if (is_paused)
    w.pool.suspended("a", w.now);
  else
    w.pool.limited(none_of_a, w.now);
  w.finish(w.held);
  for (std::size_t first_of_b = 4; first_of_b < 7; ++first_of_b)
    w.end_after(first_of_b, 10ns);
  if (is_paused)
    w.pool.reinstated("a", w.now);
  else
    w.pool.limited({}, w.now);
  CHECK(w.served(10ns) == names{7, 1, 8, 2, 9, 3});
}
