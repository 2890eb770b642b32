/// Flows that come and go, and their rows in the stats.

#include "libpool/core/errc.hpp"
#include "libpool/policies/exact_fair_queuing.hpp"
#include "support/fair_world.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

using libpool::errc;
using libpool::fair_queuing_options;
using libpool::flow_key;
using test::fair_world;
using test::guessing;
using names = fair_world::names;
using namespace std::chrono_literals;

namespace {

constexpr std::size_t shared_queues = 64;

struct flows_world : fair_world {
  explicit flows_world(const fair_queuing_options& how = guessing(10ns))
    : fair_world(how) {
    join();
  }

  std::size_t known() const {
    return dynamic_cast<const libpool::exact_fair_queuing&>(*policies.order)
      .known_flows();
  }

  std::vector<std::string> listed(std::size_t most) const {
    std::vector<std::string> result;
    for (const auto& each : pool.flows(most))
      result.push_back(each.name);
    return result;
  }
};

using texts = std::vector<std::string>;

fair_queuing_options remembering(libpool::duration time) {
  auto result = guessing(10ns);
  result.debt_memory = time;
  return result;
}

fair_queuing_options of_flows(std::size_t most) {
  auto result = guessing(10ns);
  result.most_flows = most;
  return result;
}

/// Another name that shares the queue of `name`.
std::string sharing_with(const std::string& name) {
  auto queue = flow_key{name}.hash() % shared_queues;
  for (auto i = 0;; ++i) {
    auto result = "other " + std::to_string(i);
    if (flow_key{result}.hash() % shared_queues == queue)
      return result;
  }
}

std::string queue_of(const std::string& name) {
  return "shared " + std::to_string(flow_key{name}.hash() % shared_queues);
}

} // namespace

// A flow that comes back in debt goes on where it was, any other at V = 0.
TEST_CASE("a flow without tasks keeps its debt, the service beyond its share, "
          "for the time that the options state") {
  for (auto pause : {0ns, 49ns, 50ns}) {
    CAPTURE(pause.count());
    flows_world w{remembering(50ns)};
    w.submit("a");
    w.serve(0, 100ns); // next = 100, V = 0
    w.now += pause;
    w.submit("holder");
    w.submit("a");
    CHECK(w.lag("a") == (pause < 50ns ? -100 : 0));
  }
}

TEST_CASE("the time for which a flow keeps its debt begins at the last end of "
          "a task of the flow") {
  flows_world w{remembering(50ns)};
  for (std::size_t i = 0; i < 3; ++i) {
    w.submit("a");
    w.serve(i, 40ns);
    w.now += 40ns;
  }
  w.submit("x"); // the turns of a were at 0, 40 and 80 = V; next = 120
  CHECK(w.lag("a") == -40);
}

TEST_CASE("the debt of a flow is paid when the virtual clock has reached the "
          "start tag of the flow") {
  flows_world w;
  w.submit("a");
  w.serve(0, 40ns); // next = 40
  for (auto i = 0; i < 6; ++i)
    w.submit("b"); // turns at 0, 10, …
  for (std::size_t i = 1; i < 5; ++i) {
    CHECK(w.lag("a") == 10 * static_cast<int>(i - 1) - 40);
    w.serve(i, 10ns);
  }
  CHECK(w.lag("a") == 0); // V = 40
  w.serve(5, 10ns);
  w.submit("a"); // at V = 50 rather than at 40
  CHECK(w.lag("a") == 0);
}

// A task that costs nothing leaves no debt.
TEST_CASE(
  "fair queuing keeps about 1024 flows that have neither tasks nor debts") {
  flows_world w;
  for (std::size_t i = 0; i < 3000; ++i) {
    w.submit(static_cast<int>(i));
    w.finish(i);
  }
  CHECK(w.known() >= 1000);
  CHECK(w.known() <= 1100);
}

TEST_CASE(
  "fair queuing keeps all flows with debts until the debts are forgiven") {
  flows_world w{remembering(1s)};
  for (std::size_t i = 0; i < 2000; ++i) {
    w.submit(static_cast<int>(i));
    w.serve(i, 1ns); // V = 0 all the time
  }
  CHECK(w.known() == 2000);
  w.now += 1s;
  for (std::size_t i = 2000; i < 3000; ++i) {
    w.submit(static_cast<int>(i));
    w.finish(i);
  }
  CHECK(w.known() <= 1100);
}

TEST_CASE("if there are more flows than the options allow, the further flows "
          "share queues") {
  flows_world w{of_flows(2)};
  w.submit("holder");
  w.submit("a");
  w.submit("b");
  w.submit("b");
  w.submit(sharing_with("b"));
  CHECK(w.known() == 2);
  CHECK_FALSE(w.row("b"));
  REQUIRE(w.row(queue_of("b")));
  CHECK(w.row(queue_of("b"))->waiting == 3);
  // a and the shared queue take turns.
  names order;
  while (!w.running().empty()) {
    order.push_back(w.running().front());
    w.serve(order.back(), 10ns);
  }
  CHECK(order.size() == 5);
  CHECK(w.row(queue_of("b"))->served == 3);
}

// b has had nothing for its turn at 0, and a has turns at 10, 20, … 50 = V.
TEST_CASE("the start tag of a shared queue that was idle is the time of the "
          "virtual clock") {
  flows_world w{of_flows(1)};
  w.submit("a");
  w.submit("b");
  w.serve(0, 10ns);
  for (auto i = 0; i < 6; ++i)
    w.submit("a");
  w.finish(1);
  for (std::size_t i = 2; i < 6; ++i)
    w.serve(i, 10ns);
  w.submit("b");
  CHECK(w.lag(queue_of("b")) == 0);
  CHECK(w.lag("a") == -10);
}

