#include "libpool/nodes/stealing_protocol.hpp"
#include "libpool/core/errc.hpp"
#include "libpool/core/instant.hpp"
#include "libpool/nodes/node_side.hpp"
#include "libpool/nodes/pool_side.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace nodes_stealing_protocol_tests {

using libpool::ending;
using libpool::errc;
using libpool::instant;
using libpool::never;
using libpool::node_side;
using libpool::pool_side;
using libpool::request_number;
using libpool::steal_granted;
using libpool::steal_refused;
using libpool::steal_request;
using libpool::task_done;
using libpool::task_number;
using libpool::tasks_sent;
using libpool::worker_number;
using namespace std::chrono_literals;

namespace {

constexpr worker_number a{0};
constexpr worker_number b{1};
constexpr instant soon = instant{} + 10ms;
const std::string node_lost = to_string(errc::node_lost);

std::string text(std::uint64_t number) {
  return std::to_string(number);
}

std::string text(const std::vector<task_number>& tasks) {
  std::string words;
  for (auto task : tasks)
    words += " " + text(static_cast<std::uint64_t>(task));
  return words;
}

std::string text(const libpool::node_message& message) {
  if (const auto* sent = std::get_if<tasks_sent>(&message))
    return "sent" + text(sent->tasks);
  const auto& request = std::get<steal_request>(message);
  return "request " + text(static_cast<std::uint64_t>(request.id)) + " max "
         + text(request.max);
}

std::string text(const libpool::pool_message& message) {
  if (const auto* done = std::get_if<task_done>(&message))
    return text(std::vector{done->task})
           + (done->how == ending::completed ? " done" : " crashed");
  if (const auto* granted = std::get_if<steal_granted>(&message))
    return "granted " + text(static_cast<std::uint64_t>(granted->id)) + ":"
           + text(granted->tasks);
  return "refused "
         + text(
           static_cast<std::uint64_t>(std::get<steal_refused>(message).id));
}

/// The decisions of the pool since the last time, in words.
std::vector<std::string> decided_by(pool_side& pool) {
  std::vector<std::string> words;
  for (const auto& decision : pool.decisions()) {
    if (const auto* sent = std::get_if<pool_side::send>(&decision))
      words.push_back((sent->to == a ? "a: " : "b: ") + text(sent->message));
    else if (const auto* placed = std::get_if<pool_side::place>(&decision))
      words.push_back("place" + text(std::vector{placed->task}));
    else if (const auto* end = std::get_if<pool_side::settle>(&decision))
      words.push_back("settle" + text(std::vector{end->task}) + ": "
                      + (end->why == errc{} ? "well" : to_string(end->why)));
  }
  pool.decisions().clear();
  return words;
}

/// The messages of the node since the last time, in words.
std::vector<std::string> told_by(node_side& node) {
  std::vector<std::string> words;
  for (const auto& message : node.messages())
    words.push_back(text(message));
  node.messages().clear();
  return words;
}

using lines = std::vector<std::string>;

task_number task(std::uint64_t number) {
  return task_number{number};
}

/// A pool with two nodes, of which `a` has been sent tasks 1 to `count`.
struct two_nodes {
  explicit two_nodes(std::uint64_t count, unsigned retries = 0) {
    pool.joined(a);
    pool.joined(b);
    for (std::uint64_t i = 1; i <= count; ++i) {
      pool.submitted(task(i), retries);
      REQUIRE(pool.assign(task(i), a));
    }
    pool.decisions().clear();
  }

  /// `b` wants so many tasks of `a`.
  request_number ask(std::size_t max) {
    auto id = pool.request(b, a, max, soon);
    REQUIRE(id);
    pool.decisions().clear();
    return *id;
  }

  pool_side pool;
};

} // namespace

// -- the node -----------------------------------------------------------------

TEST_CASE("a node runs tasks in the order of sending, and reports their ends") {
  node_side node;
  node.told(tasks_sent{{task(1), task(2)}});
  node.told(tasks_sent{{task(3)}});
  CHECK(node.start() == task(1));
  CHECK(node.start() == task(2));
  node.finished(task(2), ending::crashed);
  node.finished(task(1), ending::completed);
  CHECK(node.start() == task(3));
  CHECK_FALSE(node.start());
  CHECK(told_by(node) == lines{" 2 crashed", " 1 done"});
}

