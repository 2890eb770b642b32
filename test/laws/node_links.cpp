#include "support/link_world.hpp"
#include "support/soak.hpp"
#include "support/state_search.hpp"

#include <doctest/doctest.h>

#include <string>

// Each case goes through all that can happen to sessions and leases in its
// setting, with the real state machines: messages take any time, connections
// close with what is under way, either end learns of that at any time, or looks
// at its clock late, while quarters of leases pass.

namespace {

using test::link_setting;

test::exploration explore(const link_setting& how) {
  return test::state_search<test::link_world, link_setting, test::link_step>{
    how}
    .run();
}

void holds(const std::string& name, const link_setting& how) {
  auto all = explore(how);
  CHECK_MESSAGE(all.wrong.empty(), name, ": ", all.wrong, ", after ",
                all.trace_length, " steps:\n", all.trace);
  CHECK(all.states > 1000);
  MESSAGE(name, ": ", all.states, " states, ", all.steps,
          " steps between them, the longest run has ", all.longest);
}

std::string fault_of(const link_setting& how) {
  auto all = explore(how);
  MESSAGE(all.states, " states until a violation, after ", all.trace_length,
          " steps:\n", all.trace);
  return all.wrong;
}

link_setting one_node() {
  link_setting how;
  how.members = 1;
  how.until = test::soaks() ? 6 : 4;
  return how;
}

} // namespace

// -- the promises ------------------------------------------------------------

TEST_CASE("a task of one node has one outcome, and does not run twice") {
  holds("one node", one_node());
}

TEST_CASE("a repeatable task runs again after its node starts nothing more") {
  auto how = one_node();
  how.retries = 1;
  holds("one node, a retry", how);
}

TEST_CASE("a task that two nodes could run has one outcome, and does not run "
          "twice") {
  link_setting how;
  how.until = test::soaks() ? 1 : 0;
  holds("two nodes", how);
}

// -- broken machines, which the exploration has to find -----------------------

TEST_CASE("the exploration finds a pool that ignores the lease of a "
          "disconnected node") {
  auto how = one_node();
  how.retries = 1;
  how.does_not_wait = true;
  CHECK(fault_of(how) == "a node that was given up begins a task");
}

TEST_CASE("the exploration finds a node that counts its lease too long") {
  auto how = one_node();
  how.longer = 3;
  CHECK(fault_of(how) == "a node that was given up begins a task");
}

TEST_CASE("the exploration finds a node that ignores its lease") {
  auto how = one_node();
  how.ignores_lease = true;
  CHECK(fault_of(how) == "a node that was given up begins a task");
}

TEST_CASE(
  "the exploration finds a pool that keeps the older sessions of a node") {
  auto how = one_node();
  how.forgets_nodes = true;
  CHECK(fault_of(how) == "a node serves in two sessions at once");
}

TEST_CASE("the exploration finds a pool that sends tasks before the node is "
          "ready") {
  auto how = one_node();
  how.admits_at_once = true;
  CHECK(fault_of(how) == "a node that has not begun to serve is sent a task");
}
