#include "libpool/nodes/node_sessions.hpp"
#include "libpool/core/instant.hpp"
#include "libpool/core/worker_number.hpp"
#include "libpool/nodes/link_protocol.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <variant>

namespace nodes_node_sessions_tests {

using libpool::connection_number;
using libpool::incarnation;
using libpool::instant;
using libpool::never;
using libpool::node_sessions;
using libpool::worker_number;
using namespace std::chrono_literals;

namespace {

constexpr connection_number a{1};
constexpr connection_number b{2};
constexpr worker_number first{1};
constexpr worker_number second{2};
constexpr libpool::duration lease = 4s;

instant at(std::chrono::milliseconds time) {
  return instant{} + 1h + time;
}

std::string text(worker_number session) {
  return std::to_string(static_cast<std::uint64_t>(session));
}

struct in_words {
  std::string operator()(const node_sessions::send& x) const {
    if (const auto* welcome = std::get_if<libpool::welcome>(&x.message))
      return "welcome" + text(welcome->session);
    return "beat" + text(std::get<libpool::beat>(x.message).session);
  }

  std::string operator()(const node_sessions::admit& x) const {
    return "admit" + text(x.session);
  }

  std::string operator()(const node_sessions::cut& x) const {
    return "cut" + text(x.session);
  }

  std::string operator()(const node_sessions::end& x) const {
    return "end" + text(x.session);
  }
};

struct world {
  /// The decisions since then, in words.
  std::string decided() {
    std::string words;
    for (const auto& decision : sessions.decisions())
      words += std::visit(in_words{}, decision) + " ";
    sessions.decisions().clear();
    return words;
  }

  void hello(connection_number by, std::uint64_t who, std::uint64_t attempt,
             std::chrono::milliseconds time) {
    sessions.told(by, libpool::hello{incarnation{who}, attempt}, at(time));
  }

  void beat(connection_number by, worker_number session,
            std::chrono::milliseconds time) {
    sessions.told(by, libpool::beat{session, at(time)}, at(time));
  }

  /// Has told the time at each tick until then.
  void tick_until(std::chrono::milliseconds time) {
    while (sessions.next_tick() <= at(time))
      sessions.ticked(sessions.next_tick());
  }

  node_sessions sessions{lease};
};

struct one_node : world {
  one_node() {
    hello(a, 7, 1, 0ms);
    sessions.told(a, libpool::ready{first}, at(0ms));
    decided();
  }
};

} // namespace

TEST_CASE_FIXTURE(world,
                  "a node is sent a welcome, and gets tasks once it is ready") {
  CHECK(sessions.next_tick() == never);
  hello(a, 7, 1, 0ms);
  CHECK(decided() == "welcome1 ");
  sessions.told(a, libpool::ready{first}, at(10ms));
  CHECK(decided() == "admit1 ");
  sessions.told(a, libpool::ready{first}, at(20ms));
  CHECK(decided().empty());
}

TEST_CASE_FIXTURE(one_node, "a pool answers a beat") {
  beat(a, first, 10ms);
  CHECK(decided() == "beat1 ");
  beat(a, second, 20ms);
  CHECK(decided().empty());
}

TEST_CASE_FIXTURE(one_node, "a silent node is given up after a lease") {
  beat(a, first, 10ms);
  decided();
  tick_until(4009ms);
  CHECK(decided().empty());
  tick_until(5s);
  CHECK(decided() == "end1 ");
  CHECK(sessions.sessions().empty());
  CHECK(sessions.next_tick() == never);
}

TEST_CASE_FIXTURE(one_node,
                  "any message of its session shows that a node is alive") {
  tick_until(3s);
  CHECK(sessions.heard(first, at(3500ms)));
  tick_until(7s);
  CHECK(decided().empty());
  CHECK(!sessions.heard(second, at(7s)));
}

TEST_CASE_FIXTURE(
  one_node, "a disconnected node is cut off, and given up after its lease") {
  sessions.closed(a);
  CHECK(decided() == "cut1 ");
  CHECK(!sessions.heard(first, at(10ms)));
  beat(a, first, 10ms);
  sessions.closed(a);
  CHECK(decided().empty());
  tick_until(3s);
  CHECK(decided().empty());
  tick_until(4s);
  CHECK(decided() == "end1 ");
}

TEST_CASE_FIXTURE(
  one_node, "a newer hello of the same run ends the older session at once") {
  sessions.closed(a);
  decided();
  hello(b, 7, 2, 10ms);
  CHECK(decided() == "end1 welcome2 ");
}

TEST_CASE_FIXTURE(one_node, "a hello of another run ends no session") {
  hello(b, 8, 1, 10ms);
  CHECK(decided() == "welcome2 ");
  CHECK(sessions.sessions().size() == 2);
}

TEST_CASE_FIXTURE(world, "a hello that arrives after a newer one is ignored") {
  hello(b, 7, 2, 0ms);
  decided();
  hello(a, 7, 1, 10ms);
  CHECK(decided().empty());
}

TEST_CASE_FIXTURE(one_node, "a hello that arrives twice counts once") {
  hello(b, 7, 1, 10ms);
  CHECK(decided().empty());
  CHECK(sessions.sessions().size() == 1);
}

TEST_CASE_FIXTURE(
  one_node,
  "all sessions of a connection end with that connection, and no others") {
  hello(a, 8, 1, 10ms);
  hello(b, 9, 1, 10ms);
  decided();
  sessions.closed(a);
  CHECK(decided() == "cut1 cut2 ");
}

TEST_CASE_FIXTURE(
  one_node, "a session that has ended does not end again with its connection") {
  hello(b, 7, 2, 10ms);
  decided();
  sessions.closed(a);
  CHECK(decided().empty());
  sessions.closed(b);
  CHECK(decided() == "cut2 ");
}

TEST_CASE_FIXTURE(one_node,
                  "a node may come back after its session has ended") {
  tick_until(4s);
  CHECK(decided() == "end1 ");
  hello(a, 7, 1, 5s);
  CHECK(decided() == "welcome2 ");
}

TEST_CASE_FIXTURE(one_node, "a node that leaves is gone at once") {
  sessions.told(a, libpool::bye{first}, at(10ms));
  CHECK(decided() == "end1 ");
}

TEST_CASE_FIXTURE(
  one_node, "a pool whose tick comes very late does not blame its nodes") {
  hello(b, 8, 1, 0ms);
  decided();
  sessions.ticked(at(10s)); // due after one second
  CHECK(decided().empty());
  tick_until(12s);
  CHECK(decided().empty());
  tick_until(13s);
  CHECK(decided() == "end1 end2 ");
}

TEST_CASE_FIXTURE(
  one_node, "a pool whose ticks are always late still gives up silent nodes") {
  auto now = 0ms;
  for (auto i = 0; i < 4 && sessions.sessions().size() == 1; ++i)
    sessions.ticked(at(now += 1900ms)); // due after one second each
  CHECK(decided() == "end1 ");
}

TEST_CASE_FIXTURE(one_node, "a node heard while the pool did not look at its "
                            "clock gets no lease in the future") {
  beat(a, first, 9s);
  sessions.ticked(at(10s));
  decided();
  CHECK(sessions.sessions().at(first).heard == at(10s));
}

} // namespace nodes_node_sessions_tests