TEST_CASE("a node gives away the tasks at the end of its queue") {
  node_side node;
  node.told(tasks_sent{{task(1), task(2), task(3), task(4)}});
  node.start();
  node.told(steal_request{request_number{7}, b, 2});
  CHECK(told_by(node) == lines{"granted 7: 3 4"});
  CHECK(node.start() == task(2));
  CHECK_FALSE(node.start());
}

TEST_CASE("a node gives away only tasks that have not started") {
  node_side node;
  node.told(tasks_sent{{task(1), task(2)}});
  node.start();
  node.told(steal_request{request_number{1}, b, 9});
  node.told(steal_request{request_number{2}, b, 9});
  CHECK(told_by(node) == lines{"granted 1: 2", "refused 2"});
  CHECK(node.running() == std::vector{task(1)});
}

TEST_CASE("a disconnected node starts and reports nothing") {
  node_side node;
  node.told(tasks_sent{{task(1), task(2)}});
  node.start();
  node.cut_off();
  node.told(tasks_sent{{task(3)}});
  node.finished(task(1), ending::completed);
  CHECK_FALSE(node.start());
  CHECK(told_by(node).empty());
}

TEST_CASE("a node does not report the end of a task that has not started") {
  node_side node;
  node.told(tasks_sent{{task(1)}});
  node.finished(task(1), ending::completed);
  CHECK(told_by(node).empty());
}

// -- the pool -----------------------------------------------------------------

TEST_CASE(
  "a completed task is settled once, and only by a report of its own node") {
  two_nodes world{1};
  auto& pool = world.pool;
  pool.told(b, task_done{task(1), ending::completed});
  CHECK(decided_by(pool).empty());
  pool.told(a, task_done{task(1), ending::completed});
  CHECK(decided_by(pool) == lines{"settle 1: well"});
  pool.told(a, task_done{task(1), ending::completed});
  CHECK(decided_by(pool).empty());
  CHECK(pool.tasks().empty());
}

TEST_CASE("tasks that are granted in time go to the thief") {
  two_nodes world{3};
  auto& pool = world.pool;
  auto id = pool.request(b, a, 2, soon);
  CHECK(id == request_number{1});
  CHECK(decided_by(pool) == lines{"a: request 1 max 2"});
  CHECK(pool.is_reserved(b));
  CHECK(pool.next_tick() == soon);
  pool.told(a, steal_granted{*id, {task(2), task(3)}});
  CHECK(decided_by(pool) == lines{"b: sent 2 3"});
  CHECK_FALSE(pool.is_reserved(b));
  CHECK(pool.next_tick() == never);
  pool.told(b, task_done{task(3), ending::completed});
  CHECK(decided_by(pool) == lines{"settle 3: well"});
}

TEST_CASE("a refusal releases the thief") {
  two_nodes world{1};
  auto id = world.ask(1);
  world.pool.told(a, steal_refused{id});
  CHECK(decided_by(world.pool).empty());
  CHECK_FALSE(world.pool.is_reserved(b));
}

TEST_CASE(
  "a thief with a pending request gets no tasks and cannot request again") {
  two_nodes world{1};
  auto& pool = world.pool;
  world.ask(1);
  pool.submitted(task(9));
  CHECK_FALSE(pool.assign(task(9), b));
  CHECK_FALSE(pool.request(b, a, 1, soon));
  CHECK(pool.assign(task(9), a));
  CHECK(decided_by(pool) == lines{"a: sent 9"});
}

TEST_CASE("a request ends at its deadline") {
  two_nodes world{1};
  world.ask(1);
  world.pool.ticked(soon - 1ns);
  CHECK(world.pool.is_reserved(b));
  world.pool.ticked(soon);
  CHECK_FALSE(world.pool.is_reserved(b));
}

TEST_CASE("a task that is granted too late is placed again") {
  two_nodes world{2};
  auto& pool = world.pool;
  auto id = world.ask(1);
  pool.ticked(soon);
  pool.told(a, steal_granted{id, {task(2)}});
  CHECK(decided_by(pool) == lines{"place 2"});
  CHECK(pool.assign(task(2), b));
  CHECK(decided_by(pool) == lines{"b: sent 2"});
}

