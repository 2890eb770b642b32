#include "link_search.hpp"

#include <vector>

#include <doctest/doctest.h>

// Each case goes through all that can happen to sessions, leases and tasks in
// its setting, with the real state machines of both ends: messages take any
// time or are lost, lines are interrupted, either end looks at its clock late,
// fronts end or stand still and other fronts follow, while quarters of leases
// pass. The numbers of states are no expectations, they are printed.

namespace {

using test::at_length;
using test::difference;
using test::finds;
using test::holds;
using test::link_setting;
using test::sanitized;

/// Long enough for a lease to run out.
link_setting one_node() {
  link_setting how;
  how.nodes = 1;
  how.until = 4;
  return how;
}

/// A front that is followed by another one.
link_setting two_fronts() {
  link_setting how;
  how.nodes = 1;
  how.drops = 0;
  how.fronts = 1;
  how.until = 0;
  return how;
}

/// A front that stands still for long enough that leases run out.
link_setting slow_front() {
  link_setting how;
  how.nodes = 1;
  how.tasks = 0;
  how.drops = 0;
  how.pauses = 1;
  how.until = 5;
  how.room = 2;
  return how;
}

/// Two fronts of one client: the client is the pool, and the fronts are its
/// nodes. Any front may be slow, as if it was suspended.
link_setting fronts_of_a_client() {
  link_setting how;
  how.one_address = true;
  how.drops = 0;
  how.until = 0;
  return how;
}

link_setting two_nodes() {
  link_setting how;
  how.until = 0;
  return how;
}

} // namespace

// -- the promises ------------------------------------------------------------

TEST_CASE("a task of one node has one outcome, and does not run twice, even if "
          "messages are lost") {
  auto how = one_node();
  how.drops = at_length(1U, 3U);
  holds(how);
}

TEST_CASE("a session survives an interrupted connection, and a task is "
          "repeated only after its node can no longer start tasks") {
  auto how = one_node();
  how.retries = 1;
  how.drops = at_length(0U, 1U);
  how.cuts = 1;
  how.until = at_length(3, 4);
  holds(how);
}

TEST_CASE("a task of an expelled node is repeated only after the node can no "
          "longer start tasks") {
  auto how = one_node();
  how.retries = 1;
  how.drops = at_length(0U, 1U);
  how.expelled = 1;
  holds(how);
}

TEST_CASE("a node that leaves finishes its running tasks, and then the pool "
          "permits the node to end") {
  auto how = one_node();
  how.drops = 2;
  how.leaving = 1;
  how.until = at_length(2, 4);
  holds(how);
}

TEST_CASE(
  "a node program that restarts does not get the tasks of its previous run") {
  auto how = one_node();
  how.retries = 1;
  how.drops = at_length(0U, 1U);
  how.restarts = 1;
  how.until = at_length(2, 3);
  holds(how);
}

TEST_CASE(
  "a task that the pool withdraws from a node comes back unless it has begun, "
  "and the handler of a task that no client waits for is asked to stop") {
  auto how = one_node();
  how.tasks = 2;
  how.until = 1;
  SUBCASE("when no client waits") {
    how.unwanted = at_length(1U, 2U);
    holds(how);
  }
  SUBCASE("when the pool wants it back") {
    how.recalls = at_length(1U, 2U);
    how.tasks = at_length(1U, 2U);
    holds(how);
  }
  SUBCASE("when the line is interrupted") {
    how.tasks = how.unwanted = how.cuts = 1;
    how.drops = at_length(0U, 1U);
    holds(how);
  }
  SUBCASE("when the node is expelled, or begins anew") {
    how.tasks = how.unwanted = how.retries = how.expelled = how.restarts = 1;
    how.drops = 0;
    holds(how);
  }
}

TEST_CASE("a task that two nodes could run has one outcome, and does not run "
          "twice") {
  auto how = two_nodes();
  how.drops = at_length(0U, 1U);
  how.until = 1;
  holds(how);
}

