/// The rules of mode exact, worked out by hand. V is the virtual clock; `lag`
/// is V - next. The guess is 10 ns everywhere unless it is said otherwise.

#include "libpool/core/errc.hpp"
#include "support/fair_world.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

using libpool::fair_queuing_options;
using libpool::limits;
using test::fair_world;
using test::guessing;
using names = fair_world::names;
using namespace std::chrono_literals;

namespace {

/// One worker, with one seat unless told otherwise.
struct exact_world : fair_world {
  explicit exact_world(std::size_t seats = 1,
                       const fair_queuing_options& how = guessing(10ns),
                       const limits& within = {})
    : fair_world(how, within) {
    join(seats);
  }

  /// A task of another flow holds the seats, so that later tasks wait.
  void hold() {
    held = submit("holder", workers[0].seats);
  }

  /// Ends that task and the following ones, each after so long; returns their
  /// order.
  names served(libpool::duration time = 10ns) {
    names result;
    finish(held);
    while (!running().empty()) {
      result.push_back(running().front());
      serve(result.back(), time);
    }
    return result;
  }

  std::size_t held = 0;
};

} // namespace

TEST_CASE("a flow is charged the estimate when its task starts, and the time "
          "beyond the estimate when the task ends") {
  exact_world w;
  w.submit("a");
  w.submit("a");
  CHECK(w.lag("a") == -10); // V = 0, next = 10
  w.serve(0, 4ns);          // next = 4, the second one's turn: V = 4
  CHECK(w.lag("a") == -10);
  w.serve(1, 25ns); // next = 14 + 15 = 29
  CHECK(w.lag("a") == -25);
}

TEST_CASE("a task that takes several seats costs its flow the time of the task "
          "on each of these seats") {
  exact_world w{3};
  w.submit("a", 3);
  CHECK(w.lag("a") == -30);
  w.serve(0, 4ns);
  CHECK(w.lag("a") == -12);
}

TEST_CASE("a task that asks for more seats than the pool has costs its flow "
          "the time of all seats of the pool") {
  exact_world w{3};
  w.submit("a", 8);
  CHECK(w.lag("a") == -30);
  w.serve(0, 4ns);
  CHECK(w.lag("a") == -12);
}

TEST_CASE("the start tag of a new flow is the time of the virtual clock") {
  exact_world w;
  w.submit("a");
  w.submit("a");
  w.serve(0, 100ns); // next(a) = 100 = V, then 110
  w.submit("b");
  CHECK(w.lag("b") == 0);
  CHECK(w.lag("a") == -10);
}

// next(a) = 100 and V = 0 when a goes idle. Then b has 11 tasks of 10 ns that
// would end at 10, 20, …; that of a would end at 110, and so would the last one
// of b, whose last turn was later.
TEST_CASE("a flow that has had more than its share still has this debt after a "
          "short idle time") {
  exact_world w;
  w.submit("a");
  w.serve(0, 100ns);
  w.hold();
  auto late = w.submit("a");
  names first;
  for (auto i = 0; i < 11; ++i)
    first.push_back(w.submit("b"));
  auto expected = first;
  expected.insert(expected.end() - 1, late);
  CHECK(w.served() == expected);
}

TEST_CASE("among flows that have had no turn yet, the flow that arrived first "
          "goes first") {
  exact_world w;
  w.hold();
  for (const auto* flow : {"c", "a", "b", "b", "a", "c"})
    w.submit(flow);
  CHECK(w.served() == names{1, 2, 3, 6, 5, 4});
}

// a goes first as it is older; b's first task takes two guesses, and a has two
// in that time: both are at 20 then. The last turn of b was before that of a.
TEST_CASE("among flows with equal start tags, the flow whose last turn is "
          "longest ago goes first") {
  exact_world w;
  w.hold();
  auto a = w.submit("a");
  auto b = w.submit("b");
  for (auto i = 0; i < 2; ++i) {
    w.submit("a");
    w.submit("b");
  }
  w.finish(w.held);
  CHECK(w.running() == names{a});
  w.serve(a, 10ns);
  CHECK(w.running() == names{b});
  w.serve(b, 20ns);
  CHECK(w.running() == names{a + 2});
  w.serve(a + 2, 10ns);
  CHECK(w.running() == names{b + 2});
}

// A flow that owes nothing is forgotten when it goes idle: what it comes back
// as is younger than all, and never had a turn.
TEST_CASE("a flow that was idle, and has not had more than its share, is "
          "treated as a new flow") {
  exact_world w;
  w.submit("a");
  w.finish(0);
  w.hold();
  w.submit("b");
  w.submit("a");
  CHECK(w.served() == names{2, 3});
}

// b is charged 10 for each turn while a runs one long task, so V = 50 in the
// end; a was charged 10. Two seats, so the clock may be 20 ahead of itself.
TEST_CASE("a flow keeps credit for unused time, up to one guessed task cost "
          "for each seat of the pool") {
  exact_world w{2};
  w.submit("a");
  for (auto i = 0; i < 7; ++i)
    w.submit("b");
  for (std::size_t i = 1; i < 6; ++i)
    w.serve(i, 10ns);
  w.submit("a"); // next = max(10, 50 - 20)
  CHECK(w.lag("a") == 20);
}

