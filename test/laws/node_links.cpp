#include "support/link_search.hpp"

#include <doctest/doctest.h>

// Each case goes through all that can happen to sessions, leases and tasks in
// its setting, with the real state machines of both ends: messages take any
// time or are lost, lines are interrupted, either end looks at its clock late,
// fronts end or stand still and other fronts follow, while quarters of leases
// pass. The numbers of states are no expectations, they are printed.

namespace {

using test::at_length;
using test::difference;
using test::fault_of;
using test::holds;
using test::link_setting;

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
  holds("one node", how);
}

TEST_CASE("a session survives an interrupted connection, and a task is "
          "repeated only after its node can no longer start tasks") {
  auto how = one_node();
  how.retries = 1;
  how.drops = at_length(0U, 1U);
  how.cuts = 1;
  how.until = at_length(3, 4);
  holds("a line that is interrupted", how);
}

TEST_CASE("a task of an expelled node is repeated only after the node can no "
          "longer start tasks") {
  auto how = one_node();
  how.retries = 1;
  how.drops = at_length(0U, 1U);
  how.expelled = 1;
  holds("an expelled node", how);
}

TEST_CASE("a node that leaves finishes its running tasks, and then the pool "
          "permits the node to end") {
  auto how = one_node();
  how.drops = 2;
  how.leaving = 1;
  how.until = at_length(2, 4);
  holds("a node that leaves", how);
}

TEST_CASE(
  "a node program that restarts does not get the tasks of its previous run") {
  auto how = one_node();
  how.retries = 1;
  how.drops = at_length(0U, 1U);
  how.restarts = 1;
  how.until = at_length(2, 3);
  holds("a program that begins anew", how);
}

TEST_CASE(
  "a task that the pool withdraws from a node comes back unless it has begun") {
  auto how = one_node();
  how.tasks = 2;
  how.unwanted = at_length(1U, 2U);
  how.until = 1;
  holds("tasks that are not wanted", how);
}

TEST_CASE("a task that two nodes could run has one outcome, and does not run "
          "twice") {
  auto how = two_nodes();
  how.drops = at_length(0U, 1U);
  how.until = 1;
  holds("two nodes", how);
}

TEST_CASE("a task that a node gives back runs once, at another node") {
  auto how = two_nodes();
  how.tasks = 3;
  how.shares = true;
  how.drops = at_length(0U, 1U);
  holds("nodes that share", how);
}

TEST_CASE(
  "a task of a node that leaves runs at another node unless it has begun") {
  auto how = two_nodes();
  how.tasks = at_length(1U, 2U);
  how.shares = true;
  how.leaving = 1;
  holds("nodes of which one leaves", how);
}

TEST_CASE("a node cannot send messages in the name of another node") {
  auto how = two_nodes();
  how.forgeries = at_length(1U, 2U);
  holds("nodes that speak for others", how);
}

TEST_CASE("a node runs no task of a front that it no longer serves, each task "
          "has one outcome at its own front, and the latest front alone gets "
          "the node in the end") {
  auto how = two_fronts();
  SUBCASE("when messages are lost") {
    how.drops = at_length(1U, 2U);
    how.until = at_length(0, 1);
    how.room = at_length(3U, 2U);
    holds("two fronts", how);
  }
  SUBCASE("when the line is interrupted") {
    how.cuts = 1;
    how.drops = at_length(0U, 1U);
    holds("two fronts with a line that is interrupted", how);
  }
  SUBCASE("when tasks are given back, or lost and run again") {
    how.unwanted = how.expelled = how.retries = 1;
    how.drops = at_length(0U, 1U);
    holds("two fronts with tasks that come back", how);
  }
  SUBCASE("when the program of the node begins anew") {
    how.tasks = at_length(0U, 1U);
    how.restarts = 1;
    holds("two fronts with a program that begins anew", how);
  }
  SUBCASE("when a third front follows") {
    how.fronts = 2;
    how.tasks = at_length(0U, 1U);
    how.room = 2;
    holds("three fronts", how);
  }
  SUBCASE("when time passes") {
    how.tasks = 0;
    how.room = 2;
    how.until = at_length(1, 3);
    holds("two fronts and their clocks", how);
  }
}

