#pragma once

#include "libpool/nodes/agent_connection.hpp"
#include "support/batch_words.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

/// A node's end of its connection, whose batches are compared as words.
namespace test::node_ends {

using libpool::ending;
using libpool::instant;
using libpool::task_number;
using libpool::worker_number;
using namespace std::chrono_literals;

constexpr worker_number first{1};
constexpr worker_number second{2};
constexpr libpool::duration lease = 4s;
using time_of_test = std::chrono::milliseconds;

inline instant at(time_of_test time) {
  return instant{} + 1h + time;
}

inline libpool::node_offer offer() {
  libpool::node_offer result;
  result.slots = 2;
  result.portion = 3;
  result.credit = 4096;
  return result;
}

/// A node that has said hello.
struct world {
  world() {
    node.came_up(at(0ms));
  }

  /// Returns the batches that the node has sent since the last call, in words.
  std::string sent() {
    std::string words;
    for (const auto& each : std::exchange(node.batches(), {}))
      words += std::visit(test::batch_words{}, each.content) + " ";
    return words;
  }

  template <class Message>
  std::string told(const Message& message, worker_number session = first,
                   std::size_t bytes = 0, time_of_test time = 0ms) {
    is_taken = node.told(libpool::batch_to_node{session, message}, bytes,
                         at(time));
    return sent();
  }

  std::string gets(const std::vector<std::uint64_t>& tasks,
                   worker_number session = first, std::size_t bytes = 0) {
    libpool::tasks_sent batch;
    for (auto each : tasks)
      batch.tasks.push_back(task_number{each});
    return told(batch, session, bytes);
  }

  /// Begins all tasks that may begin now, and returns them.
  std::string begins(time_of_test time = 0ms) {
    std::vector<task_number> all;
    while (auto next = node.start(at(time)))
      all.push_back(*next);
    return test::batch_words::list("", all);
  }

  std::string ends(std::uint64_t task, time_of_test time = 0ms,
                   std::size_t bytes = 0) {
    is_taken = node.finished(task_number{task}, ending::completed, bytes,
                             at(time));
    return sent();
  }

  std::string forgotten() {
    return test::batch_words::list("", std::exchange(node.forgotten(), {}));
  }

  /// Ends the first session, and welcomes the node to the second one.
  void begins_again() {
    told(libpool::gone{first});
    told(libpool::welcome{2, second, lease}, second);
  }

  std::string flush() {
    node.flush();
    return sent();
  }

  libpool::agent_connection node{libpool::incarnation{7}, offer()};
  bool is_taken = false; // whether the last batch or end was accepted
};

/// A node that serves. A beat takes 20 ms to the pool and back.
struct serving : world {
  serving() {
    told(libpool::welcome{1, first, lease});
    told(libpool::beat{first, at(0ms)}, first, 0, 20ms);
  }
};

/// A node that runs tasks 1 and 2, while tasks 3 to 5 wait.
struct busy : serving {
  busy() {
    gets({1, 2, 3, 4, 5});
    begins();
  }
};

/// Returns the demand, in words, after a task with that service time.
inline std::string demand_after(time_of_test service) {
  serving one;
  one.gets({1});
  one.begins();
  auto words = one.ends(1, service);
  return words.substr(std::string{"done(1) "}.size());
}

} // namespace test::node_ends
