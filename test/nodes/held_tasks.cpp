#include "libpool/nodes/held_tasks.hpp"

#include "libpool/nodes/held_by_nodes.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace nodes_held_tasks_tests {

using libpool::ending;
using libpool::instant;
using libpool::task_number;
using libpool::worker_number;
using namespace std::chrono_literals;

using numbers = std::vector<std::uint64_t>;
using held_tasks = libpool::held_tasks<std::string>;

constexpr worker_number first{1};
constexpr worker_number second{2};

/// A node that has begun task 1, which is number 7 in the queue, in a session
/// that is over. In the next session, task 2 waits.
struct world {
  libpool::agent_connection node{libpool::incarnation{1}, {}};
  held_tasks held;

  world() {
    node.came_up(instant{});
    serve(1, first, task_number{1});
    held.began(7, 20, *node.start(instant{}));
  }

  void serve(std::uint64_t attempt, worker_number session, task_number task) {
    node.told({session, libpool::welcome{attempt, session, 4s}}, 0, instant{});
    node.told({session, libpool::tasks_sent{{task}}}, 0, instant{});
  }

  void serve_next() {
    node.told({first, libpool::gone{first}}, 0, instant{});
    serve(2, second, task_number{2});
  }
};

TEST_CASE_FIXTURE(world, "a running handler answers for the task under its new "
                         "number") {
  serve_next();
  const auto* found = held.adopt(node, task_number{2}, 7, instant{});
  REQUIRE(found != nullptr);
  CHECK(found->handler == 20);
  CHECK(!found->result);
  CHECK(found->task == task_number{2});
  CHECK(node.waiting() == 0);
  CHECK(node.running() == 1);
  CHECK(node.finished(task_number{2}, ending::completed, 0, instant{}));
}

TEST_CASE_FIXTURE(world, "a result answers for the task until it is stored") {
  node.finished(task_number{1}, ending::completed, 0, instant{});
  held.ended(7, ending::completed, "seven", instant{});
  serve_next();
  const auto* found = held.adopt(node, task_number{2}, 7, instant{});
  REQUIRE(found != nullptr);
  CHECK(found->result == "seven");
  CHECK(held.submissions() == numbers{7});
  held.settled({7});
  CHECK(held.submissions().empty());
}

TEST_CASE_FIXTURE(world, "a task that the node has not begun, or that runs in "
                         "the same session, is not adopted") {
  node.told({first, libpool::tasks_sent{{task_number{2}}}}, 0, instant{});
  CHECK(held.adopt(node, task_number{2}, 8, instant{}) == nullptr);
  CHECK(held.adopt(node, task_number{2}, 7, instant{}) == nullptr);
  CHECK(node.waiting() == 1);
}

TEST_CASE_FIXTURE(world, "a task that has crashed is not held") {
  held.ended(7, ending::crashed, "", instant{});
  CHECK(held.submissions().empty());
  held.ended(7, ending::completed, "late", instant{});
  CHECK(held.submissions().empty());
}

TEST_CASE_FIXTURE(world, "old results are dropped, and running tasks are not") {
  held.began(8, 21, task_number{3});
  held.ended(8, ending::completed, "eight", instant{} + 1s);
  held.drop_old(1h, instant{} + 1h + 1s);
  CHECK(held.submissions() == numbers{7, 8});
  held.drop_old(1h, instant{} + 1h + 2s);
  CHECK(held.submissions() == numbers{7});
}

TEST_CASE("a task is held by the node that it was sent to last, or that has "
          "joined with it, until the node has left") {
  libpool::held_by_nodes nodes;
  CHECK(!nodes.holder_of(7));
  nodes.joined(first, {7, 8});
  CHECK(nodes.holder_of(7) == first);
  nodes.sent(7, second);
  CHECK(nodes.holder_of(7) == second);
  nodes.left(first);
  CHECK(nodes.holder_of(7) == second);
  CHECK(!nodes.holder_of(8));
}

TEST_CASE("a node is told once which results are stored, if it has not left") {
  libpool::held_by_nodes nodes;
  nodes.joined(first, {7, 8});
  nodes.settled(7);
  nodes.settled(9);
  CHECK(!nodes.holder_of(7));
  CHECK(nodes.take_settled(first) == numbers{7});
  CHECK(nodes.take_settled(first).empty());
  nodes.settled(8);
  nodes.left(first);
  CHECK(nodes.take_settled(first).empty());
}

} // namespace nodes_held_tasks_tests
