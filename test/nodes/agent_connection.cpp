#include "support/agent_connection_world.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>

namespace nodes_agent_connection_tests {

using namespace test::node_ends;

// -- sessions -----------------------------------------------------------------

TEST_CASE_FIXTURE(world, "a node sends a hello, and after its welcome a ready "
                         "and a demand for two tasks per slot") {
  CHECK(sent() == "hello(1) ");
  CHECK(told(libpool::welcome{1, first, lease}) == "ready beat demand(4) ");
}

TEST_CASE_FIXTURE(serving,
                  "a node ignores a message batch of another session") {
  CHECK(gets({1}, second).empty());
  CHECK(!is_taken);
  CHECK(begins() == "()");
  gets({2});
  CHECK(is_taken);
  CHECK(begins() == "(2)");
}

TEST_CASE_FIXTURE(busy, "a node whose session is gone drops the tasks it has "
                        "not started, reports no results, and says hello") {
  CHECK(told(libpool::gone{first}) == "hello(2) ");
  CHECK(!is_taken);
  CHECK(forgotten() == "(3,4,5)");
  CHECK(begins() == "()");
  CHECK(ends(1).empty());
  CHECK(!is_taken);
  CHECK(node.running() == 1);
}

TEST_CASE_FIXTURE(busy, "the end of another session changes nothing") {
  CHECK(told(libpool::gone{second}, second).empty());
  CHECK(!is_taken);
  CHECK(node.waiting() == 3);
  ends(1, 20ms);
  CHECK(is_taken);
}

TEST_CASE_FIXTURE(busy,
                  "a node drops its waiting results when its session is gone") {
  ends(1, 20ms);
  told(libpool::gone{first});
  CHECK(!node.has_to_flush());
  CHECK(flush().empty());
}

TEST_CASE_FIXTURE(busy, "a session outlives an interrupted line: tasks begin "
                        "until the lease ends, and results are kept") {
  node.went_down();
  CHECK(node.next_tick() == libpool::never);
  CHECK(ends(1, 20ms).empty());
  CHECK(is_taken);
  CHECK(begins(2999ms) == "(3)");
  CHECK(flush() == "done(1) demand(4) ");
  node.came_up(at(2s));
  CHECK(sent() == "beat ");
  CHECK(forgotten() == "()");
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

TEST_CASE_FIXTURE(serving, "a node starts no task later than three quarters of "
                           "a lease after its last answered beat") {
  gets({1, 2});
  CHECK(node.start(at(2999ms)) == task_number{1});
  CHECK(node.start(at(3000ms)) == std::nullopt);
  told(libpool::beat{first, at(1ms)}, first, 0, 2500ms);
  CHECK(node.start(at(3000ms)) == task_number{2});
}

TEST_CASE_FIXTURE(busy, "a node whose lease has ended keeps its tasks, and "
                        "starts them when a beat comes back") {
  ends(1, 20ms);
  node.ticked(at(10s));
  CHECK(sent() == "beat ");
  CHECK(begins(10s) == "()");
  CHECK(forgotten() == "()");
  told(libpool::beat{first, at(10s)}, first, 0, 11s);
  CHECK(begins(11s) == "(3)");
  CHECK(flush() == "done(1) demand(4) ");
}

TEST_CASE_FIXTURE(busy, "a node that is dismissed drops the tasks it has not "
                        "started, and says no hello") {
  told(libpool::bye{first});
  CHECK(node.is_dismissed());
  CHECK(forgotten() == "(3,4,5)");
  node.came_up(at(0ms));
  CHECK(sent().empty());
}

TEST_CASE_FIXTURE(busy, "a bye of the pool for another session is ignored") {
  told(libpool::bye{second}, second);
  CHECK(!node.is_dismissed());
  CHECK(node.waiting() == 3);
}

// -- tasks --------------------------------------------------------------------

TEST_CASE_FIXTURE(
  serving,
  "tasks start in the order of arrival, as many at a time as there are slots") {
  gets({1, 2});
  gets({3, 4});
  CHECK(begins() == "(1,2)");
  CHECK(node.waiting() == 2);
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

TEST_CASE_FIXTURE(serving,
                  "the end of a task that has not started is ignored") {
  gets({1});
  CHECK(ends(1).empty());
  CHECK(!is_taken);
}

// -- results ------------------------------------------------------------------

TEST_CASE_FIXTURE(serving, "the result of the last task is sent at once") {
  gets({1});
  begins();
  CHECK(ends(1, 20ms) == "done(1) demand(4) ");
  CHECK(is_taken);
}

TEST_CASE_FIXTURE(busy, "results are collected until a flush") {
  CHECK(ends(1, 20ms).empty());
  CHECK(node.has_to_flush());
  CHECK(ends(2, 20ms).empty());
  CHECK(flush() == "done(1,2) demand(4) ");
  CHECK(!node.has_to_flush());
}

TEST_CASE_FIXTURE(
  busy, "results of tasks that are not short are due for a flush at once") {
  CHECK(node.flush_at() == libpool::never);
  ends(1, 20ms);
  CHECK(node.flush_at() == at(20ms));
  flush();
  CHECK(node.flush_at() == libpool::never);
}

TEST_CASE_FIXTURE(busy, "results of short tasks are collected for a round "
                        "trip, at most a millisecond") {
  node.finished(task_number{1}, ending::completed, 0, at(20ms), 10us);
  CHECK(node.flush_at() == at(21ms));
  node.finished(task_number{2}, ending::completed, 0, at(30ms), 10us);
  CHECK(node.flush_at() == at(21ms));
}

TEST_CASE_FIXTURE(busy, "large results are not collected") {
  node.finished(task_number{1}, ending::completed, 4097, at(20ms), 10us);
  CHECK(node.flush_at() == at(20ms));
}

TEST_CASE("small results of short tasks with large contents are collected") {
  serving one;
  one.gets({1, 2, 3}, first, 3 * 4097);
  one.begins();
  one.node.finished(task_number{1}, ending::completed, 0, at(20ms), 10us);
  CHECK(one.node.flush_at() == at(21ms));
}

TEST_CASE_FIXTURE(
  busy, "results of short tasks are not collected at a node that leaves") {
  node.finished(task_number{1}, ending::completed, 0, at(20ms), 10us);
  node.leave();
  CHECK(node.flush_at() == at(20ms));
}

TEST_CASE_FIXTURE(busy, "a full portion of results is sent without a flush") {
  ends(1, 20ms);
  ends(2, 20ms);
  begins(20ms);
  CHECK(ends(3, 40ms) == "done(1,2,3) demand(4) ");
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

TEST_CASE_FIXTURE(
  serving, "a node confirms received contents at each quarter of its credit") {
  CHECK(gets({1}, first, 1023).empty());
  CHECK(gets({2}, first, 1) == "receipt(1024) ");
}

TEST_CASE_FIXTURE(serving, "the bytes of a new session are counted from zero") {
  gets({1}, first, 1023);
  begins_again();
  CHECK(gets({2}, second, 1).empty());
  CHECK(gets({3}, second, 1023) == "receipt(1024) ");
}

// -- leaving ------------------------------------------------------------------

TEST_CASE_FIXTURE(busy, "a leaving node gives back unstarted tasks, demands no "
                        "tasks, and says bye at the end") {
  node.leave();
  CHECK(sent() == "given_back(3,4,5) demand(0) ");
  CHECK(forgotten() == "(3,4,5)");
  ends(1, 20ms);
  CHECK(ends(2, 20ms) == "done(1,2) bye ");
  CHECK(!node.has_left());
  CHECK(told(libpool::gone{first}).empty());
  CHECK(node.has_left());
  node.came_up(at(0ms));
  CHECK(sent().empty());
}

TEST_CASE_FIXTURE(busy, "a node that leaves gives back new tasks") {
  node.leave();
  sent();
  CHECK(gets({6}) == "given_back(6) ");
  CHECK(forgotten() == "(3,4,5,6)");
}

TEST_CASE_FIXTURE(
  busy, "a node that leaves waits for the credit of its last results") {
  node.leave();
  sent();
  ends(1, 20ms, 4000);
  CHECK(ends(2, 20ms, 97) == "done(1) ");
  CHECK(!node.has_left());
  CHECK(told(libpool::receipt{1}) == "done(2) bye ");
}

TEST_CASE_FIXTURE(serving,
                  "a node that leaves without tasks says bye at once") {
  node.leave();
  CHECK(sent() == "demand(0) bye ");
}

TEST_CASE_FIXTURE(serving, "a node that leaves says bye once, and sends beats "
                           "until the pool has confirmed the bye") {
  node.leave();
  sent();
  for (auto time : {1s, 2s, 3s, 4s, 5s}) {
    node.ticked(at(time));
    CHECK(sent() == "beat ");
    CHECK(!node.has_left());
  }
  told(libpool::gone{first});
  CHECK(node.has_left());
  CHECK(node.next_tick() == libpool::never);
}

TEST_CASE_FIXTURE(busy, "a node that leaves while its line is interrupted has "
                        "left when the pool has confirmed its bye") {
  node.went_down();
  node.leave();
  ends(1, 20ms);
  CHECK(ends(2, 20ms) == "done(1,2) bye ");
  CHECK(!node.has_left());
  node.came_up(at(5s));
  CHECK(sent() == "beat ");
  told(libpool::gone{first}, first, 0, 5s);
  CHECK(node.has_left());
}

TEST_CASE_FIXTURE(busy, "a leaving node that lacks credit for its results has "
                        "left when its session is gone") {
  node.leave();
  ends(1, 20ms, 4000);
  ends(2, 20ms, 97);
  CHECK(!node.has_left());
  CHECK(told(libpool::gone{first}, first, 0, 3s).empty());
  CHECK(node.has_left());
  CHECK(told(libpool::welcome{2, second, lease}, second, 0, 3s).empty());
}

TEST_CASE_FIXTURE(world, "a node that leaves before its welcome never serves") {
  sent();
  node.leave();
  CHECK(node.has_left());
  CHECK(told(libpool::welcome{1, first, lease}).empty());
  CHECK(!node.link().session());
}

} // namespace nodes_agent_connection_tests