TEST_CASE("a node that leaves while two fronts run has the permission of the "
          "front that it serves") {
  auto how = two_fronts();
  how.leaving = 1;
  how.drops = at_length(0U, 1U);
  holds("two fronts and a node that leaves", how);
}

TEST_CASE("a front that stood still gives a node up only after it has listened "
          "for a quarter of a lease") {
  auto how = slow_front();
  how.tasks = at_length(0U, 1U);
  holds("a front that stands still", how);
}

TEST_CASE("two simulated worlds with the same serialized state behave in the "
          "same way from then on") {
  auto how = one_node();
  how.retries = 1;
  how.cuts = how.expelled = how.restarts = how.unwanted = 1;
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
  how = two_fronts();
  how.drops = how.cuts = how.pauses = how.leaving = 1;
  how.until = 4;
  CHECK(difference(how) == "");
  CHECK(difference(slow_front()) == "");
}

// -- owners that are wrong, which the exploration has to find -----------------

TEST_CASE("the state search detects a pool that repeats tasks of an expelled "
          "node before the lease of the node has expired") {
  auto how = one_node();
  how.retries = 1;
  how.expelled = 1;
  how.does_not_wait = true;
  CHECK(fault_of(how) == "a task begins although another node may run it");
}

TEST_CASE("the state search detects a node that takes its lease to be longer "
          "than the pool does") {
  auto how = one_node();
  how.longer = 3;
  CHECK(fault_of(how) == "a node that was given up begins a task");
}

TEST_CASE("the state search detects a node that starts tasks after its lease "
          "has expired") {
  auto how = one_node();
  how.ignores_lease = true;
  CHECK(fault_of(how) == "a node that was given up begins a task");
}

TEST_CASE(
  "the state search detects a pool that keeps the older sessions of a node") {
  auto how = one_node();
  how.forgets_nodes = true;
  CHECK(fault_of(how) == "a node has two sessions at once");
}

TEST_CASE("the state search detects a pool that sends tasks to a node before "
          "the node has begun to serve") {
  auto how = one_node();
  how.admits_at_once = true;
  CHECK(fault_of(how) == "a node that has not begun to serve is sent a task");
}

TEST_CASE(
  "the state search detects a pool that resumes a session that has ended") {
  auto how = one_node();
  how.resumes_what_has_ended = true;
  CHECK(fault_of(how) == "a node that was given up begins a task");
}

TEST_CASE("the state search detects a pool that accepts messages for the "
          "session of one node over the connection of another node") {
  auto how = two_nodes();
  how.forgeries = 1;
  how.trusts_all_nodes = true;
  CHECK(fault_of(how)
        == "a task is reported as ended although it has not ended");
}

TEST_CASE("the state search detects a leaving node that does not repeat its "
          "message 'bye' until the pool has answered") {
  auto how = one_node();
  how.leaving = 1;
  how.until = 1;
  how.says_bye_once = true;
  CHECK(fault_of(how) == "a node that leaves never gets a confirmation");
}

TEST_CASE("the state search detects a node that runs tasks of older fronts") {
  auto how = two_fronts();
  how.node_ignores_epochs = true;
  CHECK(fault_of(how)
        == "a node begins a task of a front that it no longer serves");
}

TEST_CASE("the state search detects a node that ends its session because an "
          "older front does not know the session") {
  auto how = two_fronts();
  how.obeys_all_fronts = true;
  CHECK(fault_of(how) == "a node never serves the latest front");
}

TEST_CASE("the state search detects a node that joins an older front although "
          "the newer front answers") {
  auto how = two_fronts();
  how.takes_all_welcomes = true;
  CHECK(fault_of(how) == "a node never serves the latest front");
}

TEST_CASE("the state search detects a front that takes results for another "
          "front as its own") {
  auto how = two_fronts();
  how.until = 1;
  how.front_ignores_epochs = true;
  CHECK(fault_of(how)
        == "a result for one front settles a task of another front");
}

TEST_CASE("the state search detects a node that tells a result twice") {
  auto how = one_node();
  how.drops = 0;
  how.tells_results_twice = true;
  CHECK(fault_of(how) == "a result is told twice");
}

TEST_CASE(
  "the state search detects a front that stood still and gives nodes up "
  "before it has listened") {
  auto how = slow_front();
  how.forgives_no_pause = true;
  CHECK(fault_of(how)
        == "a front that stood still gives a node up before it has listened");
}
