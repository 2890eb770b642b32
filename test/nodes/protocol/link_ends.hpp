#pragma once

#include "libpool/nodes/protocol/agent_connection.hpp"
#include "libpool/nodes/protocol/node_connections.hpp"
#include "support/batch_words.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

/// One end of a connection between a pool and a node, whose messages and
/// decisions are compared as words. The test plays the other end.
namespace test::link_ends {

using libpool::connection_number;
using libpool::ending;
using libpool::incarnation;
using libpool::instant;
using libpool::never;
using libpool::node_connections;
using libpool::task_number;
using libpool::worker_number;
using namespace std::chrono_literals;
using milliseconds = std::chrono::milliseconds;

constexpr connection_number a{1};
constexpr connection_number b{2};
constexpr connection_number c{3};
constexpr worker_number first{1};
constexpr worker_number second{2};
constexpr worker_number third{3};
constexpr libpool::duration lease = 4s;

inline instant at(milliseconds time) {
  return instant{} + 1h + time;
}

// -- the end of a node --------------------------------------------------------

inline libpool::node_offer offer() {
  libpool::node_offer result;
  result.slots = 2;
  result.portion = 3;
  result.credit = 4096;
  return result;
}

/// A node that has said hello.
struct node_end {
  node_end() {
    node.came_up(at(0ms));
  }

  /// Returns the batches that the node has sent since the last call, in words.
  std::string sent() {
    std::string words;
    for (const auto& each : std::exchange(node.batches(), {}))
      words += words_for(each) + " ";
    return words;
  }

