/// Flows that come and go, and their rows in the stats.

#include "libpool/core/errc.hpp"
#include "libpool/policies/order/exact_fair_queuing.hpp"
#include "support/policy_world.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

using libpool::errc;
using libpool::fair_queuing_options;
using libpool::flow_key;
using test::guessing;
using namespace std::chrono_literals;

namespace {

constexpr std::size_t shared_queues = 64;

struct flows_world : test::policy_world {
  explicit flows_world(const fair_queuing_options& how = guessing(10ns),
                       const libpool::limits& within = {})
    : policy_world(how, within) {
    seat();
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

  /// So many flows have one task each.
  void come_and_go(int first, int last, libpool::duration time) {
    for (auto i = first; i < last; ++i)
      end_after(submit(i), time);
  }
};

using texts = std::vector<std::string>;

fair_queuing_options remembering(libpool::duration time) {
  auto result = guessing(10ns);
  result.debt_memory = time;
  return result;
}

fair_queuing_options of_flows(std::size_t most,
                              std::optional<std::size_t> queue_limit = {}) {
  auto result = guessing(10ns);
  result.most_flows = most;
  result.queue_limit = queue_limit;
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

// -- debts --------------------------------------------------------------------

// A flow that comes back in debt goes on where it was, any other at V = 0.
TEST_CASE("a flow without tasks keeps its debt, the service beyond its share, "
          "for the time that the options state") {
  for (auto pause : {0ns, 49ns, 50ns}) {
    CAPTURE(pause.count());
    flows_world w{remembering(50ns)};
    w.submit("a");
    w.end_after(0, 100ns); // next = 100, V = 0
    w.now += pause;
    w.submit("holder");
    w.submit("a");
    CHECK(w.lag("a") == (pause < 50ns ? -100 : 0));
  }
}

// A task that costs nothing leaves no debt; 1 ns does, as V = 0 all the time.
TEST_CASE("fair queuing keeps all flows with debts until the debts are "
          "forgiven, and of other flows about 1024") {
  flows_world w{remembering(1s)};
  w.come_and_go(0, 2000, 1ns);
  CHECK(w.known() == 2000);
  w.now += 1s;
  w.come_and_go(2000, 5000, 0ns);
  CHECK(w.known() >= 1000);
  CHECK(w.known() <= 1100);
}

// -- more flows than are allowed ----------------------------------------------

TEST_CASE("if there are more flows than the options allow, the further flows "
          "share queues, their limits and their rows in the statistics") {
  flows_world w{of_flows(2, 3)};
  w.submit("holder");
  w.submit("a");
  w.submit("b");
  w.submit("b");
  w.submit(sharing_with("b"));
  CHECK(w.refusal(w.submit("b")) == errc::flow_full);
  CHECK(w.known() == 2);
  CHECK_FALSE(w.row("b"));
  REQUIRE(w.row(queue_of("b")));
  CHECK(w.row(queue_of("b"))->waiting == 3);
  CHECK(w.row(queue_of("b"))->refused == 1);
  CHECK(w.served(10ns).size() == 5);
  CHECK(w.row(queue_of("b"))->served == 3);
}

// b has had nothing for its turn at 0, and a has turns at 10, 20, … 50 = V.
TEST_CASE("the start tag of a shared queue that was idle is the time of the "
          "virtual clock") {
  flows_world w{of_flows(1)};
  w.submit("a");
  w.submit("b");
  w.end_after(0, 10ns);
  for (auto i = 0; i < 6; ++i)
    w.submit("a");
  w.finish(1);
  for (std::size_t i = 2; i < 6; ++i)
    w.end_after(i, 10ns);
  w.submit("b");
  CHECK(w.lag(queue_of("b")) == 0);
  CHECK(w.lag("a") == -10);
}

// The search for such a flow is short: a few of all queues, 64 shared ones
// included.
TEST_CASE("a flow with neither tasks nor debt is removed when a new flow needs "
          "its place, even if tasks of new flows are refused before") {
  for (auto limit : {std::optional<std::size_t>{}, std::optional{1UL}}) {
    flows_world w{of_flows(2, limit)};
    w.submit("a");
    w.submit("b");
    w.finish(0);
    for (auto i = 0; i < 100; ++i) {
      w.submit(limit ? 64 : i);
      CHECK((limit || w.known() == 2));
    }
    CHECK_FALSE(w.row("a"));
    CHECK(w.row(limit ? "64" : "b")); // b runs
  }
}

// -- limits -------------------------------------------------------------------

TEST_CASE("a flow whose limit is used up by tasks that wait for particular "
          "workers still accepts a task that can start at once") {
  flows_world w{of_flows(1024, 1)};
  w.submit("holder");
  auto& held = w.add("a");
  held.own_notes().where = &w.only_on({0});
  w.submit(held);
  w.seat();
  CHECK(w.runs(w.submit("a")));
  CHECK(w.refusal(w.submit("a")) == errc::flow_full);
}

// -- statistics ---------------------------------------------------------------

TEST_CASE("the statistics list a flow even if all of its tasks were refused") {
  libpool::limits within;
  within.capacity = 0;
  flows_world w{guessing(10ns), within};
  w.retire(0);
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
  w.end_after(0, 30ns);
  w.submit("a"); // at 30, as the first one begins
  w.end_after(1, 40ns);
  w.submit("b"); // at 70, as the second one begins
  w.submit("b");
  auto a = *w.row("a");
  CHECK(a.served == 1);
  CHECK(a.running == 1);
  CHECK(a.waiting == 0);
  CHECK(a.seat_time == 40ns);
  CHECK(a.mean_wait == 30ns);
  CHECK(w.row("b")->waiting == 2);
  w.end_after(2, 50ns);
  a = *w.row("a");
  CHECK(a.served == 2);
  CHECK(a.running == 0);
  CHECK(a.seat_time == 90ns);
  CHECK(a.waited == 70ns);
  CHECK(a.mean_wait == 35ns);
}

TEST_CASE("the statistics list at most the requested number of flows, by "
          "number of waiting tasks, then by service, then by name") {
  flows_world w;
  w.submit("runs");
  for (const auto* flow : {"one", "three", "two", "three", "two", "three"})
    w.submit(flow);
  w.seat();
  w.seat();
  // three and one are the next two to go: 0 + 2, 2 and 0 wait.
  CHECK(w.listed(9) == texts{"three", "two", "one", "runs"});
  CHECK(w.listed(2) == texts{"three", "two"});
  CHECK(w.listed(0).empty());
  flows_world v;
  for (const auto* flow : {"b", "a", "c", "c"})
    v.end_after(v.submit(flow), 1ns);
  CHECK(v.listed(9) == texts{"c", "a", "b"});
}

TEST_CASE("a list of the longest flows compares a limited number of thousands "
          "of flows") {
  constexpr auto flows = 5'000;
  flows_world w{of_flows(100'000)};
  for (auto flow = 0; flow < flows; ++flow)
    w.submit(flow);
  for (auto [flow, more] : {std::pair{4321, 4}, {17, 16}, {2345, 8}})
    for (auto i = 0; i < more; ++i)
      w.submit(flow);
  auto compared = 0;
  libpool::flow_supplement counting;
  counting.complete = [&](std::uint64_t, libpool::flow_stats&) { ++compared; };
  auto rows = w.policies.order->longest_flows(3, counting);
  REQUIRE(rows.size() == 3);
  CHECK(rows[0].name == "17");
  CHECK(rows[1].name == "2345");
  CHECK(rows[2].name == "4321");
  CHECK(compared <= 2'048);
}

TEST_CASE("a flow that was long is not listed before a flow that is longer "
          "now") {
  constexpr auto flows = 3'000;
  flows_world w{of_flows(100'000)};
  for (auto i = 0; i < 40; ++i)
    w.submit("past");
  CHECK(w.served(1ns).size() == 40);
  for (auto flow = 0; flow < flows; ++flow)
    w.submit(flow);
  for (auto i = 0; i < 3; ++i)
    w.submit("present");
  CHECK(w.listed(1) == texts{"present"});
}

TEST_CASE("flows are also listed by the waiting messages that others know") {
  constexpr auto flows = 3'000;
  flows_world w{of_flows(100'000)};
  for (auto flow = 0; flow < flows; ++flow)
    w.submit(flow);
  libpool::flow_supplement more;
  more.also = {flow_key{1500}.hash()};
  more.complete = [&](std::uint64_t flow, libpool::flow_stats& row) {
    row.waiting += flow == more.also.front() ? 7U : 0U;
  };
  auto rows = w.policies.order->longest_flows(1, more);
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].name == "1500");
  CHECK(rows[0].waiting == 8);
}
