/// Which workers a managed pool makes, and when.

#include "libpool/actors/managed/spawning.hpp"

#include <caf/all.hpp>
#include <doctest/doctest.h>

#include <chrono>
#include <stdexcept>
#include <string>

using libpool::instant;
using libpool::never;
using libpool::spawning;
using namespace std::chrono_literals;

namespace {

caf::actor no_worker() {
  return {};
}

libpool::restart_limits at_once(unsigned most) {
  libpool::restart_limits result;
  result.max = most;
  result.pause = 0ns;
  return result;
}

struct spawning_world {
  spawning made{at_once(3)};
  instant now{};
  caf::error crash = caf::exit_reason::kill;

  spawning_world() {
    made.begin(no_worker);
  }
};

} // namespace

TEST_CASE("a pool without a factory replaces no workers") {
  spawning none{at_once(3)};
  none.ended(caf::exit_reason::kill, {});
  CHECK(!none.has_factory());
  CHECK(none.missing() == 0);
  CHECK(none.next_try() == never);
}

TEST_CASE_FIXTURE(
  spawning_world,
  "a crashed worker counts as missing until a replacement is taken") {
  made.ended(crash, now);
  CHECK(made.missing() == 1);
  CHECK(made.next_try() == now);
  CHECK(made.take_due(now) == 1);
  CHECK(made.missing() == 0);
}

TEST_CASE_FIXTURE(spawning_world,
                  "a worker that was shut down is not replaced") {
  made.ended(caf::error{}, now);
  made.ended(caf::exit_reason::user_shutdown, now);
  CHECK(made.missing() == 0);
}

TEST_CASE_FIXTURE(spawning_world,
                  "the limits determine how many workers are replaced") {
  for (auto i = 0; i < 5; ++i)
    made.ended(crash, now);
  CHECK(made.missing() == 3);
}

TEST_CASE_FIXTURE(spawning_world,
                  "a failure to make a worker counts as a crash") {
  made.failed("no room", now);
  CHECK(made.problem() == "no room");
  CHECK(made.missing() == 1);
  made.succeeded();
  CHECK(made.problem().empty());
  CHECK(made.missing() == 1);
}

TEST_CASE_FIXTURE(spawning_world,
                  "replacements that are due now cause a single pause") {
  CHECK(!made.has_to_pause(now));
  made.failed("no room", now);
  CHECK(made.has_to_pause(now));
  CHECK(!made.has_to_pause(now)); // has been told
  CHECK(made.next_try() == never);
  CHECK(made.missing() == 1);
  made.may_try_again();
  CHECK(made.next_try() == now);
  CHECK(made.has_to_pause(now));
}

TEST_CASE_FIXTURE(spawning_world,
                  "replacements that are due later cause no pause") {
  made.failed("no room", now + 1ns);
  CHECK(!made.has_to_pause(now));
  CHECK(made.next_try() == now + 1ns);
}

TEST_CASE_FIXTURE(spawning_world, "a pool that has ended makes no workers") {
  made.ended(crash, now);
  made.end();
  CHECK(!made.has_factory());
  CHECK(made.missing() == 0);
  made.ended(crash, now);
  CHECK(made.missing() == 0);
}

TEST_CASE_FIXTURE(spawning_world,
                  "exceptions of a factory are named on request") {
  made.begin([]() -> caf::actor { throw std::runtime_error{"no memory"}; });
  CHECK_THROWS_WITH(made.make(), "no memory");
  CHECK_THROWS_WITH(made.make_named(), "the factory threw: no memory");
}

TEST_CASE_FIXTURE(spawning_world, "the number of replaced workers is counted") {
  CHECK(made.replaced() == 0);
  made.replaced_one();
  CHECK(made.replaced() == 1);
}
