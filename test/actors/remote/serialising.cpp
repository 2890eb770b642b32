/// Messages and errors of libpool that go to other nodes, as bytes.

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

libpool::flow_stats some_flow() {
  libpool::flow_stats result;
  result.name = "gold";
  result.waiting = 1;
  result.running = 2;
  result.served = 3;
  result.seat_time = 4s;
  result.refused = 5;
  result.waited = 18ms;
  result.mean_wait = 6ms;
  result.lag = -7ns;
  return result;
}

libpool::worker_stats some_work() {
  libpool::worker_stats result;
  result.completed = 11;
  result.failed = 12;
  result.busy = 13s;
  result.mean_service = 14ms;
  result.max_service = 15ms;
  result.mean_wait = 17us;
  result.stolen = 16;
  return result;
}

libpool::member_stats some_member() {
  libpool::member_stats result;
  static_cast<libpool::worker_stats&>(result) = some_work();
  result.number = 30;
  result.name = "worker 17 (squarer)";
  result.is_leaving = true;
  result.in_flight = 31;
  result.running_since = libpool::instant{32s};
  return result;
}

libpool::all_workers_stats all_work() {
  libpool::all_workers_stats result;
  static_cast<libpool::worker_stats&>(result) = some_work();
  for (auto time : {0ms, 5ms, 5ms, 2'000ms, 9'000'000ms}) {
    result.waits.record(time);
    result.services.record(2 * time);
  }
  result.waited = 18s;
  return result;
}

} // namespace

TEST_CASE_FIXTURE(world, "the stats of a pool are complete on another node") {
  libpool::pool_stats stats;
  stats.workers = 1;
  stats.refused = 2;
  stats.tasks = {21, 22, 23, 24, 25, 26, 27, 28, 29};
  stats.taken = libpool::instant{8s};
  stats.policy = "shared_queue";
  stats.members = {some_member(), {}};
  stats.total = all_work();
  stats.departed = {9, 10, 11};
  stats.capacity = 12;
  stats.refusals.add(errc::queue_full, 13);
  stats.errors.add(errc::not_connected, 14);
  stats.oldest_waiting = libpool::instant{15s};
  stats.restarts = 3;
  stats.held = 4;
  stats.lost_homes = 5;
  stats.gathered = 6;
  stats.hedged = 7;
  stats.flows = {some_flow(), {}};
  auto there = sent(stats);
  CHECK(caf::deep_to_string(there) == caf::deep_to_string(stats));
  CHECK(there.tasks.cancelled == 29);
  REQUIRE(there.members.size() == 2);
  CHECK(there.members[0].in_flight == 31);
  CHECK(there.members[0].max_service == 15ms);
  CHECK(there.members[0].running_since == libpool::instant{32s});
  CHECK(there.departed.ended == 11);
  CHECK(there.refusals[errc::queue_full] == 13);
  CHECK(there.errors[errc::not_connected] == 14);
  CHECK(there.longest_running == libpool::never);
  CHECK(there.hedged == 7);
  REQUIRE(there.flows.size() == 2);
  CHECK(there.flows[0].lag == -7ns);
  CHECK(there.flows[1].waiting_since == libpool::never);
  for (auto percent : {0.0, 40.0, 80.0, 100.0})
    CHECK(there.total.waits.percentile(percent)
          == stats.total.waits.percentile(percent));
  CHECK(there.total.services.percentile(80) >= 4s);
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
  libpool::pipeline_stats stats{1, 2, 3, 4, 5, 6, 7, 8, {}};
  stats.stages = {{"parse", 11, 12, 13, 14, 15}, {}};
  auto there = sent(stats);
  CHECK(caf::deep_to_string(there) == caf::deep_to_string(stats));
  CHECK(there.waiting == 8);
  REQUIRE(there.stages.size() == 2);
  CHECK(there.stages[0].failed == 15);
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