TEST_CASE("a task that a node gives back runs once, at another node") {
  auto how = two_nodes();
  how.tasks = 3;
  how.shares = true;
  how.drops = at_length(0U, 1U);
  holds(how);
}

TEST_CASE(
  "a task of a node that leaves runs at another node unless it has begun") {
  auto how = two_nodes();
  how.tasks = at_length(1U, 2U);
  how.shares = true;
  how.leaving = 1;
  holds(how);
}

TEST_CASE("a node cannot send messages in the name of another node") {
  auto how = two_nodes();
  how.forgeries = at_length(1U, 2U);
  holds(how);
}

TEST_CASE("a node runs no task of a front that it no longer serves, each task "
          "has one outcome at its own front, and the latest front alone gets "
          "the node in the end") {
  auto how = two_fronts();
  SUBCASE("when messages are lost") {
    how.drops = at_length(1U, 2U);
    how.until = at_length(0, 1);
    how.room = at_length(3U, 2U);
    holds(how);
  }
  SUBCASE("when the line is interrupted") {
    how.cuts = 1;
    how.drops = at_length(0U, 1U);
    holds(how);
  }
  SUBCASE("when tasks are given back, or lost and run again") {
    how.unwanted = how.expelled = how.retries = 1;
    how.drops = at_length(0U, 1U);
    holds(how);
  }
  SUBCASE("when the program of the node begins anew") {
    how.tasks = at_length(0U, 1U);
    how.restarts = 1;
    holds(how);
  }
  SUBCASE("when a third front follows") {
    how.fronts = 2;
    how.tasks = at_length(0U, 1U);
    how.room = 2;
    holds(how);
  }
  SUBCASE("when time passes") {
    how.tasks = 0;
    how.room = 2;
    how.until = at_length(1, 3);
    holds(how);
  }
}

TEST_CASE(
  "a client has one front at a time, also if a front that was suspended "
  "comes back, and in the end the one whose turn is the latest") {
  auto how = fronts_of_a_client();
  SUBCASE("when messages are lost") {
    how.drops = at_length(1U, 2U);
    holds(how);
  }
  SUBCASE("when lines are interrupted") {
    how.cuts = 1;
    holds(how);
  }
  SUBCASE("when time passes") {
    how.tasks = at_length(0U, 1U);
    how.room = 2;
    how.until = at_length(1, 2);
    holds(how);
  }
  SUBCASE("when no client waits any more") {
    how.unwanted = how.drops = 1;
    holds(how);
  }
}

TEST_CASE("a node that leaves while two fronts run has the permission of the "
          "front that it serves") {
  auto how = two_fronts();
  how.leaving = 1;
  how.drops = at_length(0U, 1U);
  holds(how);
}

TEST_CASE("a front that stood still gives a node up only after it has listened "
          "for a quarter of a lease") {
  auto how = slow_front();
  how.tasks = at_length(0U, 1U);
  holds(how);
}

// -- random runs --------------------------------------------------------------

/// Tasks with contents, several in a message and several at a time.
link_setting many_tasks() {
  link_setting how;
  how.tasks = 24;
  how.nodes = 3;
  how.slots = 2;
  how.portion = 3;
  how.largest = 1'000;
  how.shares = true;
  how.drops = 8;
  how.cuts = how.forgeries = how.unwanted = how.recalls = how.unread = 3;
  how.expelled = how.leaving = how.restarts = how.pauses = 1;
  how.parts = 4;
  how.until = 48;
  how.room = 1000;
  return how;
}

void check_walks(const link_setting& how) {
  using fate = libpool::node_connections::fate;
  const std::uint64_t seeds = test::soaks() ? 100'000
                              : sanitized() ? 100
                                            : 2'000;
  std::map<fate, std::size_t> released;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    auto wrong = test::walk(how, seed, released);
    REQUIRE_MESSAGE(wrong.empty(), "seed ", seed, ":\n", wrong);
  }
  for (auto each :
       {fate::crashed, fate::lost, fate::given_back, fate::unread}) {
    CAPTURE(static_cast<int>(each));
    CHECK(released[each] > 0);
  }
}