// While the first head of a is from V = 0, next(a) = 10 may be; once it is
// gone, the one that came at V = 50 may not be behind 50 - 20.
TEST_CASE("the start tag of a flow is at most the bound on credit behind the "
          "virtual time at which its next task arrived") {
  exact_world w{2};
  w.submit("a");
  auto& early = w.add("a"); // waits for no particular worker, but held
  early.where = &w.only_on({1});
  w.submit(early);
  for (auto i = 0; i < 7; ++i)
    w.submit("b");
  for (std::size_t i = 2; i < 7; ++i)
    w.serve(i, 10ns);
  CHECK(w.lag("a") == 40);
  w.submit("a");
  CHECK(w.lag("a") == 20);
}

// h comes with a debt, at 60. The three narrow tasks of a have turns at 0, 10
// and 20; its wide one would end at 30 + 40 = 70, and so would that of h, which
// has waited longer: V = 60. All take no time. When the wide one has had its
// turn and has ended, next(a) = 0, and its head came at V = 60: next = 60 - 40,
// which is (4 - 2) · 10 lost; and 10 for the turn that follows.
TEST_CASE(
  "a flow may lose W - 2 guesses even if it always has a waiting task") {
  exact_world w{4};
  w.submit("h");
  w.serve(0, 60ns);
  for (auto i = 0; i < 3; ++i)
    w.submit("a");
  auto wide = w.submit("a", 4);
  w.submit("h");
  CHECK(w.lag("h") == -10);
  auto last = w.submit("a");
  for (std::size_t i : {1U, 2U, 3U, 5U}) {
    CHECK(w.waits(wide));
    w.finish(i);
  }
  CHECK(w.runs(wide));
  CHECK(w.lag("a") == 60 - 40);
  w.finish(wide);
  CHECK(w.runs(last));
  CHECK(w.lag("a") == 60 - 20 - 10);
}

TEST_CASE("the cost that a flow is charged for a task is divided by the share "
          "of the flow") {
  auto how = guessing(12ns);
  how.shares = {{"a", 3}};
  exact_world w{1, how};
  w.hold();
  std::vector<std::string> flows{"a", "a", "a", "a", "a", "a", "b", "b"};
  for (const auto& flow : flows)
    w.submit(flow);
  w.finish(w.held);
  CHECK(w.lag("a") == -12); // 4 in the virtual time of a third
  // a at 4, 8 and b at 12; a would end at 12, too, but b has waited longer; a
  // at 12, then the same again.
  std::vector<std::string> order;
  while (!w.running().empty()) {
    order.push_back(w.tasks[w.running().front()].flow.name());
    w.serve(w.running().front(), 12ns);
  }
  CHECK(order
        == std::vector<std::string>{"a", "a", "b", "a", "a", "a", "b", "a"});
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
  CHECK(w.served() == names{3, 5, 1, 4, 2});
}

TEST_CASE("a task that is cancelled while it waits costs its flow nothing") {
  exact_world w;
  w.hold();
  w.submit("a");
  w.submit("b");
  w.cancel(1);
  CHECK(w.lag("a") == 0);
  CHECK(w.row("a")->waiting == 0);
  CHECK(w.served() == names{2});
}

TEST_CASE(
  "a task that is cancelled while it runs costs the time that it takes") {
  exact_world w;
  w.submit("a");
  w.now += 5ns;
  w.cancel(0);
  CHECK(w.lag("a") == -10);
  CHECK(w.row("a")->running == 1);
  w.serve(0, 20ns);
  CHECK(w.lag("a") == -25);
}

TEST_CASE("a task that a worker gives back without having started it costs its "
          "flow nothing") {
  exact_world w;
  w.begins = false;
  w.submit("a");
  w.come_back(0); // and is sent again
  CHECK(w.sent == names{0, 0});
  CHECK(w.lag("a") == -10);
  CHECK(w.row("a")->served == 0);
}

// The first attempt costs 30: next = 30 = V at the second turn, then 40.
TEST_CASE(
  "a task that is retried after a crash costs its flow the time of both runs") {
  limits within;
  within.retries = 1;
  exact_world w{1, guessing(10ns), within};
  w.submit("a");
  w.now += 30ns;
  w.crash(0);
  CHECK(w.sent == names{0, 0});
  CHECK(w.lag("a") == -10);
  w.serve(0, 5ns);
  CHECK(w.lag("a") == -5);
  CHECK(w.row("a")->served == 2);
  CHECK(w.row("a")->seat_time == 35ns);
}

// The first worker is busy, so what only it may run is set aside; V = 50 by
// what b has on the other one. Two seats: next = max(0, 50 - 20). It would be
// V, had the flow been idle.
TEST_CASE(
  "a flow is not idle while one of its tasks waits for a particular worker") {
  exact_world w;
  w.join();
  w.submit("holder");
  auto& held = w.add("a");
  held.where = &w.only_on({0});
  w.submit(held);
  for (auto i = 0; i < 7; ++i)
    w.submit("b");
  for (std::size_t i = 2; i < 7; ++i)
    w.serve(i, 10ns);
  w.submit("a");
  CHECK(w.lag("a") == 20);
  CHECK(w.row("a")->waiting == 2);
}
