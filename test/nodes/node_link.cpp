#include "libpool/nodes/node_link.hpp"
#include "libpool/core/instant.hpp"
#include "libpool/core/worker_number.hpp"
#include "libpool/nodes/link_protocol.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>

namespace nodes_node_link_tests {

using libpool::instant;
using libpool::never;
using libpool::worker_number;
using namespace std::chrono_literals;

namespace {

constexpr worker_number first{1};
constexpr worker_number second{2};
constexpr libpool::duration lease = 4s;

instant at(std::chrono::milliseconds time) {
  return instant{} + 1h + time;
}

/// A node that is connected, on a clock of the test.
struct world {
  world() {
    link.connected(at(0ms));
  }

  /// The messages that the node has sent since then, in words.
  std::string sent() {
    std::string words;
    for (const auto& message : link.messages())
      words += std::visit(text{}, message) + " ";
    link.messages().clear();
    return words;
  }

  void welcomed(std::uint64_t attempt, worker_number session,
                std::chrono::milliseconds time) {
    link.told(libpool::welcome{attempt, session, lease}, at(time));
  }

  void returned(worker_number session, std::chrono::milliseconds was_sent,
                std::chrono::milliseconds time) {
    link.told(libpool::beat{session, at(was_sent)}, at(time));
  }

  libpool::node_link link{libpool::incarnation{7}};

private:
  struct text {
    std::string operator()(const libpool::hello& x) const {
      return "hello" + std::to_string(x.attempt);
    }

    std::string operator()(const libpool::ready&) const {
      return "ready";
    }

    std::string operator()(const libpool::beat& x) const {
      return "beat" + std::to_string((x.sent - at(0ms)) / 1ms);
    }

    std::string operator()(const libpool::bye&) const {
      return "bye";
    }
  };
};

} // namespace

TEST_CASE_FIXTURE(world, "a node serves from its welcome on, and sends ready") {
  CHECK(sent() == "hello1 ");
  CHECK(!link.session());
  CHECK(!link.may_begin(at(0ms)));
  CHECK(link.next_tick() == never);
  welcomed(1, first, 10ms);
  CHECK(link.session() == first);
  CHECK(sent() == "ready beat10 ");
  CHECK(link.may_begin(at(10ms)));
}

TEST_CASE_FIXTURE(
  world,
  "the first lease counts from the hello, and is used for three quarters") {
  welcomed(1, first, 2s);
  CHECK(link.may_begin(at(2999ms)));
  CHECK(!link.may_begin(at(3s)));
}

TEST_CASE_FIXTURE(world,
                  "a lease counts from when the answered beat was sent") {
  welcomed(1, first, 10ms);
  returned(first, 10ms, 2s);
  CHECK(link.may_begin(at(3009ms)));
  CHECK(!link.may_begin(at(3010ms)));
}

TEST_CASE_FIXTURE(world, "a beat that comes back late does not shorten the "
                         "lease") {
  welcomed(1, first, 10ms);
  link.ticked(at(1010ms));
  returned(first, 1010ms, 1020ms);
  returned(first, 10ms, 1030ms);
  CHECK(link.may_begin(at(4009ms)));
}

TEST_CASE_FIXTURE(world, "a node beats each quarter of a lease") {
  welcomed(1, first, 10ms);
  sent();
  CHECK(link.next_tick() == at(1010ms));
  link.ticked(at(1009ms));
  CHECK(sent().empty());
  link.ticked(at(1010ms));
  CHECK(sent() == "beat1010 ");
  CHECK(link.next_tick() == at(2010ms));
}

TEST_CASE_FIXTURE(world, "a node whose beats are not answered gives up its "
                         "session, and says hello again") {
  welcomed(1, first, 10ms);
  sent();
  link.ticked(at(3s));
  CHECK(!link.session());
  CHECK(!link.may_begin(at(3s)));
  CHECK(sent() == "hello2 ");
  welcomed(2, second, 3010ms);
  CHECK(link.session() == second);
}

TEST_CASE_FIXTURE(world, "a welcome to an older hello changes nothing") {
  link.connected(at(1s));
  sent();
  welcomed(1, first, 1010ms);
  CHECK(!link.session());
  CHECK(sent().empty());
  welcomed(2, second, 1020ms);
  CHECK(link.session() == second);
}

TEST_CASE_FIXTURE(
  world,
  "a node answers a welcome that arrives after its lease with another hello") {
  sent();
  welcomed(1, first, 3s);
  CHECK(!link.session());
  CHECK(sent() == "hello2 ");
}

TEST_CASE_FIXTURE(world, "a second welcome changes nothing") {
  welcomed(1, first, 10ms);
  sent();
  welcomed(1, second, 20ms);
  CHECK(link.session() == first);
  CHECK(sent().empty());
}

TEST_CASE_FIXTURE(world,
                  "a beat of another session does not extend the lease") {
  welcomed(1, first, 10ms);
  returned(second, 2s, 2s);
  CHECK(!link.may_begin(at(3010ms)));
}

TEST_CASE_FIXTURE(world,
                  "a node without a connection starts and sends nothing") {
  welcomed(1, first, 10ms);
  link.disconnected();
  CHECK(!link.session());
  CHECK(!link.may_begin(at(20ms)));
  CHECK(sent().empty());
  welcomed(1, second, 30ms);
  link.ticked(at(40ms));
  CHECK(!link.session());
  CHECK(sent().empty());
  link.connected(at(50ms));
  CHECK(sent() == "hello2 ");
}

TEST_CASE_FIXTURE(world,
                  "a node that leaves sends bye, and starts no more tasks") {
  welcomed(1, first, 10ms);
  sent();
  link.leave();
  CHECK(sent() == "bye ");
  CHECK(!link.may_begin(at(20ms)));
  link.leave();
  CHECK(sent().empty());
}

} // namespace nodes_node_link_tests