TEST_CASE("each of many tasks has one outcome, and does not run twice") {
  check_walks(many_tasks());
}

TEST_CASE(
  "a task of many is repeated at another node only after its first node "
  "can no longer start tasks") {
  auto how = many_tasks();
  how.retries = 1;
  check_walks(how);
}

TEST_CASE("message contents that exceed the limit of bytes in flight to a node "
          "are sent to the node one after the other") {
  auto how = many_tasks();
  how.largest = 10'000;
  how.tasks = 6;
  how.nodes = 2;
  check_walks(how);
}

TEST_CASE("two simulated worlds with the same serialized state behave in the "
          "same way from then on") {
  auto how = one_node();
  how.retries = 1;
  how.cuts = how.expelled = how.restarts = how.unwanted = how.recalls = 1;
  CHECK(difference(how) == "");
  how = one_node();
  how.drops = 2;
  how.leaving = 1;
  CHECK(difference(how) == "");
  how = two_nodes();
  how.tasks = 3;
  how.shares = true;
  how.forgeries = 1;
  CHECK(difference(how) == "");
  how = fronts_of_a_client();
  how.drops = how.cuts = 1;
  CHECK(difference(how) == "");
  how = two_fronts();
  how.drops = how.cuts = how.pauses = how.leaving = 1;
  how.until = 4;
  CHECK(difference(how) == "");
  CHECK(difference(slow_front()) == "");
}

// -- owners that are wrong, which the exploration has to find -----------------

TEST_CASE("the state search detects deliberate mistakes of pools and nodes") {
  auto expelled = one_node();
  expelled.retries = expelled.expelled = 1;
  auto leaving = one_node();
  leaving.leaving = 1;
  leaving.until = 1;
  auto forging = two_nodes();
  forging.forgeries = 1;
  auto fronts_with_time = two_fronts();
  fronts_with_time.until = 1;
  auto lossless = one_node();
  lossless.drops = 0;
  auto unwanted = lossless;
  unwanted.unwanted = 1;
  auto recalling = lossless;
  recalling.recalls = 1;
  finds({
    {&link_setting::does_not_wait, expelled,
     "a task begins although another node may run it"},
    {&link_setting::ignores_lease, one_node(),
     "a node that was given up begins a task"},
    {&link_setting::takes_lease_for_longer, one_node(),
     "a node that was given up begins a task"},
    {&link_setting::forgets_nodes, one_node(),
     "a node has two sessions at once"},
    {&link_setting::admits_at_once, one_node(),
     "a node that has not begun to serve is sent a task"},
    {&link_setting::resumes_what_has_ended, one_node(),
     "a node that was given up begins a task"},
    {&link_setting::trusts_all_nodes, forging,
     "a task is reported as ended although it has not ended"},
    {&link_setting::says_bye_once, leaving,
     "a node that leaves never gets a confirmation"},
    {&link_setting::node_ignores_epochs, two_fronts(),
     "a node begins a task of a front that it no longer serves"},
    {&link_setting::obeys_all_fronts, two_fronts(),
     "a node never serves the latest front"},
    {&link_setting::takes_all_welcomes, two_fronts(),
     "a node never serves the latest front"},
    {&link_setting::front_ignores_epochs, fronts_with_time,
     "a result for one front settles a task of another front"},
    {&link_setting::takes_welcomes_of_others, fronts_of_a_client(),
     "a task arrives although it is not in flight"},
    {&link_setting::ignores_stops, unwanted,
     "a handler that no client waits for is not asked to stop"},
    {&link_setting::tells_results_twice, lossless, "a result is told twice"},
    {&link_setting::delivers_again, one_node(),
     "a task arrives although it is not in flight"},
    {&link_setting::takes_back_unasked, unwanted,
     "a task begins although another node may run it"},
    {&link_setting::loses_what_comes_back, recalling,
     "task 1 never has an outcome"},
    {&link_setting::forgives_no_pause, slow_front(),
     "a front that stood still gives a node up before it has listened"},
  });
}
