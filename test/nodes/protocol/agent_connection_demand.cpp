/// The tasks of a node: how many it demands, which it gives back, and when it
/// sends results.

#include "link_ends.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace nodes_agent_connection_demand_tests {

using namespace test::link_ends;

// -- demand -------------------------------------------------------------------

TEST_CASE("a node demands enough tasks per slot to stay busy for a round trip, "
          "and states its slots, the service time and the round trip") {
  struct row {
    libpool::duration service;
    std::size_t window;
  };
  const std::vector<row> rows{
    {20ms, 4}, // 2 · (1 + 1)
    {19ms, 6}, {10ms, 6}, {5ms, 10}, {100us, 2 * (1 + 200)},
  };
  for (const auto& each : rows) {
    serving one;
    one.runs(1, each.service);
    CHECK(one.demanded.window == each.window);
    CHECK(one.demanded.slots == 2);
    CHECK(one.demanded.service == each.service);
    CHECK(one.demanded.round_trip == 20ms);
  }
}

TEST_CASE_FIXTURE(serving, "a demand counts the shortest round trip of a "
                           "session, since other beats wait behind contents") {
  echo(0ms, 500ms);
  CHECK(runs(1, 5ms) == "done(1) demand(10) ");
  echo(0ms, 5ms);
  CHECK(runs(2, 5ms) == "done(2) demand(4) ");
}

TEST_CASE_FIXTURE(serving,
                  "without a measured time of the handler, the time in the "
                  "slot counts, and that of a crashed handler does not") {
  gets({1, 2});
  begins();
  node.finished(task_number{1}, ending::crashed, 0, at(1ms));
  CHECK(flush() == "done(1) ");
  CHECK(ends(2, 5ms) == "done(2) demand(10) ");
}

TEST_CASE_FIXTURE(serving,
                  "a demand that changes by less than a quarter is not sent") {
  // The mean is 5 ms, for which 10 tasks are wanted. Four tasks of no time make
  // it 4.07 ms, where 12 would be, and a fifth one 3.87 ms: 14.
  CHECK(runs(1, 5ms) == "done(1) demand(10) ");
  for (std::uint64_t task = 2; task <= 5; ++task)
    CHECK(runs(task, 0ms) == "done(" + std::to_string(task) + ") ");
  CHECK(runs(6, 0ms) == "done(6) demand(14) ");
}

TEST_CASE_FIXTURE(serving, "a demand is sent if its service time has doubled") {
  CHECK(runs(1, 40ms) == "done(1) demand(4) ");
  CHECK(runs(2, 839ms) == "done(2) "); // a mean of 79.95 ms
  CHECK(runs(3, 100ms) == "done(3) demand(4) ");
}

TEST_CASE_FIXTURE(serving,
                  "a demand is sent if half of it is enough, and not before") {
  CHECK(runs(1, 5ms) == "done(1) demand(10) ");
  CHECK(runs(2, 60ms) == "done(2) ");            // a mean of 7.75 ms: 8
  CHECK(runs(3, 50ms) == "done(3) ");            // 9.86 ms: 8
  CHECK(runs(4, 59ms) == "done(4) demand(6) ");  // 12.3 ms, twice the first
  CHECK(runs(5, 300ms) == "done(5) demand(4) "); // 26.7 ms
}

TEST_CASE_FIXTURE(serving, "a node demands two portions of short tasks, or "
                           "more if the round trip is long") {
  runs(1, 100us);
  echo(5ms, 5ms);
  runs(2, 100us);
  CHECK(demanded.window == 6); // two portions; 2 · (1 + 1) for the way
}

TEST_CASE_FIXTURE(busy, "a node demands no tasks for slots in which handlers "
                        "of an older session run") {
  told(libpool::gone{first});
  CHECK(told(libpool::welcome{me, 2, second, lease}, second)
        == "ready beat demand(0) ");
  CHECK(ends(1, 40ms) == "demand(1) ");
  CHECK(ends(2, 40ms) == "demand(2) ");
}

// -- tasks --------------------------------------------------------------------

TEST_CASE_FIXTURE(
  serving,
  "tasks start in the order of arrival, as many at a time as there are slots") {
  gets({1, 2});
  gets({3, 4});
  CHECK(begins() == "(1,2)");
  CHECK(node.waiting() == 2);
  CHECK(ends(3).empty()); // has not started
  CHECK(!is_taken);
  ends(2);
  CHECK(begins() == "(3)");
}

