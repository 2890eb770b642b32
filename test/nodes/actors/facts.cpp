/// What handlers at nodes can see of their tasks.

#include "libpool/pool.hpp"
#include "support/nodes_world.hpp"

#include <caf/all.hpp>
#include <doctest/doctest.h>

#include <chrono>
#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace actors_nodes_facts_tests {

using libpool::actor_pool;
using libpool::running_task;
using libpool::this_task;
using test::scripted;
using namespace std::chrono_literals;

namespace {

/// Returns the function of a name for each message.
std::function<std::string(const libpool::message_content&)>
named(const std::string& prefix) {
  return [prefix](const libpool::message_content& content) {
    return prefix + std::to_string(content.get_as<int>(0));
  };
}

struct world : test::nodes_world {
  world() {
    options.id_of = libpool::flow_by<int>([](int x) { return x; });
    options.trace_of = named("trace ");
  }

  /// A worker that notes its tasks after it has answered.
  scripted::script noting() {
    return [this](scripted& self) -> caf::behavior {
      return {[this, &self](int x) {
        auto promise = self.make_response_promise();
        promise.deliver(x);
        tasks.push_back(this_task(&self));
        return promise;
      }};
    };
  }

  std::vector<running_task> tasks;
};

} // namespace

TEST_CASE_FIXTURE(world, "a handler at a node sees the number, the deadline, "
                         "the id and the trace of its task in the pool") {
  options.deadline = 10s;
  SUBCASE("from its local pool") {}
  SUBCASE("if the local pool gathers") {
    offer.choose = test::gathering;
  }
  make();
  join(noting());
  join(noting());
  for (auto x = 1; x <= 4; ++x)
    submit(x);
  REQUIRE(tasks.size() == 4);
  for (auto i = 0; i < 4; ++i) {
    const auto& task = tasks[static_cast<std::size_t>(i)];
    auto x = std::to_string(i + 1);
    CHECK(task.number() == static_cast<std::uint64_t>(i + 1));
    CHECK(task.attempt() == 1);
    CHECK(task.deadline() == libpool::instant{system().clock().now()} + 10s);
    CHECK(task.id() == x);
    CHECK(task.trace() == "trace " + x);
    CHECK_FALSE(task.stop_requested());
  }
}

TEST_CASE_FIXTURE(world, "the deadline at a node is the earlier one of the "
                         "pool and of the node") {
  offer.pool.deadline = 5s;
  auto soonest = 5s;
  SUBCASE("the pool has none") {}
  SUBCASE("that of the pool is later") {
    options.deadline = 10s;
  }
  SUBCASE("that of the pool is earlier") {
    options.deadline = soonest = 2s;
  }
  begin(noting());
  submit(1);
  CHECK(tasks.at(0).deadline()
        == libpool::instant{system().clock().now()} + soonest);
}

TEST_CASE_FIXTURE(world, "a node names the id and the trace of a task that has "
                         "none in the pool") {
  options.id_of = {};
  options.trace_of = nullptr;
  offer.pool.id_of = libpool::flow_by<int>([](int x) { return -x; });
  offer.pool.trace_of = named("node ");
  begin(noting());
  submit(1);
  CHECK(tasks.at(0).number() == 1);
  CHECK(tasks.at(0).id() == "-1");
  CHECK(tasks.at(0).trace() == "node 1");
}

TEST_CASE_FIXTURE(world, "a handler at a node sees attempts of the pool and of "
                         "the node together") {
  options.on_crash = libpool::retry{3};
  offer.pool.on_crash = libpool::retry{1};
  offer.pool.restart.pause = 0ns;
  offer.pool.restart.max = 10;
  begin([this](scripted& self) -> caf::behavior {
    return {[this, &self](int x) {
      tasks.push_back(this_task(&self));
      if (tasks.size() < 3)
        test::crash();
      return x;
    }};
  });
  auto request = submit(1);
  wait(1s);
  REQUIRE(tasks.size() == 3);
  CHECK(result_of(request) == 1);
  CHECK(tasks[0].attempt() == 1);
  CHECK(tasks[1].attempt() == 2);
  CHECK(tasks[2].attempt() == 2); // the pool does not count attempts of nodes
  for (const auto& each : tasks)
    CHECK(each.number() == 1);
}

TEST_CASE_FIXTURE(world, "messages of a batch have facts of their own, and "
                         "those of a handler that runs on are kept") {
  begin([this](scripted& self) -> caf::behavior {
    return {
      [this, &self](int) {
        tasks.push_back(this_task(&self));
        holders.push_back(&self);
        promises.push_back(self.make_response_promise());
        return promises.back();
      },
      [this](caf::ok_atom, std::size_t i, int x) {
        std::move(promises.at(i)).deliver(x);
      },
    };
  });
  request_all(1, 3);
  for (std::size_t i = 0; i < 3; ++i) {
    REQUIRE(tasks.size() == i + 1);
    deliver(i, 0);
    wait(100ms);
  }
  CHECK(tasks[0].id() == "1");
  CHECK(tasks[1].id() == "2");
  CHECK(tasks[2].id() == "3");
  CHECK(tasks[2].number() == 3);
}

} // namespace actors_nodes_facts_tests
