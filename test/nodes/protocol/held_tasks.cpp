#include "libpool/nodes/protocol/held_tasks.hpp"

#include "libpool/nodes/protocol/held_by_nodes.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace nodes_held_tasks_tests {

using libpool::ending;
using libpool::instant;
using libpool::task_number;
using namespace std::chrono_literals;

using numbers = std::vector<std::uint64_t>;
using held_tasks = libpool::held_tasks<std::string>;

// Which tasks a node adopts, and which nodes a front asks, is searched in
// test/laws/node_adoption.cpp.

TEST_CASE("old results are dropped, and their tasks a month later, and running "
          "tasks are not") {
  held_tasks held;
  held.began(7, 20, task_number{2});
  held.began(8, 21, task_number{3});
  held.ended(8, ending::completed, "eight", instant{} + 1s);
  held.drop_old(1h, "lost", instant{} + 1h + 1s);
  CHECK(held.tasks().at(8).result == "eight");
  held.drop_old(1h, "lost", instant{} + 1h + 2s);
  CHECK(held.tasks().at(8).result == "lost");
  held.drop_old(1h, "lost", instant{} + 720h + 1s);
  CHECK(held.takings(false) == numbers{7});
  CHECK(held.takings(true) == numbers{8});
  held.drop_old(1h, "lost", instant{} + 720h + 2s);
  CHECK(held.takings(true).empty());
}

TEST_CASE("a task that has crashed begins again with its content, and is "
          "reported as crashed without it") {
  held_tasks held;
  held.began(6, 19, task_number{1});
  held.ended(6, ending::crashed, "crash", instant{});
  CHECK(held.takings(true) == numbers{6});
  libpool::agent_connection connection{libpool::incarnation{1}, {}};
  connection.came_up(instant{});
  const auto session = libpool::worker_number{5};
  connection.told(
    {session, libpool::welcome{libpool::incarnation{1}, 1, session, 10s}}, 0,
    instant{});
  connection.told({session, libpool::tasks_sent{{task_number{9}}}}, 1,
                  instant{});
  CHECK(held.adopt(connection, task_number{9}, 6, true, instant{}) == nullptr);
  const auto* adopted = held.adopt(connection, task_number{9}, 6, false,
                                   instant{});
  REQUIRE(adopted != nullptr);
  CHECK(adopted->result == "crash");
}

TEST_CASE("a node is told once which results are stored, if it has not left") {
  const libpool::worker_number node{1};
  libpool::held_by_nodes nodes;
  nodes.joined(node, {7, 8}, {});
  nodes.settled(7);
  nodes.settled(9);
  CHECK(nodes.take_settled(node) == numbers{7});
  CHECK(nodes.take_settled(node).empty());
  nodes.settled(8);
  nodes.left(node);
  CHECK(nodes.take_settled(node).empty());
}

TEST_CASE("a node whose handler has crashed is asked for a task only if no "
          "other node has begun it") {
  const libpool::worker_number first{1};
  const libpool::worker_number second{2};
  libpool::held_by_nodes nodes;
  nodes.joined(first, {}, {7, 8});
  nodes.joined(second, {7}, {8});
  CHECK(nodes.holder_of(7) == second);
  CHECK(nodes.holder_of(8) == first);
}

} // namespace nodes_held_tasks_tests