TEST_CASE_FIXTURE(
  busy,
  "a node that is asked for tasks gives back the last tasks of its queue") {
  CHECK(told(libpool::ask_back{2}) == "given_back_as_asked(4,5) ");
  CHECK(forgotten() == "(4,5)");
  CHECK(told(libpool::ask_back{2}) == "given_back_as_asked(3) ");
  CHECK(told(libpool::ask_back{2}) == "given_back_as_asked() ");
  CHECK(forgotten() == "(3)");
  ends(1);
  CHECK(begins() == "()");
}

TEST_CASE_FIXTURE(busy, "a node gives back tasks that are not wanted any more, "
                        "unless they have started") {
  CHECK(told(libpool::take_back_tasks{
          {task_number{4}, task_number{1}, task_number{9}, task_number{3}}})
        == "given_back(3,4) ");
  CHECK(forgotten() == "(3,4)");
  CHECK(told(libpool::take_back_tasks{{task_number{3}}}).empty());
  CHECK(node.stopping().empty());
  CHECK(test::words_for(std::exchange(node.taken_back(), {})) == "(1)");
  node.never_began(task_number{1});
  CHECK(sent() == "given_back(1) ");
  ends(1, 20ms);
  ends(2, 20ms);
  CHECK(node.waiting() == 1);
}

TEST_CASE_FIXTURE(busy, "a node gives back tasks for which no client waits, "
                        "and asks the handlers of those that have started to "
                        "stop") {
  auto stopping = [this] {
    return test::words_for(std::exchange(node.stopping(), {}));
  };
  CHECK(told(libpool::cancel_tasks{
          {task_number{4}, task_number{1}, task_number{9}, task_number{3}}})
        == "given_back(3,4) ");
  CHECK(forgotten() == "(3,4)");
  CHECK(stopping() == "(1)");
  ends(1);
  CHECK(is_taken);
  CHECK(told(libpool::cancel_tasks{{task_number{1}, task_number{2}}}).empty());
  CHECK(stopping() == "(2)");
  begins_again();
  CHECK(told(libpool::cancel_tasks{{task_number{2}}}, second).empty());
  CHECK(stopping() == "()"); // the handler is of the older session
}

TEST_CASE_FIXTURE(busy, "a node that is asked which handlers have begun tells "
                        "those of the session") {
  auto asked = [this] {
    return test::words_for(std::exchange(node.asked_begun(), {}));
  };
  CHECK(told(libpool::ask_begun{{task_number{4}, task_number{1}}}).empty());
  CHECK(asked() == "(1)"); // task 4 waits
  node.tell_begun({{task_number{1}, 5ms}, {task_number{4}, 5ms}});
  CHECK(sent() == "begun(1) ");
  ends(1);
  sent();
  node.tell_begun({{task_number{1}, 5ms}});
  CHECK(sent().empty());
  begins_again();
  sent();
  CHECK(told(libpool::ask_begun{{task_number{2}}}, second).empty());
  CHECK(asked() == "()"); // the handler is of the older session
  node.tell_begun({{task_number{2}, 5ms}});
  CHECK(sent().empty());
}

TEST_CASE_FIXTURE(busy, "a task that the node cannot read is reported, and "
                        "makes room for the next task") {
  node.unreadable(task_number{1}, "unknown type");
  CHECK(sent() == "unread(1) ");
  CHECK(node.running() == 1);
  CHECK(ends(1).empty());
  CHECK(!is_taken);
  begins_again();
  node.unreadable(task_number{2}, "of an older session");
  CHECK(sent().empty());
  CHECK(node.running() == 0);
}

TEST_CASE_FIXTURE(busy, "a task whose handler cannot begin is given back, and "
                        "makes room for the next task") {
  node.never_began(task_number{1});
  CHECK(sent() == "given_back(1) ");
  CHECK(node.running() == 1);
  CHECK(ends(1).empty());
  CHECK(!is_taken);
}

// -- results ------------------------------------------------------------------

