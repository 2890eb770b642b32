#include "support/node_connections_world.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <cstdint>
#include <string>

namespace nodes_node_connections_tests {

using namespace test::pool_ends;

// -- sessions -----------------------------------------------------------------

TEST_CASE_FIXTURE(
  world,
  "a node is admitted when it is ready, and gets as many tasks as it demands") {
  CHECK(hello(a, 7, 1) == "1:welcome ");
  CHECK(!pool.submitted(task_number{1}, first, 0, false, at(0ms)));
  CHECK(told(a, first, libpool::ready{first}) == "admit1 ");
  CHECK(told(a, first, libpool::demand{4, 2, 0ms, 0ms}) == "resize1=4 ");
}

TEST_CASE_FIXTURE(
  one_node,
  "a node gets at most as many tasks as the pool allows for each node") {
  CHECK(told(a, first, libpool::demand{11, 2, 0ms, 0ms}) == "resize1=10 ");
}

TEST_CASE_FIXTURE(one_node, "a beat is answered over the same connection") {
  CHECK(told(a, first, libpool::beat{first, at(0ms)}) == "1:beat ");
}

// -- portions -----------------------------------------------------------------

TEST_CASE_FIXTURE(one_node, "the first task for a node is sent at once, and "
                            "the next tasks with a flush") {
  CHECK(submit(1) == "1:tasks(1) ");
  CHECK(!pool.has_to_flush());
  CHECK(submit(2).empty());
  CHECK(submit(3).empty());
  CHECK(pool.has_to_flush());
  CHECK(flush() == "1:tasks(2,3) ");
  CHECK(!pool.has_to_flush());
  CHECK(flush().empty());
}

TEST_CASE_FIXTURE(one_node, "a full portion of tasks is sent without a flush") {
  submit(1);
  submit(2);
  submit(3);
  CHECK(submit(4) == "1:tasks(2,3,4) ");
}

TEST_CASE_FIXTURE(
  one_node,
  "tasks collected for a node are sent when the node has no tasks left") {
  submit(1);
  submit(2);
  CHECK(done(a, first, {1}) == "completed1 1:tasks(2) ");
}

TEST_CASE_FIXTURE(
  one_node,
  "a flush sends the collected tasks of all nodes, the oldest session first") {
  joins(b, 8, second);
  submit(1, second);
  submit(2, second);
  submit(3, first);
  submit(4, first);
  CHECK(flush() == "1:tasks(4) 2:tasks(2) ");
}

// -- credit -------------------------------------------------------------------

TEST_CASE_FIXTURE(one_node, "contents beyond the credit of a node wait for a "
                            "receipt") {
  CHECK(submit(1, first, 4000) == "1:tasks(1) ");
  submit(2, first, 1000);
  CHECK(flush().empty());
  CHECK(pool.under_way(first) == 4000);
  CHECK(told(a, first, libpool::receipt{903}).empty());
  CHECK(told(a, first, libpool::receipt{904}) == "1:tasks(2) ");
  CHECK(pool.under_way(first) == 4096);
}

TEST_CASE_FIXTURE(one_node, "the bytes of a message batch to a node do not "
                            "exceed the credit of the node") {
  submit(1, first, 96);
  submit(2, first, 2000);
  submit(3, first, 2000);
  CHECK(submit(4, first, 1) == "1:tasks(2,3) ");
}

TEST_CASE_FIXTURE(
  one_node, "a pool confirms received results at each quarter of the credit") {
  submit(1);
  submit(2);
  flush();
  CHECK(done(a, first, {1}, ending::completed, 1023) == "completed1 ");
  CHECK(done(a, first, {2}, ending::completed, 1)
        == "completed2 1:receipt(1024) ");
}

// -- ends of tasks ------------------------------------------------------------

TEST_CASE_FIXTURE(one_node, "a task whose handler has crashed is reported as "
                            "crashed, whether it may be retried or not") {
  submit(1);
  submit(2, first, 0, true);
  flush();
  CHECK(done(a, first, {1, 2}, ending::crashed) == "crashed1 crashed2 ");
  CHECK(pool.in_flight(first) == 0);
}

TEST_CASE_FIXTURE(one_node,
                  "the end of a task that the node does not have is a "
                  "stray") {
  submit(1);
  CHECK(done(a, first, {2, 1, 1}) == "completed1 ");
  CHECK(pool.strays() == 2);
}

TEST_CASE_FIXTURE(
  one_node,
  "message batches of sessions that have ended, or are not ready, are strays") {
  submit(1);
  hello(b, 8, 1);
  CHECK(done(b, second, {1}).empty());
  CHECK(pool.strays() == 1);
  tick_until(4s);
  CHECK(told(a, first, libpool::demand{4, 1, 0ms, 0ms}).empty());
  CHECK(done(a, first, {1}).empty());
  CHECK(pool.strays() == 3);
}

TEST_CASE_FIXTURE(one_node, "message batches of a session over another "
                            "connection are strays") {
  submit(1);
  CHECK(done(b, first, {1}).empty());
  CHECK(told(b, first, libpool::given_back{false, {task_number{1}}}).empty());
  CHECK(told(b, first, libpool::unread{task_number{1}, "forged"}).empty());
  CHECK(told(b, first, libpool::demand{9, 9, 0ms, 0ms}).empty());
  CHECK(told(b, first, libpool::receipt{9}).empty());
  CHECK(pool.strays() == 5);
  CHECK(told(b, first, libpool::bye{first}) == "2:gone ");
  CHECK(told(b, first, libpool::beat{first, at(0ms)}) == "2:gone ");
  CHECK(done(a, first, {1}) == "completed1 ");
}

TEST_CASE_FIXTURE(one_node, "a hello that names the run of a node over another "
                            "connection does not end the session of the node") {
  submit(1);
  CHECK(hello(b, 7, 2) == "2:welcome ");
  CHECK(done(a, first, {1}) == "completed1 ");
}

// -- losses -------------------------------------------------------------------

TEST_CASE_FIXTURE(
  one_node, "the unsent tasks of an expelled node come back, and its sent "
            "tasks are lost at once, or after a lease if they may be retried") {
  submit(1);
  submit(2, first, 0, true);
  flush();
  submit(3);
  pool.expelled(first);
  CHECK(decided() == "lose1 given_back3 lost1 1:bye ");
  CHECK(!pool.submitted(task_number{4}, first, 0, false, at(0ms)));
  CHECK(tick_until(3999ms).empty());
  CHECK(tick_until(4s) == "lost2 ");
  CHECK(flush().empty());
}

TEST_CASE_FIXTURE(one_node, "if a node is silent for a lease, its sent tasks "
                            "are lost, and its unsent tasks come back") {
  submit(1);
  submit(2, first, 0, true);
  flush();
  submit(3);
  CHECK(tick_until(3999ms).empty());
  CHECK(tick_until(4s) == "lose1 given_back3 lost1 lost2 ");
}

TEST_CASE_FIXTURE(one_node, "after a newer hello of a node, the tasks of its "
                            "older session are lost at once") {
  submit(1);
  submit(2, first, 0, true);
  flush();
  CHECK(hello(a, 7, 2) == "lose1 lost1 lost2 1:welcome ");
}

TEST_CASE_FIXTURE(one_node, "after a newer hello of an expelled node, its "
                            "tasks that may be retried are lost at once") {
  submit(1, first, 0, true);
  pool.expelled(first);
  CHECK(decided() == "lose1 1:bye ");
  CHECK(hello(a, 7, 2) == "lost1 1:welcome ");
}

TEST_CASE_FIXTURE(
  one_node,
  "a node that sends bye is dismissed, and its tasks are given back") {
  submit(1);
  submit(2, first, 0, true);
  CHECK(told(a, first, libpool::bye{first})
        == "dismiss1 given_back2 given_back1 1:gone ");
  CHECK(told(a, first, libpool::bye{first}) == "1:gone ");
}

TEST_CASE_FIXTURE(one_node, "each beat of an expelled node is answered by a "
                            "bye, and its results are strays") {
  submit(1);
  submit(2, first, 0, true);
  flush();
  pool.expelled(first);
  decided();
  CHECK(told(a, first, libpool::beat{first, at(1s)}, 0, 1s) == "1:bye ");
  CHECK(done(a, first, {1, 2}).empty());
  CHECK(pool.strays() == 1);
  CHECK(tick_until(4s) == "lost2 ");
  CHECK(told(a, first, libpool::beat{first, at(5s)}, 0, 5s) == "1:gone ");
}

TEST_CASE_FIXTURE(
  one_node, "a node that only asks for missing messages counts as alive") {
  tick_until(3s);
  told(a, first, libpool::resend{}, 0, 3s);
  CHECK(pool.strays() == 0);
  CHECK(tick_until(6s).empty());
  CHECK(tick_until(7s) == "lose1 ");
}

TEST_CASE_FIXTURE(one_node,
                  "the loss of one node does not affect other nodes") {
  joins(b, 8, second);
  submit(1, second);
  pool.expelled(first);
  CHECK(decided() == "lose1 1:bye ");
  CHECK(done(b, second, {1}) == "completed1 ");
}

} // namespace nodes_node_connections_tests
