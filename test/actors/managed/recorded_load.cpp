/// Simulations of scenarios that are made of recordings of pools.

#include "libpool/observability/timeline/timeline.hpp"
#include "poolsim/from_trace.hpp"
#include "poolsim/reading.hpp"
#include "poolsim/simulation.hpp"
#include "support/managed_world.hpp"

#include <caf/all.hpp>
#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <map>
#include <random>
#include <sstream>
#include <string>
#include <vector>

namespace managed_recorded_load_tests {

using namespace std::chrono_literals;

using libpool::actor_pool;
using libpool::duration;
using libpool::instant;
using test::scripted;

namespace {

struct message {
  duration at;
  duration service;
};

/// A pool whose handlers take the times of messages, in virtual time.
struct world : test::managed_world {
  world() {
    options.busy_until = libpool::busy_until::answer;
  }

  ~world() {
    finish();
    for (auto& each : by_worker)
      exit(each);
  }

  scripted::script taking_time() {
    return [this](scripted& self) -> caf::behavior {
      return {
        [this, &self](int x) {
          holders.push_back(&self);
          begun.push_back(static_cast<std::size_t>(x));
          promises.push_back(self.make_response_promise());
          return promises.back();
        },
        [this](caf::ok_atom, std::size_t i, int x) {
          auto promise = std::move(promises.at(i));
          promise.deliver(x);
        },
      };
    };
  }

  /// Has a pool of `workers` workers handle the messages, and records it.
  libpool::recording record(const libpool::policy& policy, std::size_t workers,
                            const std::vector<message>& all) {
    pool = actor_pool::make(system(), policy);
    for (std::size_t i = 0; i < workers; ++i) {
      by_worker.push_back(system().spawn<scripted>(taking_time()));
      CHECK(put(by_worker.back()).is_empty());
    }
    actor_pool::record(pool, {1h});
    std::multimap<duration, std::size_t> ends; // numbers of runs
    std::size_t sent = 0;
    for (duration now{0}; sent < all.size() || !ends.empty();) {
      auto next = sent < all.size() ? all[sent].at : duration::max();
      auto ends_first = !ends.empty() && ends.begin()->first <= next;
      auto time = ends_first ? ends.begin()->first : next;
      advance(time - now);
      now = time;
      if (ends_first) {
        deliver(ends.begin()->second, 0);
        ends.erase(ends.begin());
      } else {
        request(static_cast<int>(sent++));
      }
      for (; known < begun.size(); ++known)
        ends.emplace(now + all[begun[known]].service, known);
    }
    return actor_pool::recorded(pool);
  }

  std::vector<caf::actor> by_worker;
  std::vector<std::size_t> begun; // messages, by run
  std::size_t known = 0;          // runs
};

/// Returns messages at random times, with random service times.
std::vector<message> drawn(std::size_t count, duration gap, duration service) {
  std::minstd_rand bits{7};
  auto draw = [&](duration mean) {
    auto share = static_cast<double>(bits()) / 2147483648.0;
    auto ns = -std::log(1 - share) * static_cast<double>(mean.count());
    return duration{static_cast<duration::rep>(ns)};
  };
  std::vector<message> result;
  duration now{0};
  for (std::size_t i = 0; i < count; ++i) {
    result.push_back({now, draw(service)});
    now += draw(gap);
  }
  return result;
}

poolsim::scenario scenario_of(const libpool::recording& recorded,
                              const std::string& policy) {
  std::stringstream trace;
  libpool::write_trace(trace, libpool::timeline_of(recorded));
  std::ostringstream out;
  poolsim::write_scenario(out, trace.str());
  auto text = out.str();
  const std::string usual = "shared_queue";
  return poolsim::read_scenario(
    text.replace(text.find(usual), usual.size(), policy));
}

/// Checks that the times differ by at most 5 %.
void check_near(duration simulated, duration live) {
  CAPTURE(simulated.count());
  CAPTURE(live.count());
  CHECK(std::abs(simulated.count() - live.count()) * 20 <= live.count());
}

/// Checks that the pool and its simulation have the same makespan and the same
/// mean wait.
void check_agreement(const libpool::recording& live,
                     const poolsim::scenario& scenario) {
  auto first = instant::max();
  auto last = instant::min();
  duration waits{0};
  for (const auto& each : live.runs) {
    first = std::min(first, each.accepted);
    last = std::max(last, each.ended);
    waits += each.started - each.accepted;
  }
  REQUIRE(live.runs.size() > 100);
  auto mean = waits / static_cast<duration::rep>(live.runs.size());
  CHECK(mean > 1ms);
  auto simulated = poolsim::simulate(scenario);
  CHECK(simulated.books.completed == live.runs.size());
  check_near(simulated.makespan, last - first);
  check_near(simulated.latency.wait.mean, mean);
}

} // namespace

TEST_CASE_FIXTURE(world, "the simulation of a recorded shared queue has the "
                         "makespan and the mean wait of the pool") {
  auto live = record(actor_pool::shared_queue(options), 3,
                     drawn(400, 4ms, 10ms));
  auto scenario = scenario_of(live, "shared_queue");
  CHECK(scenario.workers.size() == 3);
  CHECK(scenario.tasks.front().kind == live.kinds.at(1));
  check_agreement(live, scenario);
}

TEST_CASE_FIXTURE(world, "the simulation of a recorded pool whose messages get "
                         "their workers on arrival has the makespan and the "
                         "mean wait of the pool") {
  auto live = record(actor_pool::least_used(options), 4, drawn(400, 3ms, 10ms));
  check_agreement(live, scenario_of(live, "least_used"));
}

TEST_CASE_FIXTURE(world, "the simulation of a recorded pool with two flows has "
                         "the makespan and the mean wait of the pool, and of "
                         "each flow") {
  // One message of ten is of the second flow.
  libpool::flow_options flows;
  flows.flow_of = libpool::flow_by<int>([](int x) { return x % 10 / 9; });
  auto live = record(actor_pool::fair_queuing(flows, options), 2,
                     drawn(400, 4ms, 8ms));
  auto scenario = scenario_of(live, "fair_queuing");
  CHECK(scenario.flows.size() == 2);
  check_agreement(live, scenario);
  auto simulated = poolsim::simulate(scenario);
  for (const auto& flow : simulated.flows) {
    duration waits{0};
    duration::rep count = 0;
    for (const auto& each : live.runs)
      if (live.flows[each.flow] == flow.name) {
        waits += each.started - each.accepted;
        ++count;
      }
    REQUIRE(count > 0);
    check_near(flow.latency.wait.mean, waits / count);
  }
}

} // namespace managed_recorded_load_tests
