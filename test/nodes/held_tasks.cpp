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
using namespace std::chrono_literals;

using numbers = std::vector<std::uint64_t>;
using held_tasks = libpool::held_tasks<std::string>;

// Which tasks a node adopts, and which nodes a front asks, is searched in
// test/laws/node_adoption.cpp.

TEST_CASE("a task that has crashed is not held, old results are dropped, and "
          "running tasks are not") {
  held_tasks held;
  held.began(6, 19, task_number{1});
  held.ended(6, ending::crashed, "", instant{});
  held.ended(6, ending::completed, "late", instant{});
  held.began(7, 20, task_number{2});
  held.began(8, 21, task_number{3});
  held.ended(8, ending::completed, "eight", instant{} + 1s);
  held.drop_old(1h, instant{} + 1h + 1s);
  CHECK(held.takings() == numbers{7, 8});
  held.drop_old(1h, instant{} + 1h + 2s);
  CHECK(held.takings() == numbers{7});
}

TEST_CASE("a node is told once which results are stored, if it has not left") {
  const libpool::worker_number node{1};
  libpool::held_by_nodes nodes;
  nodes.joined(node, {7, 8});
  nodes.settled(7);
  nodes.settled(9);
  CHECK(nodes.take_settled(node) == numbers{7});
  CHECK(nodes.take_settled(node).empty());
  nodes.settled(8);
  nodes.left(node);
  CHECK(nodes.take_settled(node).empty());
}

} // namespace nodes_held_tasks_tests
