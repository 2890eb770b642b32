#pragma once

#include "libpool/nodes/node_connections.hpp"
#include "support/batch_words.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

/// A pool's end of its connections, whose decisions are compared as words.
namespace test::pool_ends {

using libpool::connection_number;
using libpool::ending;
using libpool::incarnation;
using libpool::instant;
using libpool::node_connections;
using libpool::task_number;
using libpool::worker_number;
using namespace std::chrono_literals;

constexpr connection_number a{1};
constexpr connection_number b{2};
constexpr connection_number c{3};
constexpr worker_number first{1};
constexpr worker_number second{2};
constexpr worker_number third{3};

inline instant at(std::chrono::milliseconds time) {
  return instant{} + 1h + time;
}

struct in_words {
  static std::string text(std::uint64_t number) {
    return std::to_string(number);
  }

  template <class Id>
  static std::string text(Id number) {
    return text(static_cast<std::uint64_t>(number));
  }

  std::string operator()(const node_connections::deliver& x) const {
    return text(x.to) + ":" + std::visit(test::batch_words{}, x.batch.content);
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
};

inline libpool::node_terms terms() {
  libpool::node_terms result;
  result.lease = 4s;
  result.portion = 3;
  result.credit = 4096;
  result.most_in_flight = 10;
  return result;
}

struct world {
  /// Returns the decisions since the last call, in words. Each message batch
  /// follows the number of its connection.
  std::string decided() {
    std::string words;
    for (const auto& each : std::exchange(pool.decisions(), {}))
      words += std::visit(in_words{}, each) + " ";
    return words;
  }

  template <class Message>
  std::string told(connection_number by, worker_number session,
                   const Message& message, std::size_t bytes = 0,
                   std::chrono::milliseconds time = 0ms) {
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
                    std::chrono::milliseconds time) {
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

  std::string tick_until(std::chrono::milliseconds time) {
    while (pool.next_tick() <= at(time))
      pool.ticked(pool.next_tick());
    return decided();
  }

  node_connections pool{terms()};
  std::chrono::milliseconds now{0}; // for `submit` and `flush`
};

struct one_node : world {
  one_node() {
    joins(a, 7, first);
  }
};

/// A node that runs two tasks at a time, for 10 us each, and has tasks 1 and 2.
/// A round trip takes 400 us.
struct busy_node : world {
  busy_node() {
    joins(a, 7, first);
    told(a, first, libpool::demand{10, 2, 10us, 400us});
    submit(1);
    submit(2);
    flush();
  }

  instant flush_time() const {
    return pool.flush_at();
  }
};

/// Two nodes. The first node has tasks 1 to 5, and task 5 waits for 400 ms. The
/// second node has task 6.
struct two_nodes : one_node {
  explicit two_nodes(libpool::duration round_trip = 10ms) {
    joins(b, 8, second);
    told(a, first, libpool::demand{10, 1, 100ms, round_trip});
    for (std::uint64_t task = 1; task <= 5; ++task)
      submit(task);
    submit(6, second);
    flush();
  }
};

} // namespace test::pool_ends
