/// What can be known of a managed pool while it runs.

#include "support/managed_world.hpp"

#include <caf/all.hpp>
#include <doctest/doctest.h>

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace managed_facts_tests {

using namespace std::chrono_literals;

using libpool::errc;
using libpool::never;
using libpool::outcome;
using test::managed_world;
using test::scripted;

namespace {

/// A message takes as many milliseconds as it says, or crashes its worker below
/// zero.
struct world : managed_world {
  world() {
    on_settled = [this](const libpool::settled_task& task) {
      settled.push_back(task);
      settled.back().worker = nullptr;
      settled.back().client = nullptr;
    };
  }

  void populate(std::size_t n) {
    managed_world::populate(n, [this](scripted&) -> caf::behavior {
      return {[this](int x) {
                if (x < 0)
                  test::crash();
                pass(std::chrono::milliseconds{x});
                if (during)
                  during();
              },
              [](const std::string&, double) {}};
    });
  }

  libpool::pool_stats summary() const {
    return libpool::actor_pool::summary(pool);
  }

  std::vector<libpool::settled_task> settled;
  std::function<void()> during;
};

} // namespace

TEST_CASE_FIXTURE(world, "refused and failed tasks, retries and workers that "
                         "leave are counted by reason") {
  options.capacity = 1;
  options.on_crash = libpool::retry{2};
  populate(6);
  client.ask(pool, -1);
  for (auto i = 0; i < 5; ++i)
    client.send(pool, 1);
  run();
  auto all = workers();
  kill(all.at(0));
  exit(all.at(1), caf::exit_reason::user_shutdown);
  run();
  client.ask(pool, caf::sys_atom{}, caf::delete_atom{}, all.at(2));
  auto told = summary();
  CHECK(told.refused > 0);
  CHECK(told.refusals.sum() == told.refused);
  CHECK(told.refusals[errc::queue_full] == told.refused);
  CHECK(told.capacity == 1);
  CHECK(told.errors[errc::retries_exhausted] == 1);
  CHECK(told.errors.sum() == 1);
  CHECK(told.retries == 2);
  CHECK(told.departed.crashed == 4);
  CHECK(told.departed.ended == 1);
  CHECK(told.departed.removed == 1);
}

TEST_CASE_FIXTURE(world,
                  "a message that is sent while the pool handles another "
                  "fact is accepted at this time") {
  auto tell = on_settled;
  on_settled = [this, tell](const libpool::settled_task& task) {
    if (settled.empty())
      client.send(pool, 3);
    tell(task);
  };
  populate(1);
  client.send(pool, 2);
  run();
  REQUIRE(settled.size() == 2);
  CHECK(settled[1].accepted == settled[0].settled);
  CHECK(stats().total.waited == 0ns);
}

TEST_CASE_FIXTURE(world, "workers that a pool stops when it ends do not count "
                         "as workers that have left") {
  populate(3);
  kill(workers().front());
  run();
  SUBCASE("by an exit message") {
    exit(pool, caf::exit_reason::user_shutdown);
  }
  SUBCASE("by draining") {
    libpool::actor_pool::drain(pool);
  }
  run();
  auto told = summary();
  CHECK(told.workers == 0);
  CHECK(told.departed.crashed == 1);
  CHECK(told.departed.ended + told.departed.removed == 0);
}

TEST_CASE_FIXTURE(
  world,
  "a pool reports since when the oldest task waits and the longest one runs, "
  "and means of zero if no task has ended") {
  populate(2);
  CHECK(stats().members.at(0).mean_service == 0ns);
  CHECK(stats().members.at(0).mean_wait == 0ns);
  CHECK(summary().oldest_waiting == never);
  CHECK(summary().longest_running == never);
  std::optional<libpool::pool_stats> told;
  std::optional<libpool::pool_stats> all;
  during = [&] {
    if (!told) {
      told = summary();
      all = stats();
    }
  };
  auto sent = summary().taken;
  for (auto i = 0; i < 5; ++i)
    client.send(pool, 3);
  run();
  REQUIRE(told);
  CHECK(told->oldest_waiting == sent);
  CHECK(told->longest_running == sent);
  CHECK(told->taken == sent + 3ms);
  CHECK(told->tasks.running == 1); // the other worker has not been scheduled
  CHECK(told->busy == 2);
  CHECK(told->members.empty());
  CHECK(all->members.at(0).running_since == sent);
  CHECK(all->members.at(1).running_since == never);
  CHECK(all->members.at(1).number == 1);
}

TEST_CASE_FIXTURE(world, "a summary of a pool equals the stats of the pool "
                         "without the list of workers, and has histograms of "
                         "service and waiting times") {
  options.capacity = 100;
  populate(1);
  client.send(pool, 4);
  client.send(pool, 8);
  run();
  auto told = summary();
  CHECK(told.total.services.count() == 2);
  CHECK(told.total.services.percentile(50) >= 4ms);
  CHECK(told.total.services.percentile(50) < 5ms);
  CHECK(told.total.busy == 12ms);
  CHECK(told.total.waited >= 4ms);
  CHECK(told.total.mean_wait == told.total.waited / 2);
  auto all = stats();
  CHECK(all.members.size() == 1);
  all.members.clear();
  CHECK(caf::deep_to_string(told) == caf::deep_to_string(all));
}

TEST_CASE_FIXTURE(world,
                  "the difference of two stats covers the time in between") {
  populate(1);
  client.send(pool, 1);
  client.ask(pool, 1);
  auto earlier = summary();
  client.send(pool, 100);
  client.ask(pool, -1);
  auto between = summary().since(earlier);
  CHECK(between.tasks.accepted == 2);
  CHECK(between.tasks.completed == 1);
  CHECK(between.errors[errc::worker_crashed] == 1);
  CHECK(between.departed.crashed == 1);
  CHECK(between.total.services.count() == 2);
  CHECK(between.total.services.percentile(100) >= 100ms);
  CHECK(between.total.services.percentile(50) < 1ms);
  CHECK(between.total.busy == 100ms);
  CHECK(between.total.mean_service == 50ms);
  CHECK(between.workers == summary().workers);
}

TEST_CASE_FIXTURE(world,
                  "a settled task reports its type, its trace and its worker, "
                  "and is refused if trace_of throws") {
  options.trace_of = [](const libpool::message_content& content) {
    if (content.match_elements<caf::ok_atom>())
      test::crash();
    return content.match_elements<int>() ? "00-0af7-b7ad-01" : "";
  };
  populate(2);
  client.send(pool, 1);
  client.send(pool, std::string{"text"}, 1.0);
  run();
  REQUIRE(settled.size() == 2);
  auto is_int = settled[0].trace.empty() ? 1U : 0U;
  CHECK(settled[is_int].trace == "00-0af7-b7ad-01");
  auto kind = settled[is_int].kind;
  CHECK((kind == "i32" || kind == "int32_t")); // as the CAF has it
  CHECK(settled[1 - is_int].kind.find(", double") != std::string::npos);
  CHECK(settled[0].worker_number != settled[1].worker_number);
  CHECK(settled[0].node.empty());
  CHECK(client.ask(pool, caf::ok_atom{}).error() == errc::policy_failed);
}

// -- slow tasks ---------------------------------------------------------------

TEST_CASE_FIXTURE(
  world, "a task that has run for long is reported, at most once a second") {
  options.slow_after = 50ms;
  std::vector<libpool::slow_task> slow;
  options.on_slow = [&](const libpool::slow_task& task) {
    slow.push_back(task);
    slow.back().worker = nullptr;
    slow.back().client = nullptr;
  };
  populate(1);
  client.send(pool, 49);
  run();
  CHECK(slow.empty());
  for (auto i = 0; i < 4; ++i)
    client.send(pool, 60);
  run();
  REQUIRE(slow.size() == 1);
  CHECK(slow[0].untold == 0);
  CHECK(slow[0].settled - slow[0].started == 60ms);
  advance(1s);
  client.send(pool, 70);
  run();
  REQUIRE(slow.size() == 2);
  CHECK(slow[1].untold == 3);
  CHECK(describe(slow[1]).find("ran for 70 ms on worker 0, after waiting")
        != std::string::npos);
}

TEST_CASE("the error about invalid options for slow tasks names the option") {
  libpool::managed_options options;
  options.on_slow = [](const libpool::slow_task&) {};
  CHECK_THROWS_WITH(check(options), doctest::Contains("slow_after"));
  options.slow_after = 0ms;
  CHECK_THROWS_WITH(check(options), doctest::Contains("slow_after"));
  options.slow_after = 1ms;
  CHECK_NOTHROW(check(options));
  options.measure_times = false;
  CHECK_THROWS_WITH(check(options), doctest::Contains("measure_times"));
}

// -- recordings ---------------------------------------------------------------

TEST_CASE_FIXTURE(world,
                  "a pool records its last runs after record was called") {
  populate(1);
  client.send(pool, 1);
  run();
  CHECK(libpool::actor_pool::recorded(pool).runs.empty());
  libpool::actor_pool::record(pool, {1s});
  auto begun = summary().taken;
  client.send(pool, 2);
  client.send(pool, -1);
  run();
  auto runs = libpool::actor_pool::recorded(pool).runs;
  REQUIRE(runs.size() == 2);
  CHECK(runs[0].started == begun);
  CHECK(runs[0].ended == begun + 2ms);
  CHECK(runs[0].worker == libpool::worker_number{0});
  CHECK(runs[1].how == outcome::failed);
  CHECK(runs[1].why == errc::worker_crashed);
  CHECK(libpool::actor_pool::recorded(pool, begun + 3ms).runs.empty());
  advance(1s + 1ms);
  CHECK(libpool::actor_pool::recorded(pool).runs.empty());
  CHECK(libpool::actor_pool::recorded(pool).forgotten == 2);
  libpool::actor_pool::record(pool, {});
  client.send(pool, 1);
  run();
  CHECK(libpool::actor_pool::recorded(pool).runs.empty());
}

TEST_CASE_FIXTURE(world, "a recording has the runs and the running tasks, with "
                         "the types of the messages, and the waiting tasks, "
                         "without") {
  auto is_int = [](const std::string& kind) { // by the CAF
    return kind == "i32" || kind == "int32_t";
  };
  options.on_settled = nullptr; // no other option asks for the types
  options.capacity = 9;         // each message is a task at once
  populate(1);
  libpool::actor_pool::record(pool, {1s});
  std::vector<libpool::recording> told;
  during = [&] { told.push_back(libpool::actor_pool::recorded(pool)); };
  auto begun = summary().taken;
  client.send(pool, 2);
  client.send(pool, 2);
  run();
  CHECK(libpool::actor_pool::recorded(pool).open.empty());
  client.send(pool, 2);
  client.send(pool, std::string{}, 2.0); // in a task that has had a number
  run();
  REQUIRE(told.size() == 3);
  CHECK(told[2].runs.size() == 2);
  CHECK(told[2].taken == begun + 6ms);
  REQUIRE(told[2].open.size() == 2);
  const auto& running = told[2].open[0];
  CHECK(is_int(told[2].kinds[running.kind]));
  for (const auto& each : told[2].runs)
    CHECK(is_int(told[2].kinds[each.kind]));
  CHECK(running.worker == libpool::worker_number{0});
  CHECK(running.started == begun + 4ms);
  CHECK(running.ended == never);
  const auto& waiting = told[2].open[1];
  CHECK(told[2].kinds[waiting.kind] == "");
  CHECK(!waiting.worker);
  CHECK(waiting.accepted == begun + 4ms);
  CHECK(waiting.started == never);
  exit(pool, caf::exit_reason::user_shutdown);
  pool = nullptr; // without on_settled, nothing to compare its books with
}

TEST_CASE_FIXTURE(
  world, "a task that was settled without a run is recorded with its reason") {
  options.deadline = 5ms;
  populate(1);
  libpool::actor_pool::record(pool, {1s});
  client.send(pool, 10);
  client.send(pool, 1);
  run();
  auto runs = libpool::actor_pool::recorded(pool).runs;
  REQUIRE(runs.size() == 2);
  auto waited = runs[0].worker ? 1U : 0U;
  CHECK(!runs[waited].worker);
  CHECK(runs[waited].started == never);
  CHECK(runs[waited].how == outcome::cancelled);
  CHECK(runs[waited].why == errc::deadline_exceeded);
  CHECK(runs[1 - waited].worker == libpool::worker_number{0});
}

} // namespace managed_facts_tests
