/// The sessions of a node, its leases, and how it leaves. What holds for every
/// course of a session is searched in test/laws/node_links.cpp.

#include "link_ends.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <variant>

namespace nodes_agent_connection_tests {

using namespace test::link_ends;

// -- the beginning of a session -----------------------------------------------

TEST_CASE_FIXTURE(node_end, "a node sends a hello when its line comes up, and "
                            "after its welcome a ready and a demand for two "
                            "tasks per slot") {
  libpool::agent_connection without_line{incarnation{7}, offer()};
  CHECK(without_line.next_tick() == never);
  without_line.ticked(at(0ms));
  CHECK(without_line.batches().empty());
  CHECK(sent() == "hello(1) ");
  CHECK(told(libpool::gone{first}).empty());
  CHECK(!may_begin(0ms));
  constexpr incarnation other{8};
  CHECK(told(libpool::welcome{other, 1, first, lease}).empty());
  CHECK(!node.link().session());
  CHECK(told(libpool::welcome{me, 1, first, lease}) == "ready beat demand(4) ");
  CHECK(node.link().session() == first);
  CHECK(may_begin(0ms));
}

TEST_CASE_FIXTURE(node_end, "a hello is repeated after pauses that double up "
                            "to a second, are shortened at random by up to "
                            "a half, and are short again after a welcome") {
  sent();
  auto last = at(0ms);
  libpool::duration pause = 100ms;
  for (auto attempt = 2; attempt <= 12; ++attempt) {
    auto next = node.next_tick();
    CHECK(next - last > pause / 2);
    CHECK(next - last <= pause);
    node.ticked(next - 1ns);
    CHECK(sent().empty());
    node.ticked(next);
    CHECK(sent() == "hello(" + std::to_string(attempt) + ") ");
    last = next;
    pause = std::min<libpool::duration>(2 * pause, 1s);
  }
  node.told({first, libpool::welcome{me, 12, first, 1h}}, 0, last);
  node.told({first, libpool::gone{first}}, 0, last);
  CHECK(node.next_tick() > last + 50ms);
  CHECK(node.next_tick() <= last + 100ms);
}

TEST_CASE("nodes that say hello at the same time pause differently unless "
          "their incarnations are equal") {
  auto pause_of = [](std::uint64_t run) {
    libpool::agent_connection node{incarnation{run}, offer()};
    node.came_up(at(0ms));
    return node.next_tick();
  };
  CHECK(pause_of(7) != pause_of(8));
  CHECK(pause_of(7) == pause_of(7));
}

TEST_CASE_FIXTURE(
  node_end,
  "a node without a session says hello at once when its line comes up") {
  node.went_down();
  sent();
  CHECK(node.next_tick() == never);
  CHECK(ticked(1s).empty());
  node.came_up(at(2s));
  CHECK(sent() == "hello(2) ");
}

TEST_CASE_FIXTURE(
  node_end,
  "a node answers a welcome that arrives after its lease with another hello") {
  sent();
  CHECK(told(libpool::welcome{me, 1, first, lease}, first, 0, 3s)
        == "hello(2) ");
  CHECK(!node.link().session());
}

// -- leases and beats ---------------------------------------------------------

TEST_CASE_FIXTURE(node_end, "the first lease counts from the hello, and tasks "
                            "may begin for three quarters of it") {
  told(libpool::welcome{me, 1, first, lease}, first, 0, 2s);
  CHECK(may_begin(2999ms));
  CHECK(!may_begin(3s));
}

TEST_CASE_FIXTURE(serving, "a lease counts from the time at which the last "
                           "answered beat of the session was sent") {
  gets({1, 2});
  CHECK(node.start(at(2999ms)) == task_number{1});
  CHECK(node.start(at(3s)) == std::nullopt);
  echo(1ms, 2500ms);
  echo(0ms, 2600ms); // comes late
  echo(2s, 2700ms, second);
  CHECK(!may_begin(3001ms));
  CHECK(node.start(at(3s)) == task_number{2});
}

TEST_CASE_FIXTURE(node_end, "a node sends a beat in each quarter of a lease, "
                            "which states the time since the last answered "
                            "one") {
  auto deaf_in_last = [this] {
    auto result = std::get<libpool::beat>(node.batches().back().content).deaf;
    node.batches().clear();
    return result;
  };
  node.told({first, libpool::welcome{me, 1, first, lease}}, 0, at(10ms));
  CHECK(std::get<libpool::beat>(node.batches().at(2).content).deaf == 10ms);
  sent();
  CHECK(node.next_tick() == at(1010ms));
  CHECK(ticked(1009ms).empty());
  node.ticked(at(1010ms));
  CHECK(deaf_in_last() == 1010ms);
  CHECK(node.next_tick() == at(2010ms));
  echo(1010ms, 1020ms);
  echo(10ms, 1030ms);
  node.ticked(at(2010ms));
  CHECK(deaf_in_last() == 1s);
  node.ticked(at(20s));
  CHECK(deaf_in_last() == 18990ms);
}

TEST_CASE_FIXTURE(busy, "a session outlives an interrupted line: tasks begin "
                        "until the lease ends, and results are kept") {
  node.went_down();
  CHECK(node.next_tick() == never);
  CHECK(ticked(2s).empty());
  CHECK(ends(1, 20ms).empty());
  CHECK(is_taken);
  CHECK(begins(2999ms) == "(3)");
  CHECK(flush() == "done(1) demand(4) ");
  node.came_up(at(2100ms));
  CHECK(sent() == "beat ");
  CHECK(node.next_tick() == at(3100ms));
  CHECK(forgotten() == "()");
}

// -- the end of a session -----------------------------------------------------

TEST_CASE_FIXTURE(busy, "a node whose session is gone drops its results and "
                        "the tasks it has not started, and says hello") {
  ends(2, 20ms);
  CHECK(told(libpool::gone{first}) == "hello(2) ");
  CHECK(!is_taken);
  CHECK(!node.has_to_flush());
  CHECK(flush().empty());
  CHECK(forgotten() == "(3,4,5)");
  echo(20ms, 30ms);
  CHECK(begins() == "()");
  CHECK(node.running() == 1);
  CHECK(ends(1).empty());
  CHECK(!is_taken);
}

TEST_CASE_FIXTURE(busy, "messages of another session change nothing") {
  told(libpool::gone{second}, second);
  told(libpool::bye{second}, second);
  gets({6}, second);
  CHECK(!is_taken);
  CHECK(sent().empty());
  CHECK(!node.is_dismissed());
  CHECK(node.waiting() == 3);
  ends(1, 20ms);
  CHECK(is_taken);
}

TEST_CASE_FIXTURE(
  busy,
  "a handler of an older session occupies its slot until the handler ends") {
  begins_again();
  gets({6, 7}, second);
  CHECK(begins() == "()");
  ends(1);
  CHECK(begins() == "(6)");
}

TEST_CASE_FIXTURE(busy, "a task waits while a handler of an older session runs "
                        "a task of the same number") {
  begins_again();
  ends(2);
  gets({1, 6}, second);
  CHECK(begins() == "()");
  ends(1);
  CHECK(!is_taken);
  CHECK(begins() == "(1,6)");
  ends(1);
  CHECK(is_taken);
}

// -- leaving ------------------------------------------------------------------

TEST_CASE_FIXTURE(busy, "a leaving node gives back unstarted and new tasks, "
                        "demands no tasks, and says bye at the end") {
  node.leave();
  CHECK(sent() == "given_back(3,4,5) demand(0) ");
  CHECK(gets({6}) == "given_back(6) ");
  CHECK(forgotten() == "(3,4,5,6)");
  ends(1, 20ms);
  CHECK(ends(2, 20ms) == "done(1,2) bye ");
  CHECK(told(libpool::gone{first}).empty());
  CHECK(node.has_left());
}

TEST_CASE_FIXTURE(busy, "a leaving node waits for the credit of its last "
                        "results") {
  node.leave();
  sent();
  ends(1, 20ms, 4000);
  CHECK(ends(2, 20ms, 97) == "done(1) ");
  CHECK(!node.has_left());
  SUBCASE("until a receipt comes") {
    CHECK(told(libpool::receipt{1}) == "done(2) bye ");
  }
  SUBCASE("until its session is gone") {
    CHECK(told(libpool::gone{first}, first, 0, 3s).empty());
    CHECK(node.has_left());
    CHECK(told(libpool::welcome{me, 2, second, lease}, second, 0, 3s).empty());
  }
}

TEST_CASE_FIXTURE(serving, "a node that leaves without tasks says bye once, "
                           "and sends beats until the pool has confirmed the "
                           "bye") {
  node.leave();
  CHECK(sent() == "demand(0) bye ");
  node.leave();
  CHECK(sent().empty());
  for (auto time : {1s, 2s, 3s, 4s, 5s}) {
    CHECK(ticked(time) == "beat ");
    echo(time, time);
    CHECK(!may_begin(time));
    CHECK(!node.has_left());
  }
  told(libpool::gone{first});
  CHECK(node.has_left());
  CHECK(node.next_tick() == never);
}

} // namespace nodes_agent_connection_tests