TEST_CASE_FIXTURE(busy, "results are collected until a flush, a full portion, "
                        "or until the node has a free slot") {
  CHECK(ends(1, 20ms).empty());
  CHECK(node.has_to_flush());
  CHECK(ends(2, 20ms).empty());
  CHECK(flush() == "done(1,2) demand(4) ");
  CHECK(!node.has_to_flush());
  begins(20ms);
  CHECK(ends(3, 40ms).empty());
  CHECK(ends(4, 40ms) == "done(3,4) "); // the pool may send tasks again
  begins(40ms);
  CHECK(ends(5, 60ms) == "done(5) ");
  gets({6});
  begins(60ms);
  CHECK(ends(6, 80ms) == "done(6) ");
}

TEST_CASE_FIXTURE(serving, "a result is sent at once if a slot is free then") {
  gets({1, 2, 3});
  begins();
  CHECK(ends(1, 20ms).empty());
  begins(20ms);
  CHECK(ends(2, 20ms).find("done(1,2) ") == 0);
  CHECK(ends(3, 21ms).find("done(3) ") == 0);
}

TEST_CASE_FIXTURE(node_end, "results are sent together when less than half of "
                            "the tasks are left, and the pool does not know") {
  auto one_slot = offer();
  one_slot.slots = 1;
  one_slot.portion = 8;
  node = libpool::agent_connection{me, one_slot};
  node.came_up(at(0ms));
  told(libpool::welcome{me, 1, first, lease});
  gets({1, 2, 3, 4, 5, 6});
  for (std::uint64_t task = 1; task <= 3; ++task) {
    begins();
    CHECK(ends(task, 20ms).empty());
  }
  begins();
  CHECK(ends(4, 20ms).find("done(1,2,3,4) ") == 0);
  begins();
  CHECK(ends(5, 20ms).empty());
}

TEST_CASE_FIXTURE(busy, "a full portion of results is sent without a flush") {
  ends(1, 20ms);
  ends(2, 20ms);
  begins(20ms);
  CHECK(ends(3, 40ms) == "done(1,2,3) demand(4) ");
}

TEST_CASE_FIXTURE(busy, "the first results are due at once, and the next ones "
                        "a millisecond later, unless the node leaves") {
  CHECK(node.flush_at() == never);
  ends(1, 20ms);
  CHECK(node.flush_at() == at(20ms));
  CHECK(flush(20ms) == "done(1) demand(4) ");
  CHECK(node.flush_at() == never);
  ends(2, 20ms);
  CHECK(node.flush_at() == at(21ms));
  auto leaving = node;
  leaving.leave();
  CHECK(leaving.flush_at() == at(20ms));
}

TEST_CASE_FIXTURE(busy, "results are due at once a millisecond after the last "
                        "ones") {
  ends(1, 20ms);
  flush(20ms);
  ends(2, 30ms);
  CHECK(node.flush_at() == at(30ms));
}

TEST_CASE_FIXTURE(busy, "results beyond the credit of a node wait for a "
                        "receipt") {
  ends(1, 20ms, 4000);
  CHECK(ends(2, 20ms, 97) == "done(1) demand(4) "); // no task can begin
  CHECK(told(libpool::receipt{1}) == "done(2) ");
}

TEST_CASE_FIXTURE(busy, "a node begins no task while the results that wait for "
                        "credit are as large as the credit") {
  ends(1, 20ms, 4096);
  CHECK(flush() == "done(1) demand(4) ");
  ends(2, 20ms, 4095);
  CHECK(begins(20ms) == "(3,4)");
  CHECK(ends(3, 40ms, 1).find("done") == std::string::npos);
  CHECK(begins(40ms) == "()");
  CHECK(told(libpool::receipt{4096}).find("done(2,3)") == 0);
  CHECK(begins(40ms) == "(5)");
}

TEST_CASE_FIXTURE(serving, "a node confirms received contents at each quarter "
                           "of its credit, counted from zero in each session") {
  CHECK(gets({1}, first, 1023).empty());
  CHECK(gets({2}, first, 1) == "receipt(1024) ");
  CHECK(gets({3}, first, 1023).empty());
  begins_again();
  CHECK(gets({2}, second, 1).empty());
  CHECK(gets({3}, second, 1023) == "receipt(1024) ");
}

} // namespace nodes_agent_connection_demand_tests
