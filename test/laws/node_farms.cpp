#include "node_farm.hpp"
#include "support/soak.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

// A pool with several nodes, under everything that can happen to machines and
// to the lines between them. Each seed is one course of events, and the
// same one each time.

namespace {

using test::farm_setting;
using test::node_farm;

std::uint64_t seeds() {
  if (test::soaks())
    return 100'000;
  return test::sanitized() ? 1'000 : 30'000;
}

void holds(const farm_setting& how) {
  std::map<std::string, std::uint64_t> sum;
  for (std::uint64_t seed = 1; seed <= seeds(); ++seed) {
    node_farm world{how, seed};
    auto wrong = world.run();
    REQUIRE_MESSAGE(wrong.empty(), "seed ", seed, ": ", wrong);
    auto seen = world.seen();
    CHECK(seen["completed"] + seen["failed"] + seen["cancelled"] == how.tasks);
    for (const auto& [what, times] : seen)
      sum[what] += times;
  }
  for (const auto& [what, times] : sum)
    MESSAGE(times, " ", what);
  for (const auto* what :
       {"lost", "given back", "cancelled", "unread", "resumed", "strays"})
    CHECK(sum[what] > 0);
}

/// The first thing that is found to be wrong.
std::string fault_of(const farm_setting& how) {
  for (std::uint64_t seed = 1; seed <= seeds(); ++seed)
    if (auto wrong = node_farm{how, seed}.run(); !wrong.empty()) {
      MESSAGE("seed ", seed);
      return wrong;
    }
  return {};
}

farm_setting with_retry() {
  farm_setting how;
  how.retries = 1;
  return how;
}

} // namespace

TEST_CASE("each task of a pool with several nodes has one outcome, and does "
          "not run twice") {
  holds({});
}

TEST_CASE("a task is repeated at another node only after its first node can no "
          "longer start tasks") {
  holds(with_retry());
}

TEST_CASE("message contents that exceed the limit of bytes in flight to a node "
          "are sent to the node one after the other") {
  farm_setting how;
  how.largest = 10'000;
  how.tasks = 6;
  how.nodes = 2;
  holds(how);
}

// -- owners that are wrong, which has to be found -----------------------------

TEST_CASE("the test detects deliberate mistakes of pools, nodes and streams") {
  struct mistake {
    bool farm_setting::*is_made;
    farm_setting how;
    std::set<std::string> expected; // any of these
  };
  const std::string runs_twice{
    "a task begins although another node may run it"};
  const std::vector<mistake> all{
    // A pool repeats the tasks of a silent node before the lease of the node
    // has expired.
    {&farm_setting::does_not_wait, with_retry(), {runs_twice}},
    // A node starts tasks after its lease has expired.
    {&farm_setting::ignores_lease, with_retry(), {runs_twice}},
    // A pool retries a task before the node of the task has returned the task
    // or was given up.
    {&farm_setting::takes_back_unasked, {}, {runs_twice}},
    // A pool forgets the tasks that a node has returned.
    {&farm_setting::loses_what_comes_back, {}, {"a task never has an outcome"}},
    // A pool resumes the session of a node after the tasks of the node went to
    // other nodes.
    {&farm_setting::resumes_what_has_ended, with_retry(), {runs_twice}},
    // A pool that was suspended gives nodes up before it has read their
    // messages.
    {&farm_setting::does_not_listen,
     {},
     {"a node is given up although the pool has not listened to it"}},
    // A message stream delivers a message twice.
    {&farm_setting::delivers_again,
     {},
     {"a result arrives twice", "a task begins without its content",
      "a node does not have the contents of its waiting tasks"}},
    // A pool accepts messages for the session of one node over the connection
    // of another node.
    {&farm_setting::trusts_all_nodes,
     {},
     {"a task is reported as ended although it has not ended",
      "a task is given back although it has begun", runs_twice}},
  };
  for (const auto& each : all) {
    auto how = each.how;
    how.*each.is_made = true;
    auto found = fault_of(how);
    CAPTURE(found);
    CHECK(each.expected.count(found) == 1);
  }
}