// The search for such a flow is short: a few of all queues, 64 shared ones
// included.
TEST_CASE("a flow with neither tasks nor debt is removed when a new flow needs "
          "its place") {
  flows_world w{of_flows(2)};
  w.submit("a");
  w.submit("b");
  w.finish(0);
  for (auto i = 0; i < 30; ++i) {
    w.submit(i);
    CHECK(w.known() == 2);
  }
  CHECK_FALSE(w.row("a"));
  CHECK(w.row("b")); // runs
}

TEST_CASE("a flow with neither tasks nor debt is removed for a new flow, even "
          "if tasks of new flows were refused before") {
  auto how = of_flows(2);
  how.queue_limit = 1;
  flows_world w{how};
  w.submit("a");
  w.submit("b");
  w.finish(0);
  for (auto i = 0; i < 100; ++i)
    w.submit(64);
  CHECK(w.row("64"));
  CHECK_FALSE(w.row("a"));
}

TEST_CASE(
  "a queue limit refuses only tasks of the flow that has reached the limit") {
  auto how = guessing(10ns);
  how.queue_limit = 2;
  flows_world w{how};
  w.submit("holder");
  for (auto i = 0; i < 4; ++i)
    w.submit("a");
  w.submit("b");
  CHECK(w.refusal(2) == errc{});
  CHECK(w.refusal(3) == errc::flow_full);
  CHECK(w.refusal(4) == errc::flow_full);
  CHECK(w.refusal(5) == errc{});
  CHECK(w.row("a")->refused == 2);
  CHECK(w.row("b")->refused == 0);
}

TEST_CASE("flows that share a queue also share the maximum number of waiting "
          "tasks of this queue") {
  auto how = of_flows(1);
  how.queue_limit = 1;
  flows_world w{how};
  w.submit("holder");
  w.submit("b");
  w.submit(sharing_with("b"));
  CHECK(w.refusal(1) == errc{});
  CHECK(w.refusal(2) == errc::flow_full);
}

TEST_CASE("a flow whose limit is used up by tasks that wait for particular "
          "workers still accepts a task that can start at once") {
  auto how = guessing(10ns);
  how.queue_limit = 1;
  flows_world w{how};
  w.submit("holder");
  auto& held = w.add("a");
  held.where = &w.only_on({0});
  w.submit(held);
  w.join();
  auto begins = w.submit("a");
  CHECK(w.runs(begins));
  CHECK(w.refusal(w.submit("a")) == errc::flow_full);
}

TEST_CASE(
  "the statistics of a shared queue include the number of refused tasks") {
  auto how = of_flows(1);
  how.queue_limit = 1;
  flows_world w{how};
  w.submit("holder");
  w.submit("b");
  w.submit("b");
  CHECK(w.row(queue_of("b"))->refused == 1);
}

TEST_CASE("the statistics list a flow even if all of its tasks were refused") {
  libpool::limits within;
  within.capacity = 0;
  fair_world w{guessing(10ns), within};
  w.submit("a");
  w.submit("a");
  REQUIRE(w.row("a"));
  CHECK(w.row("a")->refused == 2);
  CHECK(w.row("a")->waiting == 0);
}

// One seat: a waits for 30, then for 40 ns, b for 50.
TEST_CASE("the statistics of a flow include its service time and its mean "
          "waiting time") {
  flows_world w;
  w.submit("holder"); // at 0
  w.submit("a");
  w.serve(0, 30ns);
  w.submit("a"); // at 30, as the first one begins
  w.serve(1, 40ns);
  w.submit("b"); // at 70, as the second one begins
  w.submit("b");
  auto a = *w.row("a");
  CHECK(a.served == 1);
  CHECK(a.running == 1);
  CHECK(a.waiting == 0);
  CHECK(a.seat_time == 40ns);
  CHECK(a.mean_wait == 30ns);
  CHECK(w.row("b")->waiting == 2);
  w.serve(2, 50ns);
  a = *w.row("a");
  CHECK(a.served == 2);
  CHECK(a.running == 0);
  CHECK(a.seat_time == 90ns);
  CHECK(a.waited == 70ns);
  CHECK(a.mean_wait == 35ns);
}

TEST_CASE(
  "the row of a flow counts the service time of a task once for each seat") {
  fair_world w{guessing(10ns)};
  w.join(4);
  w.submit("a", 3);
  w.serve(0, 7ns);
  CHECK(w.row("a")->seat_time == 21ns);
}

TEST_CASE("the statistics list flows by number of waiting tasks, and at most "
          "the requested number of flows") {
  flows_world w;
  w.submit("runs");
  for (const auto* flow : {"one", "three", "two", "three", "two", "three"})
    w.submit(flow);
  w.join();
  w.join();
  // three and one are the next two to go: 0 + 2, 2 and 0 wait.
  CHECK(w.listed(9) == texts{"three", "two", "one", "runs"});
  CHECK(w.listed(2) == texts{"three", "two"});
  CHECK(w.listed(0).empty());
}

TEST_CASE("the statistics list flows with equal numbers of waiting tasks by "
          "service, then by name") {
  flows_world w;
  for (const auto* flow : {"b", "a", "c", "c"}) {
    w.submit(flow);
    w.serve(w.tasks.size() - 1, 1ns);
  }
  CHECK(w.listed(9) == texts{"c", "a", "b"});
}
