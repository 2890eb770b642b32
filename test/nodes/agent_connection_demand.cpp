/// How many tasks a node demands, and which tasks it gives back.

#include "support/agent_connection_world.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>

namespace nodes_agent_connection_demand_tests {

using namespace test::node_ends;

// -- demand -------------------------------------------------------------------

TEST_CASE(
  "a node demands enough tasks per slot to stay busy for a round trip") {
  CHECK(demand_after(20ms) == "demand(4) "); // 2 · (1 + 1)
  CHECK(demand_after(19ms) == "demand(6) ");
  CHECK(demand_after(10ms) == "demand(6) ");
  CHECK(demand_after(5ms) == "demand(10) ");
}

TEST_CASE_FIXTURE(serving, "a demand counts the shortest round trip of a "
                           "session, since other beats wait behind contents") {
  told(libpool::beat{first, at(0ms)}, first, 0, 500ms);
  gets({1});
  begins();
  CHECK(ends(1, 10ms) == "done(1) demand(6) ");
  told(libpool::beat{first, at(0ms)}, first, 0, 5ms);
  gets({2});
  begins();
  CHECK(ends(2, 10ms) == "done(2) demand(4) ");
}

TEST_CASE_FIXTURE(
  serving,
  "a demand states the number of slots, the service time and the round trip") {
  gets({1});
  begins();
  node.finished(task_number{1}, ending::completed, 0, at(5ms));
  const auto& last = std::get<libpool::demand>(node.batches().back().content);
  CHECK(last.slots == 2);
  CHECK(last.service == 5ms);
  CHECK(last.round_trip == 20ms);
}

TEST_CASE_FIXTURE(serving, "the demand is computed from the measured time of "
                           "the handlers, or else from the time in the slots") {
  gets({1});
  begins();
  node.finished(task_number{1}, ending::completed, 0, at(50ms), 5ms);
  const auto& last = std::get<libpool::demand>(node.batches().back().content);
  CHECK(last.service == 5ms);
  CHECK(last.window == 10);
}

TEST_CASE_FIXTURE(serving,
                  "a demand that changes by less than a quarter is not sent") {
  // The mean is 5 ms, for which 10 tasks are wanted. Four tasks of no time make
  // it 4.07 ms, where 12 would be, and a fifth one 3.87 ms: 14.
  auto runs = [this](std::uint64_t task, time_of_test service) {
    gets({task});
    begins();
    return ends(task, service);
  };
  CHECK(runs(1, 5ms) == "done(1) demand(10) ");
  for (std::uint64_t task = 2; task <= 5; ++task)
    CHECK(runs(task, 0ms) == "done(" + std::to_string(task) + ") ");
  CHECK(runs(6, 0ms) == "done(6) demand(14) ");
}

TEST_CASE_FIXTURE(serving,
                  "a demand is sent if its service time changes by a quarter") {
  gets({1});
  begins();
  CHECK(ends(1, 40ms) == "done(1) demand(4) ");
  gets({2});
  begins();
  CHECK(ends(2, 239ms) == "done(2) "); // a mean of 49.95 ms
  gets({3});
  begins();
  CHECK(ends(3, 100ms) == "done(3) demand(4) ");
}

TEST_CASE_FIXTURE(
  serving, "a handler that crashes does not count for the service time") {
  gets({1});
  begins();
  node.finished(task_number{1}, ending::crashed, 0, at(1ms));
  CHECK(sent() == "done(1) ");
}

TEST_CASE_FIXTURE(serving, "a node demands two portions of short tasks, or "
                           "more if the round trip is long") {
  gets({1});
  begins();
  node.finished(task_number{1}, ending::completed, 0, at(1ms), 100us);
  const auto& last = std::get<libpool::demand>(node.batches().back().content);
  CHECK(last.window == 2 * (1 + 210)); // 21 ms of waiting and travelling
  node.batches().clear();
  told(libpool::beat{first, at(5ms)}, first, 0, 5ms);
  gets({2});
  begins();
  node.finished(task_number{2}, ending::completed, 0, at(6ms), 100us);
  const auto& next = std::get<libpool::demand>(node.batches().back().content);
  CHECK(next.window == 6); // two portions; 2 · (1 + 1) for the way
}

// -- tasks that nobody wants, or that cannot be read --------------------------

TEST_CASE_FIXTURE(busy, "a node gives back tasks that are not wanted any more, "
                        "unless they have started") {
  CHECK(told(libpool::forget{
          {task_number{4}, task_number{1}, task_number{9}, task_number{3}}})
        == "given_back(3,4) ");
  CHECK(forgotten() == "(3,4)");
  CHECK(told(libpool::forget{{task_number{3}}}).empty());
  ends(1, 20ms);
  ends(2, 20ms);
  CHECK(node.waiting() == 1);
}

TEST_CASE_FIXTURE(busy, "a task that the node cannot read is reported, and "
                        "makes room for the next task") {
  node.unreadable(task_number{1}, "unknown type");
  CHECK(sent() == "unread(1) ");
  CHECK(node.running() == 1);
  CHECK(ends(1).empty());
  CHECK(!is_taken);
}

TEST_CASE_FIXTURE(busy, "an unreadable task of an older session is ignored") {
  begins_again();
  node.unreadable(task_number{1}, "unknown type");
  CHECK(sent().empty());
  CHECK(node.running() == 1);
}

TEST_CASE_FIXTURE(busy, "a node demands no tasks for slots in which handlers "
                        "of an older session run") {
  told(libpool::gone{first});
  CHECK(told(libpool::welcome{2, second, lease}, second)
        == "ready beat demand(0) ");
  CHECK(ends(1, 40ms) == "demand(1) ");
  CHECK(ends(2, 40ms) == "demand(2) ");
}

} // namespace nodes_agent_connection_demand_tests