TEST_CASE("a late answer does not end the next request") {
  two_nodes world{2};
  auto& pool = world.pool;
  auto first = world.ask(1);
  pool.ticked(soon);
  auto second = pool.request(b, a, 1, never);
  CHECK(second == request_number{2});
  decided_by(pool);
  pool.told(a, steal_refused{first});
  CHECK(pool.is_reserved(b));
  pool.told(a, steal_granted{*second, {task(2)}});
  CHECK(decided_by(pool) == lines{"b: sent 2"});
}

TEST_CASE("a task that is granted to a lost thief is placed again") {
  two_nodes world{2};
  auto id = world.ask(1);
  world.pool.lost(b);
  CHECK(decided_by(world.pool).empty());
  world.pool.told(a, steal_granted{id, {task(2)}});
  CHECK(decided_by(world.pool) == lines{"place 2"});
}

TEST_CASE(
  "the loss of the victim ends the request and fails the tasks of the victim") {
  two_nodes world{2};
  auto& pool = world.pool;
  auto id = world.ask(1);
  pool.lost(a);
  CHECK_FALSE(pool.is_reserved(b));
  CHECK(decided_by(pool)
        == lines{"settle 1: " + node_lost, "settle 2: " + node_lost});
  pool.told(a, steal_granted{id, {task(2)}});
  pool.told(a, task_done{task(1), ending::completed});
  CHECK(decided_by(pool).empty());
}

TEST_CASE("a task in flight to a lost thief counts as started") {
  two_nodes world{2};
  auto id = world.ask(1);
  world.pool.told(a, steal_granted{id, {task(2)}});
  decided_by(world.pool);
  world.pool.lost(b);
  CHECK(decided_by(world.pool) == lines{"settle 2: " + node_lost});
}

TEST_CASE("tasks of an unreachable node fail, or wait for its loss if they are "
          "repeatable") {
  two_nodes world{1, 1};
  auto& pool = world.pool;
  pool.submitted(task(9));
  pool.assign(task(9), a);
  decided_by(pool);
  pool.unreachable(a);
  CHECK(decided_by(pool) == lines{"settle 9: " + node_lost});
  pool.unreachable(a);
  CHECK(decided_by(pool).empty());
  pool.lost(a);
  CHECK(decided_by(pool) == lines{"place 1"});
}

TEST_CASE("an unreachable node is sent nothing, asked for nothing, and its "
          "messages are ignored") {
  two_nodes world{1, 1};
  auto& pool = world.pool;
  auto id = world.ask(1);
  pool.unreachable(a);
  CHECK_FALSE(pool.is_reachable(a));
  CHECK_FALSE(pool.is_reserved(b));
  pool.submitted(task(9));
  CHECK_FALSE(pool.assign(task(9), a));
  CHECK_FALSE(pool.request(b, a, 1, soon));
  CHECK_FALSE(pool.request(a, b, 1, soon));
  pool.told(a, steal_granted{id, {task(1)}});
  pool.told(a, task_done{task(1), ending::completed});
  CHECK(decided_by(pool).empty());
}

TEST_CASE("a task is retried as often as the retries allow") {
  two_nodes world{1, 1};
  auto& pool = world.pool;
  pool.lost(a);
  CHECK(decided_by(pool) == lines{"place 1"});
  CHECK(pool.assign(task(1), b));
  decided_by(pool);
  pool.told(b, task_done{task(1), ending::crashed});
  CHECK(decided_by(pool)
        == lines{"settle 1: the task crashed again after its last retry"});
}

TEST_CASE("a task can be dropped once no node is left") {
  two_nodes world{1, 1};
  auto& pool = world.pool;
  CHECK_FALSE(pool.drop(task(1), errc::no_workers));
  pool.lost(a);
  pool.lost(b);
  pool.lost(b);
  decided_by(pool);
  CHECK_FALSE(pool.assign(task(1), b));
  CHECK(pool.drop(task(1), errc::no_workers));
  CHECK(decided_by(pool) == lines{"settle 1: the pool has no workers"});
}

TEST_CASE("a node steals neither from itself nor from or for an unknown node") {
  two_nodes world{1};
  CHECK_FALSE(world.pool.request(a, a, 1, soon));
  CHECK_FALSE(world.pool.request(b, worker_number{7}, 1, soon));
  CHECK_FALSE(world.pool.request(worker_number{7}, a, 1, soon));
  CHECK(decided_by(world.pool).empty());
}

} // namespace nodes_stealing_protocol_tests
