#include "support/protocol_model.hpp"
#include "support/soak.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <string>

using test::explore;
using test::protocol_setting;

// Each case goes through all that can happen in its setting, with the real
// state machines: any task is sent to any node at any time, any thief asks at
// any time, deadlines pass and nodes are lost at any time. The numbers of
// states are no expectations, they are printed.

namespace {

void holds(const std::string& name, const protocol_setting& how) {
  auto all = explore(how);
  CHECK_MESSAGE(all.wrong.empty(), name, ": ", all.wrong, ", after ",
                all.trace_length, " steps:\n", all.trace);
  CHECK(all.ends > 0);
  MESSAGE(name, ": ", all.states, " states, ", all.steps,
          " steps between them, the longest run has ", all.longest);
}

/// The errors that the exploration finds.
std::string fault_of(const protocol_setting& how) {
  auto all = explore(how);
  MESSAGE(all.states, " states until a violation, after ", all.trace_length,
          " steps:\n", all.trace);
  return all.wrong;
}

protocol_setting tasks(std::size_t count) {
  protocol_setting how;
  how.tasks = count;
  how.requests = test::soaks() ? 2 : 1; // per thief
  return how;
}

} // namespace

// -- the promises of the protocol ---------------------------------------------

TEST_CASE(
  "three tasks on two nodes run at most once, and have one outcome each") {
  holds("three tasks", tasks(3));
}

TEST_CASE("three tasks run again only if they may") {
  auto how = tasks(3);
  how.retries = 1;
  holds("three tasks, retry", how);
}

TEST_CASE(
  "each task has an outcome even if handlers crash and both nodes are lost") {
  auto how = tasks(3);
  how.requests = 1;
  how.retries = 1;
  how.crashes = 1;
  how.losses = 2;
  holds("crashes and losses", how);
}

TEST_CASE("the protocol holds even if messages overtake each other") {
  auto how = tasks(2);
  how.overtakes = true;
  holds("overtaking", how);
}

TEST_CASE(
  "the protocol holds even if the last messages of a lost node arrive") {
  auto how = tasks(3);
  how.requests = 1;
  how.retries = 1;
  how.has_last_words = true;
  holds("last words", how);
}

TEST_CASE("a disconnected node runs no task that another node runs") {
  auto how = tasks(3);
  how.requests = 1;
  how.cuts_off = true;
  holds("cut off", how);
}

// -- broken promises, which the exploration has to find -----------------------

TEST_CASE("a disconnected node may run a task that another node runs if tasks "
          "are retried") {
  auto how = tasks(2);
  how.cuts_off = true;
  how.retries = 1;
  CHECK(fault_of(how) == "task 1 runs on two nodes at once");
}

TEST_CASE("the exploration finds a message that arrives twice") {
  auto how = tasks(2);
  how.duplicates = 1;
  CHECK(fault_of(how) == "task 1 has 2 owners");
}

TEST_CASE("the exploration finds a message that is lost") {
  auto how = tasks(2);
  how.vanishing = 1;
  CHECK(fault_of(how) == "task 1 has 0 owners");
}

TEST_CASE("the exploration finds a node loss that the pool does not hear of") {
  auto how = tasks(2);
  how.is_silent = true;
  CHECK(fault_of(how) == "task 1 never has an outcome");
}
