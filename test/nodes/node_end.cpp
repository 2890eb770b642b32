#include "support/node_end_world.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>

namespace nodes_node_end_tests {

using namespace test::node_ends;

// -- sessions -----------------------------------------------------------------

TEST_CASE_FIXTURE(world, "a node says hello, and when it is welcome that it is "
                         "ready and wants two tasks for each slot") {
  CHECK(sent() == "hello(1) ");
  CHECK(told(libpool::welcome{1, first, lease}) == "ready beat demand(4) ");
}

TEST_CASE_FIXTURE(serving, "a letter of another session is not taken") {
  CHECK(gets({1}, second).empty());
  CHECK(!is_taken);
  CHECK(begins() == "()");
  gets({2});
  CHECK(is_taken);
  CHECK(begins() == "(2)");
}

TEST_CASE_FIXTURE(busy, "a node that is cut off forgets what it has not begun, "
                        "and nobody is told how the rest ends") {
  node.disconnected();
  CHECK(forgotten() == "(3,4,5)");
  CHECK(begins() == "()");
  CHECK(ends(1).empty());
  CHECK(!is_taken);
  CHECK(node.running() == 1);
}

TEST_CASE_FIXTURE(busy, "a handler of an older session holds its slot until it "
                        "ends") {
  node.connected(at(0ms));
  CHECK(sent() == "hello(2) ");
  told(libpool::welcome{2, second, lease}, second);
  gets({6, 7}, second);
  CHECK(begins() == "()");
  ends(1);
  CHECK(begins() == "(6)");
}

TEST_CASE_FIXTURE(busy, "a task waits for the handler of a task of the same "
                        "number and an older session") {
  node.connected(at(0ms));
  told(libpool::welcome{2, second, lease}, second);
  ends(2);
  gets({1, 6}, second);
  CHECK(begins() == "()");
  ends(1);
  CHECK(!is_taken);
  CHECK(begins() == "(1,6)");
  ends(1);
  CHECK(is_taken);
}

TEST_CASE_FIXTURE(serving,
                  "nothing begins after three quarters of a lease from "
                  "the last beat that came back") {
  gets({1, 2});
  CHECK(node.start(at(2999ms)) == task_number{1});
  CHECK(node.start(at(3000ms)) == std::nullopt);
  told(libpool::beat{first, at(1ms)}, first, 0, 2500ms);
  CHECK(node.start(at(3000ms)) == task_number{2});
}

TEST_CASE_FIXTURE(busy, "a node whose lease is over forgets what it has not "
                        "begun, and says hello again") {
  node.ticked(at(3s));
  CHECK(sent() == "hello(2) ");
  CHECK(forgotten() == "(3,4,5)");
}

TEST_CASE_FIXTURE(busy,
                  "a node that the pool dismisses forgets what it has not "
                  "begun, and says hello no more") {
  told(libpool::bye{first});
  CHECK(node.is_dismissed());
  CHECK(forgotten() == "(3,4,5)");
  node.connected(at(0ms));
  CHECK(sent().empty());
}

// -- tasks --------------------------------------------------------------------

TEST_CASE_FIXTURE(serving,
                  "tasks begin in the order in which they came, as many "
                  "as there are slots") {
  gets({1, 2});
  gets({3, 4});
  CHECK(begins() == "(1,2)");
  CHECK(node.waiting() == 2);
  ends(2);
  CHECK(begins() == "(3)");
}

TEST_CASE_FIXTURE(busy, "a node gives away the last ones of what it has not "
                        "begun") {
  auto request = [](std::size_t most) {
    return libpool::steal_request{libpool::request_number{1}, first, most};
  };
  CHECK(told(request(2)) == "granted(4,5) ");
  CHECK(forgotten() == "(4,5)");
  CHECK(told(request(2)) == "granted(3) ");
  CHECK(told(request(2)) == "refused ");
}

TEST_CASE_FIXTURE(serving, "the end of a task that has not begun is nobody's") {
  gets({1});
  CHECK(ends(1).empty());
  CHECK(!is_taken);
}

// -- results ------------------------------------------------------------------

TEST_CASE_FIXTURE(serving, "the result of the last task travels at once") {
  gets({1});
  begins();
  CHECK(ends(1, 20ms) == "done(1) demand(4) ");
  CHECK(is_taken);
}

TEST_CASE_FIXTURE(busy, "results wait for others to travel with, until a "
                        "flush") {
  CHECK(ends(1, 20ms).empty());
  CHECK(node.has_to_flush());
  CHECK(ends(2, 20ms).empty());
  CHECK(flush() == "done(1,2) demand(4) ");
  CHECK(!node.has_to_flush());
}

TEST_CASE_FIXTURE(busy, "results of tasks that are not short are to travel at "
                        "once") {
  CHECK(node.flush_at() == libpool::never);
  ends(1, 20ms);
  CHECK(node.flush_at() == at(20ms));
  flush();
  CHECK(node.flush_at() == libpool::never);
}

TEST_CASE_FIXTURE(busy,
                  "results of short tasks wait for others as long as the way "
                  "to the pool and back takes, at most a millisecond") {
  node.finished(task_number{1}, ending::completed, 0, at(20ms), 10us);
  CHECK(node.flush_at() == at(21ms));
  node.finished(task_number{2}, ending::completed, 0, at(30ms), 10us);
  CHECK(node.flush_at() == at(21ms));
}

TEST_CASE_FIXTURE(busy, "large results do not wait for others") {
  node.finished(task_number{1}, ending::completed, 4097, at(20ms), 10us);
  CHECK(node.flush_at() == at(20ms));
}

TEST_CASE("small results of short tasks with large contents wait for others") {
  serving one;
  one.gets({1, 2, 3}, first, 3 * 4097);
  one.begins();
  one.node.finished(task_number{1}, ending::completed, 0, at(20ms), 10us);
  CHECK(one.node.flush_at() == at(21ms));
}

TEST_CASE_FIXTURE(busy, "results of short tasks do not wait at a node that "
                        "leaves") {
  node.finished(task_number{1}, ending::completed, 0, at(20ms), 10us);
  node.leave();
  CHECK(node.flush_at() == at(20ms));
}

TEST_CASE_FIXTURE(busy, "as many results as a portion travel without a flush") {
  ends(1, 20ms);
  ends(2, 20ms);
  begins(20ms);
  CHECK(ends(3, 40ms) == "done(1,2,3) demand(4) ");
}

TEST_CASE_FIXTURE(busy, "results beyond the credit of a node wait for a "
                        "receipt") {
  ends(1, 20ms, 4000);
  ends(2, 20ms, 97);
  CHECK(flush() == "done(1) demand(4) ");
  CHECK(told(libpool::receipt{1}) == "done(2) ");
}

TEST_CASE_FIXTURE(serving, "the pool is told how many bytes of contents have "
                           "come, each quarter of its credit") {
  CHECK(gets({1}, first, 1023).empty());
  CHECK(gets({2}, first, 1) == "receipt(1024) ");
}

TEST_CASE_FIXTURE(serving, "the bytes of a new session are counted anew") {
  gets({1}, first, 1023);
  node.connected(at(0ms));
  told(libpool::welcome{2, second, lease}, second);
  CHECK(gets({2}, second, 1).empty());
  CHECK(gets({3}, second, 1023) == "receipt(1024) ");
}

// -- leaving ------------------------------------------------------------------

TEST_CASE_FIXTURE(busy,
                  "a node that leaves gives back what it has not begun, "
                  "wants nothing, and says bye when it has told the rest") {
  node.leave();
  CHECK(sent() == "granted(3,4,5) demand(0) ");
  CHECK(forgotten() == "(3,4,5)");
  ends(1, 20ms);
  CHECK(!node.has_left());
  CHECK(ends(2, 20ms) == "done(1,2) bye ");
  CHECK(node.has_left());
  node.connected(at(0ms));
  CHECK(sent().empty());
}

TEST_CASE_FIXTURE(busy, "a node that leaves gives back what comes on top") {
  node.leave();
  sent();
  CHECK(gets({6}) == "granted(6) ");
}

TEST_CASE_FIXTURE(busy, "a node that leaves waits for the credit of its last "
                        "results") {
  node.leave();
  sent();
  ends(1, 20ms, 4000);
  CHECK(ends(2, 20ms, 97) == "done(1) ");
  CHECK(!node.has_left());
  CHECK(told(libpool::receipt{1}) == "done(2) bye ");
}

TEST_CASE_FIXTURE(serving, "a node that leaves with nothing to do says bye at "
                           "once") {
  node.leave();
  CHECK(sent() == "demand(0) bye ");
}

TEST_CASE_FIXTURE(busy,
                  "a node that leaves has left when its lease ends before "
                  "the credit for its last results comes") {
  node.leave();
  ends(1, 20ms, 4000);
  ends(2, 20ms, 97);
  CHECK(!node.has_left());
  node.ticked(at(3s)); // three quarters
  CHECK(node.has_left());
  CHECK(sent().empty());
  CHECK(told(libpool::welcome{2, second, lease}, second, 0, 3s).empty());
}

TEST_CASE_FIXTURE(world, "a node that leaves before it is welcome serves no "
                         "more") {
  sent();
  node.leave();
  CHECK(node.has_left());
  CHECK(told(libpool::welcome{1, first, lease}).empty());
  CHECK(!node.link().session());
}

} // namespace nodes_node_end_tests
