#include "libpool/nodes/node_end.hpp"

#include "support/letter_words.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace nodes_node_end_tests {

using libpool::ending;
using libpool::instant;
using libpool::task_number;
using libpool::worker_number;
using namespace std::chrono_literals;

namespace {

constexpr worker_number first{1};
constexpr worker_number second{2};
constexpr libpool::duration lease = 4s;
using time_of_test = std::chrono::milliseconds;

instant at(time_of_test time) {
  return instant{} + 1h + time;
}

libpool::node_offer offer() {
  libpool::node_offer result;
  result.slots = 2;
  result.portion = 3;
  result.credit = 4096;
  return result;
}

/// A node that has said hello.
struct world {
  world() {
    node.connected(at(0ms));
  }

  /// The letters that it has sent since then, in words.
  std::string sent() {
    std::string words;
    for (const auto& each : std::exchange(node.letters(), {}))
      words += std::visit(test::letter_words{}, each.content) + " ";
    return words;
  }

  template <class Message>
  std::string told(const Message& message, worker_number session = first,
                   std::size_t bytes = 0, time_of_test time = 0ms) {
    is_taken = node.told(libpool::letter_to_node{session, message}, bytes,
                         at(time));
    return sent();
  }

  std::string gets(const std::vector<std::uint64_t>& tasks,
                   worker_number session = first, std::size_t bytes = 0) {
    libpool::tasks_sent letter;
    for (auto each : tasks)
      letter.tasks.push_back(task_number{each});
    return told(letter, session, bytes);
  }

  /// The tasks that begin now, all that may.
  std::string begins(time_of_test time = 0ms) {
    std::vector<task_number> all;
    while (auto next = node.start(at(time)))
      all.push_back(*next);
    return test::letter_words::list("", all);
  }

  std::string ends(std::uint64_t task, time_of_test time = 0ms,
                   std::size_t bytes = 0) {
    is_taken = node.finished(task_number{task}, ending::completed, bytes,
                             at(time));
    return sent();
  }

  std::string forgotten() {
    return test::letter_words::list("", std::exchange(node.forgotten(), {}));
  }

  std::string flush() {
    node.flush();
    return sent();
  }

  libpool::node_end node{libpool::incarnation{7}, offer()};
  bool is_taken = false; // the last letter or end
};

/// It serves, and a beat takes 20 ms to the pool and back.
struct serving : world {
  serving() {
    told(libpool::welcome{1, first, lease});
    told(libpool::beat{first, at(0ms)}, first, 0, 20ms);
  }
};

/// It runs tasks 1 and 2, and 3 to 5 wait.
struct busy : serving {
  busy() {
    gets({1, 2, 3, 4, 5});
    begins();
  }
};

/// The demand after a task that took so long.
std::string demand_after(time_of_test service) {
  serving one;
  one.gets({1});
  one.begins();
  auto words = one.ends(1, service);
  return words.substr(std::string{"done(1) "}.size());
}

} // namespace

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

TEST_CASE("results of short tasks with large contents do not wait for others") {
  serving one;
  one.gets({1, 2, 3}, first, 3 * 4097);
  one.begins();
  one.node.finished(task_number{1}, ending::completed, 0, at(20ms), 10us);
  CHECK(one.node.flush_at() == at(20ms));
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

// -- demand -------------------------------------------------------------------

TEST_CASE("a node wants as many tasks as run while a result and the next task "
          "travel, for each slot") {
  CHECK(demand_after(20ms) == "demand(4) "); // 2 · (1 + 1)
  CHECK(demand_after(19ms) == "demand(6) ");
  CHECK(demand_after(10ms) == "demand(6) ");
  CHECK(demand_after(5ms) == "demand(10) ");
}

TEST_CASE_FIXTURE(serving, "the shortest round trip of a session counts: later "
                           "ones wait behind contents") {
  told(libpool::beat{first, at(0ms)}, first, 0, 500ms);
  gets({1});
  begins();
  CHECK(ends(1, 10ms) == "done(1) demand(6) ");
  told(libpool::beat{first, at(0ms)}, first, 0, 5ms);
  gets({2});
  begins();
  CHECK(ends(2, 10ms) == "done(2) demand(4) ");
}

TEST_CASE_FIXTURE(serving, "a demand says how many slots there are, how long a "
                           "task takes and how long the way is") {
  gets({1});
  begins();
  node.finished(task_number{1}, ending::completed, 0, at(5ms));
  const auto& last = std::get<libpool::demand>(node.letters().back().content);
  CHECK(last.slots == 2);
  CHECK(last.service == 5ms);
  CHECK(last.round_trip == 20ms);
}

TEST_CASE_FIXTURE(serving, "how long a handler ran counts, where it is known, "
                           "not since when it was to begin") {
  gets({1});
  begins();
  node.finished(task_number{1}, ending::completed, 0, at(50ms), 5ms);
  const auto& last = std::get<libpool::demand>(node.letters().back().content);
  CHECK(last.service == 5ms);
  CHECK(last.window == 10);
}

TEST_CASE_FIXTURE(serving,
                  "a demand that differs by less than a quarter is not "
                  "told") {
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

TEST_CASE_FIXTURE(serving, "a demand that differs by a quarter in how long a "
                           "task takes is told") {
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

TEST_CASE_FIXTURE(serving,
                  "a handler that crashes says nothing of how long tasks "
                  "take") {
  gets({1});
  begins();
  node.finished(task_number{1}, ending::crashed, 0, at(1ms));
  CHECK(sent() == "done(1) ");
}

TEST_CASE_FIXTURE(serving, "of short tasks a node wants as many as two letters "
                           "bring, or more if the way is long") {
  gets({1});
  begins();
  node.finished(task_number{1}, ending::completed, 0, at(1ms), 100us);
  const auto& last = std::get<libpool::demand>(node.letters().back().content);
  CHECK(last.window == 2 * (1 + 210)); // 21 ms of waiting and travelling
  node.letters().clear();
  told(libpool::beat{first, at(5ms)}, first, 0, 5ms);
  gets({2});
  begins();
  node.finished(task_number{2}, ending::completed, 0, at(6ms), 100us);
  const auto& next = std::get<libpool::demand>(node.letters().back().content);
  CHECK(next.window == 6); // two portions; 2 · (1 + 1) for the way
}

// -- tasks that nobody wants, or that cannot be read --------------------------

TEST_CASE_FIXTURE(busy, "a node gives back what nobody wants any more, unless "
                        "it has begun") {
  CHECK(told(libpool::forget{
          {task_number{4}, task_number{1}, task_number{9}, task_number{3}}})
        == "granted(3,4) ");
  CHECK(forgotten() == "(3,4)");
  CHECK(told(libpool::forget{{task_number{3}}}).empty());
  ends(1, 20ms);
  ends(2, 20ms);
  CHECK(node.waiting() == 1);
}

TEST_CASE_FIXTURE(busy, "a task that the node cannot read is told, and makes "
                        "room for the next one") {
  node.unreadable(task_number{1}, "unknown type");
  CHECK(sent() == "unread(1) ");
  CHECK(node.running() == 1);
  CHECK(ends(1).empty());
  CHECK(!is_taken);
}

TEST_CASE_FIXTURE(busy, "a task of an older session that the node cannot read "
                        "is nobody's") {
  node.connected(at(0ms));
  told(libpool::welcome{2, second, lease}, second);
  node.unreadable(task_number{1}, "unknown type");
  CHECK(sent().empty());
  CHECK(node.running() == 1);
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
