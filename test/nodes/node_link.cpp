#include "libpool/nodes/node_link.hpp"
#include "libpool/core/instant.hpp"
#include "libpool/core/worker_number.hpp"
#include "libpool/nodes/link_protocol.hpp"

#include <doctest/doctest.h>

#include <algorithm>
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

/// A node whose line is up, on a clock of the test.
struct world {
  world() {
    link.came_up(at(0ms));
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

  /// Takes time to the next tick. Returns how long that was, in units of a
  /// pause: more than a half, and at most one.
  double pause_until_tick(instant from, libpool::duration pause) {
    auto next = link.next_tick();
    link.ticked(next - 1ns);
    CHECK(sent().empty());
    link.ticked(next);
    return std::chrono::duration<double>(next - from) / pause;
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

/// A node that serves.
struct serving : world {
  serving() {
    welcomed(1, first, 10ms);
    sent();
  }
};

} // namespace

// -- the beginning of a session -----------------------------------------------

TEST_CASE_FIXTURE(world, "a node serves after its welcome, and sends a ready") {
  CHECK(sent() == "hello1 ");
  CHECK(!link.session());
  CHECK(!link.may_begin(at(0ms)));
  welcomed(1, first, 10ms);
  CHECK(link.session() == first);
  CHECK(sent() == "ready beat10 ");
  CHECK(link.may_begin(at(10ms)));
}

TEST_CASE("a node whose line is not up sends no message") {
  libpool::node_link link{libpool::incarnation{7}};
  CHECK(link.next_tick() == never);
  link.ticked(at(0ms));
  CHECK(link.messages().empty());
}

TEST_CASE_FIXTURE(world, "a hello is repeated after pauses that double up to "
                         "five seconds") {
  CHECK(sent() == "hello1 ");
  auto last = at(0ms);
  libpool::duration pause = 100ms;
  for (auto attempt = 2; attempt <= 12; ++attempt) {
    auto next = link.next_tick();
    auto part = pause_until_tick(last, pause);
    CHECK(part > 0.5);
    CHECK(part <= 1);
    CHECK(sent() == "hello" + std::to_string(attempt) + " ");
    last = next;
    pause = std::min<libpool::duration>(2 * pause, 5s);
  }
}

TEST_CASE_FIXTURE(world,
                  "the pauses between hellos are short again after a welcome") {
  for (auto i = 0; i < 9; ++i)
    link.ticked(link.next_tick());
  sent();
  link.told(libpool::welcome{10, first, 1h}, at(30s));
  link.told(libpool::gone{first}, at(40s));
  auto pause = link.next_tick() - at(40s);
  CHECK(pause > 50ms);
  CHECK(pause <= 100ms);
}

TEST_CASE_FIXTURE(
  world, "a node without a session says hello at once when its line comes up") {
  link.went_down();
  sent();
  CHECK(link.next_tick() == never);
  link.ticked(at(1h));
  CHECK(sent().empty());
  link.came_up(at(2h));
  CHECK(sent() == "hello2 ");
}

TEST_CASE_FIXTURE(world, "the first lease counts from the hello, and tasks may "
                         "begin for three quarters of it") {
  welcomed(1, first, 2s);
  CHECK(link.may_begin(at(2999ms)));
  CHECK(!link.may_begin(at(3s)));
}

TEST_CASE_FIXTURE(world, "a welcome to an older hello changes nothing") {
  link.came_up(at(1s));
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

TEST_CASE_FIXTURE(serving, "a second welcome changes nothing") {
  welcomed(1, second, 20ms);
  CHECK(link.session() == first);
  CHECK(sent().empty());
}

// -- beats --------------------------------------------------------------------

TEST_CASE_FIXTURE(
  serving, "a lease counts from the time at which the answered beat was sent") {
  returned(first, 10ms, 2s);
  CHECK(link.may_begin(at(3009ms)));
  CHECK(!link.may_begin(at(3010ms)));
}

TEST_CASE_FIXTURE(serving, "a beat that comes back late does not shorten the "
                           "lease") {
  link.ticked(at(1010ms));
  returned(first, 1010ms, 1020ms);
  returned(first, 10ms, 1030ms);
  CHECK(link.may_begin(at(4009ms)));
}

TEST_CASE_FIXTURE(world,
                  "a beat states the time since the last answered beat") {
  auto deaf_in_last = [this] {
    return std::get<libpool::beat>(link.messages().back()).deaf;
  };
  welcomed(1, first, 10ms);
  CHECK(deaf_in_last() == 10ms); // since the hello
  link.ticked(at(1010ms));
  returned(first, 1010ms, 1020ms);
  returned(first, 10ms, 1030ms);
  link.ticked(at(2010ms));
  CHECK(deaf_in_last() == 1s);
  link.ticked(at(20s));
  CHECK(deaf_in_last() == 18990ms);
}

TEST_CASE_FIXTURE(serving, "a node sends a beat in each quarter of a lease") {
  CHECK(link.next_tick() == at(1010ms));
  link.ticked(at(1009ms));
  CHECK(sent().empty());
  link.ticked(at(1010ms));
  CHECK(sent() == "beat1010 ");
  CHECK(link.next_tick() == at(2010ms));
}

TEST_CASE_FIXTURE(serving,
                  "a beat of another session does not extend the lease") {
  returned(second, 2s, 2s);
  CHECK(!link.may_begin(at(3010ms)));
}

// -- interruptions ------------------------------------------------------------

TEST_CASE_FIXTURE(serving, "a session outlives an interrupted line, and the "
                           "node sends a beat at once when the line comes up") {
  link.went_down();
  CHECK(link.next_tick() == never);
  link.ticked(at(2s));
  CHECK(sent().empty());
  CHECK(link.session() == first);
  CHECK(link.may_begin(at(2999ms)));
  link.came_up(at(2100ms));
  CHECK(sent() == "beat2100 ");
  CHECK(link.next_tick() == at(3100ms));
  returned(first, 2100ms, 2200ms);
  CHECK(link.may_begin(at(5s)));
}

TEST_CASE_FIXTURE(serving, "a session outlives its lease, and the node begins "
                           "no task until a beat comes back") {
  link.ticked(at(1h));
  CHECK(link.session() == first);
  CHECK(sent() == "beat3600000 ");
  CHECK(!link.may_begin(at(1h)));
  returned(first, 1h, 1h + 1s);
  CHECK(link.may_begin(at(1h + 2999ms)));
  CHECK(!link.may_begin(at(1h + 3s)));
}

// -- the end of a session -----------------------------------------------------

TEST_CASE_FIXTURE(serving, "a node whose session is gone begins no task, and "
                           "says hello") {
  link.told(libpool::gone{first}, at(20ms));
  CHECK(!link.session());
  CHECK(!link.may_begin(at(20ms)));
  CHECK(sent() == "hello2 ");
  returned(first, 20ms, 30ms);
  CHECK(!link.may_begin(at(40ms)));
  welcomed(2, second, 50ms);
  CHECK(link.session() == second);
}

TEST_CASE_FIXTURE(serving, "the end of another session changes nothing") {
  link.told(libpool::gone{second}, at(20ms));
  CHECK(link.session() == first);
  CHECK(link.may_begin(at(20ms)));
  CHECK(sent().empty());
}

TEST_CASE_FIXTURE(
  world,
  "the end of a session does not cause a hello of a node without a session") {
  sent();
  link.told(libpool::gone{first}, at(20ms));
  CHECK(sent().empty());
}

TEST_CASE_FIXTURE(serving,
                  "a node sends no more messages after a bye of the pool") {
  link.told(libpool::bye{first}, at(20ms));
  CHECK(!link.session());
  CHECK(!link.may_begin(at(20ms)));
  CHECK(link.next_tick() == never);
  link.came_up(at(30ms));
  welcomed(1, second, 40ms);
  CHECK(!link.session());
  CHECK(sent().empty());
}

TEST_CASE_FIXTURE(serving,
                  "a node that leaves sends a bye, and starts no more tasks") {
  link.leave();
  CHECK(sent() == "bye ");
  CHECK(!link.may_begin(at(20ms)));
  link.leave();
  CHECK(sent().empty());
}

TEST_CASE_FIXTURE(serving, "a node that leaves sends beats until the pool says "
                           "that its session is gone") {
  link.leave();
  sent();
  link.ticked(at(1010ms));
  CHECK(sent() == "beat1010 ");
  CHECK(link.session() == first);
  link.told(libpool::gone{first}, at(1020ms));
  CHECK(!link.session());
  CHECK(link.next_tick() == never);
  CHECK(sent().empty());
}

TEST_CASE_FIXTURE(serving,
                  "a node that leaves begins no task when a beat comes back") {
  link.leave();
  link.ticked(at(1010ms));
  returned(first, 1010ms, 1020ms);
  CHECK(!link.may_begin(at(1030ms)));
}

TEST_CASE_FIXTURE(
  world, "a node that leaves without a session sends no more messages") {
  sent();
  link.leave();
  CHECK(link.next_tick() == never);
  welcomed(1, first, 10ms);
  CHECK(!link.session());
  CHECK(sent().empty());
}

} // namespace nodes_node_link_tests
