/// Messages and errors of libpool that go to other nodes, as bytes.

#include "support/figures.hpp"
#include "support/managed_world.hpp"
#include "support/port/bytes.hpp"

#include <caf/all.hpp>
#include <doctest/doctest.h>

#include <chrono>
#include <string>
#include <vector>

using libpool::errc;
using test::managed_world;
using test::scripted;
using namespace std::chrono_literals;

namespace {

struct world : managed_world {
  /// The message as another node would read it.
  caf::message read_elsewhere(const caf::message& message) {
    caf::message result;
    CHECK(test::read_back(system(), message, result));
    return result;
  }

  template <class T>
  T sent(const T& x) {
    const caf::message result = read_elsewhere(caf::make_message(x));
    REQUIRE(result.match_elements<T>());
    return result.get_as<T>(0);
  }
};

} // namespace

TEST_CASE_FIXTURE(world, "the stats of a pool are complete on another node") {
  auto stats = test::filled<libpool::pool_stats>();
  for (auto time : {0ms, 5ms, 5ms, 2'000ms, 9'000'000ms})
    stats.total.waits.record(time);
  stats.flows[0].lag = -7ns;
  auto there = sent(stats);
  CHECK(caf::deep_to_string(there) == caf::deep_to_string(stats));
  for (auto percent : {0.0, 40.0, 80.0, 100.0})
    CHECK(there.total.waits.percentile(percent)
          == stats.total.waits.percentile(percent));
}

TEST_CASE_FIXTURE(
  world,
  "the answer to STATS contains the handles of the workers on another node") {
  populate(2, [](scripted&) -> caf::behavior { return {[](int) {}}; });
  client.send(pool, 1);
  run();
  auto there = sent(client.ask(pool, caf::sys_atom{}, libpool::stats_atom{})
                      .get<libpool::pool_stats>());
  CHECK(there.tasks.completed == 1);
  REQUIRE(there.members.size() == 2);
  CHECK(there.members[1].worker == workers().at(1));
}

TEST_CASE_FIXTURE(world,
                  "the stats of a pipeline are complete on another node") {
  auto stats = test::filled<libpool::pipeline_stats>();
  auto there = sent(stats);
  CHECK(caf::deep_to_string(there) == caf::deep_to_string(stats));
}

TEST_CASE_FIXTURE(
  world, "an error with the errors of workers is complete on another node") {
  auto error = libpool::make_error(
    errc::too_few_answers, "2 of 3",
    {caf::make_error(caf::sec::runtime_error), errc::worker_crashed});
  auto there = sent(error);
  CHECK(there == errc::too_few_answers);
  CHECK(libpool::render(there, system()) == libpool::render(error, system()));
  auto inside = libpool::errors_in(there);
  REQUIRE(inside.size() == 2);
  CHECK(inside[1] == errc::worker_crashed);
}