  template <class Message>
  std::string told(const Message& message, worker_number session = first,
                   std::size_t bytes = 0, milliseconds time = 0ms) {
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
  std::string begins(milliseconds time = 0ms) {
    std::vector<task_number> all;
    while (auto next = node.start(at(time)))
      all.push_back(*next);
    return words_for(all);
  }

  std::string ends(std::uint64_t task, milliseconds time = 0ms,
                   std::size_t bytes = 0) {
    is_taken = node.finished(task_number{task}, ending::completed, bytes,
                             at(time));
    return sent();
  }

  std::string forgotten() {
    return words_for(std::exchange(node.forgotten(), {}));
  }

  /// Ends the first session, and welcomes the node to the second one.
  void begins_again() {
    told(libpool::gone{first});
    told(libpool::welcome{me, 2, second, lease}, second);
  }

  std::string flush(milliseconds time = 0ms) {
    node.flush(at(time));
    return sent();
  }

  std::string ticked(milliseconds time) {
    node.ticked(at(time));
    return sent();
  }

  /// Returns the answer to a beat that was sent at `was_sent`.
  std::string echo(milliseconds was_sent, milliseconds time,
                   worker_number session = first) {
    return told(libpool::beat{session, at(was_sent)}, session, 0, time);
  }

  /// Runs a task whose handler takes that time.
  std::string runs(std::uint64_t task, libpool::duration service) {
    gets({task});
    begins();
    node.finished(task_number{task}, ending::completed, 0, at(1s), service);
    if (auto* last =
          std::get_if<libpool::demand>(&node.batches().back().content))
      demanded = *last;
    return sent();
  }

  bool may_begin(milliseconds time) const {
    return node.link().may_begin(at(time));
  }

  libpool::demand demanded; // by the last task of `runs`
  static constexpr incarnation me{7};
  libpool::agent_connection node{me, offer()};
  bool is_taken = false; // whether the last batch or end was accepted
};

/// A node that serves. A beat takes 20 ms to the pool and back.
struct serving : node_end {
  serving() {
    told(libpool::welcome{me, 1, first, lease});
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

// -- the end of a pool --------------------------------------------------------

/// Returns decisions of the pool in words.
struct decision_words {
  std::string operator()(const node_connections::deliver& x) const {
    return text(x.to) + ":" + words_for(x.batch);
  }

  std::string operator()(const node_connections::admit& x) const {
    return "admit" + text(x.session);
  }

  std::string operator()(const node_connections::resize& x) const {
    return "resize" + text(x.session) + "=" + text(x.window);
  }

  std::string operator()(const node_connections::dismiss& x) const {
    return (x.is_lost ? "lose" : "dismiss") + text(x.session);
  }

  std::string operator()(const node_connections::release& x) const {
    const std::vector<std::string> names{"completed", "crashed", "lost",
                                         "given_back", "unread"};
    return names[static_cast<std::size_t>(x.how)] + text(x.task);
  }

  std::string operator()(const node_connections::start& x) const {
    return "started" + text(x.task) + "@" + text((x.began - at(0ms)) / 1ms);
  }
};

inline libpool::node_terms terms(bool shares, std::size_t credit) {
  libpool::node_terms result;
  result.shares = shares;
  result.lease = lease;
  result.portion = 3;
  result.credit = credit;
  result.most_in_flight = 10;
  return result;
}

struct pool_end {
  explicit pool_end(bool shares = true, std::size_t credit = 4096)
    : pool(terms(shares, credit)) {
    // nop
  }

  /// Returns the decisions since the last call, in words. Each message batch
  /// follows the number of its connection.
  std::string decided() {
    std::string words;
    for (const auto& each : std::exchange(pool.decisions(), {}))
      words += std::visit(decision_words{}, each) + " ";
    return words;
  }

  template <class Message>
  std::string told(connection_number by, worker_number session,
                   const Message& message, std::size_t bytes = 0,
                   milliseconds time = 0ms) {
    pool.told(by, libpool::batch_to_pool{session, message}, bytes, at(time));
    return decided();
  }

  std::string hello(connection_number by, std::uint64_t who,
                    std::uint64_t attempt) {
    return told(by, worker_number{0},
                libpool::hello{incarnation{who}, attempt});
  }

  /// Lets a node join whose tasks take 100 ms, one at a time.
  void joins(connection_number by, std::uint64_t who, worker_number session,
             libpool::duration round_trip = 10ms) {
    hello(by, who, 1);
    told(by, session, libpool::ready{session});
    told(by, session, libpool::demand{10, 1, 100ms, round_trip});
  }

  std::string beats(connection_number by, worker_number session,
                    milliseconds time) {
    return told(by, session, libpool::beat{session, at(time)}, 0, time);
  }

  std::string done(connection_number by, worker_number session,
                   const std::vector<std::uint64_t>& tasks,
                   ending how = ending::completed, std::size_t bytes = 0) {
    libpool::tasks_done ended;
    for (auto each : tasks)
      ended.ends.push_back({task_number{each}, how});
    return told(by, session, ended, bytes);
  }

  std::string submit(std::uint64_t task, worker_number to = first,
                     std::size_t bytes = 0, bool may_run_again = false) {
    CHECK(pool.submitted(task_number{task}, to, bytes, may_run_again, at(now)));
    return decided();
  }

  std::string flush() {
    pool.flush(at(now));
    return decided();
  }

  std::string tick_until(milliseconds time) {
    while (pool.next_tick() <= at(time))
      pool.ticked(pool.next_tick());
    return decided();
  }

  node_connections pool;
  milliseconds now{0}; // for `submit` and `flush`
};

struct one_node : pool_end {
  explicit one_node(bool shares = true) : pool_end(shares) {
    joins(a, 7, first);
  }
};

/// A node that runs two tasks at a time, for 10 us each, and has tasks 1 and 2.
/// A round trip takes 400 us.
struct busy_node : pool_end {
  busy_node() {
    joins(a, 7, first);
    told(a, first, libpool::demand{10, 2, 10us, 400us});
    submit(1);
    submit(2);
    flush();
  }
};

/// Two nodes. The first node has tasks 1 to 5, and task 5 waits for 400 ms. The
/// second node has task 6.
struct two_nodes : one_node {
  explicit two_nodes(libpool::duration round_trip = 10ms, bool shares = true)
    : one_node(shares) {
    joins(b, 8, second);
    told(a, first, libpool::demand{10, 1, 100ms, round_trip});
    for (std::uint64_t task = 1; task <= 5; ++task)
      submit(task);
    submit(6, second);
    flush();
  }
};

} // namespace test::link_ends
