#include "libpool/nodes/node_sessions.hpp"
#include "libpool/core/instant.hpp"
#include "libpool/core/worker_number.hpp"
#include "libpool/nodes/link_protocol.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

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

template <class Number>
std::string text(Number number) {
  return std::to_string(static_cast<std::uint64_t>(number));
}

struct in_words {
  std::string operator()(const node_sessions::send& x) const {
    auto session = std::visit([](const auto& any) { return any.session; },
                              x.message);
    const std::vector<std::string> names{"welcome", "beat", "bye", "gone"};
    return text(x.to) + ":" + names[x.message.index()] + text(session);
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
  /// Returns the decisions since the last call, in words. Each message follows
  /// the number of its connection.
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

  /// Calls `ticked` at each due time up to `time`.
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

// -- the beginning of a session -----------------------------------------------

TEST_CASE_FIXTURE(world, "a pool answers a hello with a welcome, and admits "
                         "the node after its ready") {
  CHECK(sessions.next_tick() == never);
  hello(a, 7, 1, 0ms);
  CHECK(decided() == "1:welcome1 ");
  sessions.told(a, libpool::ready{first}, at(10ms));
  CHECK(decided() == "admit1 ");
  sessions.told(a, libpool::ready{first}, at(20ms));
  CHECK(decided().empty());
}

TEST_CASE_FIXTURE(
  one_node, "a newer hello over a connection ends its older session at once") {
  hello(a, 7, 2, 10ms);
  CHECK(decided() == "end1 1:welcome2 ");
  CHECK(sessions.sessions().size() == 1);
}

TEST_CASE_FIXTURE(one_node, "a hello of another run over the same connection "
                            "ends the older session at once") {
  hello(a, 8, 1, 10ms);
  CHECK(decided() == "end1 1:welcome2 ");
}

TEST_CASE_FIXTURE(one_node,
                  "a hello that names a running node, but comes over another "
                  "connection, does not end the session of that node") {
  hello(b, 7, 2, 10ms);
  CHECK(decided() == "2:welcome2 ");
  hello(b, 8, 1, 20ms);
  CHECK(decided() == "end2 2:welcome3 ");
  CHECK(sessions.sessions().count(first) == 1);
  beat(a, first, 30ms);
  CHECK(decided() == "1:beat1 ");
}

TEST_CASE_FIXTURE(world, "a hello that arrives after a newer one is ignored") {
  hello(a, 7, 2, 0ms);
  decided();
  hello(a, 7, 1, 10ms);
  CHECK(decided().empty());
}

TEST_CASE_FIXTURE(one_node, "a hello that arrives twice counts once") {
  hello(a, 7, 1, 10ms);
  CHECK(decided().empty());
  CHECK(sessions.sessions().size() == 1);
}

TEST_CASE_FIXTURE(one_node,
                  "a node may come back after its session has ended") {
  tick_until(4s);
  CHECK(decided() == "end1 ");
  hello(a, 7, 1, 5s);
  CHECK(decided() == "1:welcome2 ");
}

TEST_CASE_FIXTURE(world, "a session that is never ready ends after a lease") {
  hello(a, 7, 1, 0ms);
  decided();
  tick_until(4s);
  CHECK(decided() == "end1 ");
}

// -- beats, and silence -------------------------------------------------------

TEST_CASE_FIXTURE(one_node, "a pool answers a beat") {
  beat(a, first, 10ms);
  CHECK(decided() == "1:beat1 ");
}

TEST_CASE_FIXTURE(
  one_node,
  "a pool answers with gone to each beat of a session that has ended") {
  tick_until(4s);
  decided();
  beat(a, first, 5s);
  beat(a, first, 6s);
  CHECK(decided() == "1:gone1 1:gone1 ");
  hello(a, 7, 2, 7s);
  beat(a, first, 8s);
  CHECK(decided() == "1:welcome2 1:gone1 ");
}

TEST_CASE_FIXTURE(
  one_node,
  "a pool answers with gone to a beat of a session that never existed") {
  beat(a, second, 20ms);
  CHECK(decided() == "1:gone2 ");
  CHECK(sessions.sessions().size() == 1);
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

TEST_CASE_FIXTURE(
  one_node, "a node that is silent for less than a lease is kept, however "
            "often") {
  for (auto time = 3900ms; time < 60s; time += 3900ms) {
    tick_until(time);
    beat(a, first, time);
    CHECK(decided() == "1:beat1 ");
  }
}

TEST_CASE_FIXTURE(one_node,
                  "any message of a session shows that its node is alive") {
  tick_until(3s);
  CHECK(sessions.heard(a, first, at(3500ms)));
  tick_until(7s);
  CHECK(decided().empty());
  CHECK(!sessions.heard(a, second, at(7s)));
}

// -- other connections --------------------------------------------------------

TEST_CASE_FIXTURE(one_node,
                  "messages of a session count only over its own connection") {
  CHECK(!sessions.heard(b, first, at(3s)));
  beat(b, first, 3s);
  CHECK(decided() == "2:gone1 ");
  sessions.told(b, libpool::bye{first}, at(3s));
  CHECK(decided() == "2:gone1 ");
  CHECK(sessions.sessions().at(first).heard == at(0ms));
  tick_until(4s);
  CHECK(decided() == "end1 ");
}

TEST_CASE_FIXTURE(world,
                  "a ready over another connection does not admit a node") {
  hello(a, 7, 1, 0ms);
  decided();
  sessions.told(b, libpool::ready{first}, at(10ms));
  CHECK(decided().empty());
  CHECK(!sessions.sessions().at(first).is_ready);
}

TEST_CASE_FIXTURE(one_node, "a node that has received no answer for two leases "
                            "is given up, even if its beats arrive") {
  for (auto time = 0ms; time < 8s; time += 1s) {
    tick_until(time);
    sessions.told(a, libpool::beat{first, at(time), time}, at(time));
  }
  CHECK(decided().find("cut") == std::string::npos);
  for (auto time = 8s; time < 11s; time += 1s) {
    tick_until(time);
    sessions.told(a, libpool::beat{first, at(time), time}, at(time));
    CHECK(decided().empty());
  }
  tick_until(11s);
  CHECK(decided() == "end1 ");
}

TEST_CASE_FIXTURE(
  one_node, "a node continues to serve if the program of the pool was "
            "suspended and could not answer the signs of life of the node") {
  sessions.ticked(at(1h));
  sessions.told(a, libpool::beat{first, at(1h), 1h}, at(1h));
  CHECK(decided() == "1:beat1 ");
}

// -- bye, and expelled nodes --------------------------------------------------

TEST_CASE_FIXTURE(
  one_node,
  "the session of a node that says bye ends at once, and the node is told") {
  sessions.told(a, libpool::bye{first}, at(10ms));
  CHECK(decided() == "end1 1:gone1 ");
}

TEST_CASE_FIXTURE(one_node, "a bye that is repeated is answered again") {
  sessions.told(a, libpool::bye{first}, at(10ms));
  decided();
  sessions.told(a, libpool::bye{first}, at(20ms));
  beat(a, first, 30ms);
  CHECK(decided() == "1:gone1 1:gone1 ");
}

TEST_CASE_FIXTURE(
  one_node,
  "an expelled node is cut off, gets a bye, and is given up after its lease") {
  sessions.expelled(first);
  CHECK(decided() == "cut1 1:bye1 ");
  CHECK(!sessions.heard(a, first, at(10ms)));
  sessions.expelled(first);
  CHECK(decided().empty());
  tick_until(3s);
  CHECK(decided().empty());
  tick_until(4s);
  CHECK(decided() == "end1 ");
}

TEST_CASE_FIXTURE(one_node, "each beat of an expelled node is answered by a "
                            "bye, and does not extend its lease") {
  sessions.expelled(first);
  decided();
  for (auto time : {1s, 2s, 3s}) {
    tick_until(time);
    beat(a, first, time);
    CHECK(decided() == "1:bye1 ");
  }
  tick_until(4s);
  CHECK(decided() == "end1 ");
}

TEST_CASE_FIXTURE(one_node, "the bye of an expelled node is answered, and does "
                            "not end the session before its lease") {
  sessions.expelled(first);
  decided();
  sessions.told(a, libpool::bye{first}, at(10ms));
  CHECK(decided() == "1:gone1 ");
  CHECK(sessions.sessions().size() == 1);
}

TEST_CASE_FIXTURE(one_node, "a session that has ended cannot be expelled") {
  tick_until(4s);
  decided();
  sessions.expelled(first);
  CHECK(decided().empty());
}

// -- late ticks ---------------------------------------------------------------

TEST_CASE_FIXTURE(one_node, "a pool whose tick comes very late does not count "
                            "the delay against its nodes") {
  hello(b, 8, 1, 0ms);
  decided();
  sessions.ticked(at(10s)); // due after one second
  CHECK(decided().empty());
  tick_until(12s);
  CHECK(decided().empty());
  tick_until(13s);
  CHECK(decided() == "end1 end2 ");
}

TEST_CASE_FIXTURE(one_node,
                  "a pool whose tick comes late listens for a quarter "
                  "of a lease before it gives a silent node up") {
  tick_until(3s);
  sessions.ticked(at(10s)); // due after 4 s
  CHECK(decided().empty());
  SUBCASE("when the node stays silent") {
    sessions.ticked(at(10'999ms));
    CHECK(decided().empty());
    sessions.ticked(at(11s));
    CHECK(decided() == "end1 ");
  }
  SUBCASE("when the node is heard") {
    beat(a, first, 10'500ms);
    decided();
    tick_until(14s);
    CHECK(decided().empty());
  }
  SUBCASE("unless the next tick comes late, too") {
    sessions.ticked(at(20s));
    CHECK(decided() == "end1 ");
  }
}

TEST_CASE_FIXTURE(
  one_node, "a pool whose ticks are always late still gives up silent nodes") {
  auto now = 0ms;
  for (auto i = 0; i < 4 && sessions.sessions().size() == 1; ++i)
    sessions.ticked(at(now += 1900ms)); // due after one second each
  CHECK(decided() == "end1 ");
}

TEST_CASE_FIXTURE(
  one_node,
  "a late tick does not move the last message of a node into the future") {
  beat(a, first, 9s);
  sessions.ticked(at(10s));
  decided();
  CHECK(sessions.sessions().at(first).heard == at(10s));
}

} // namespace nodes_node_sessions_tests
