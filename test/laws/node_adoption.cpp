#include "link_search.hpp"

#include <vector>

#include <doctest/doctest.h>

// Tasks of a durable queue in the searched states of node_links.cpp: the queue
// gives a task to a front, and to the next front if that front ends or stands
// still. The next front asks the node that has begun the task.

namespace laws_node_adoption_tests {

using test::at_length;
using test::difference;
using test::finds;
using test::holds;
using test::link_setting;

/// A queue, a node, and a front that is followed by another one. The second
/// front may stop waiting for nodes at any time.
link_setting queue() {
  link_setting how;
  how.nodes = 1;
  how.drops = 0;
  how.fronts = 1;
  how.until = 0;
  how.adopts = 0;
  how.room = 2;
  how.queue = true;
  return how;
}

TEST_CASE("a task of the queue begins at most once without retries, is settled "
          "once, and the node that has begun it answers the next front") {
  auto how = queue();
  SUBCASE("when fronts end or stand still") {
    how.room = at_length(2U, 3U);
    holds(how);
  }
  SUBCASE("when messages are lost") {
    how.drops = at_length(1U, 2U);
    holds(how);
  }
  SUBCASE("when the line is interrupted") {
    how.cuts = 1;
    how.drops = at_length(0U, 1U);
    holds(how);
  }
  SUBCASE("when the node begins anew") {
    how.restarts = 1;
    how.all_end = at_length(true, false);
    how.until = at_length(1, 0);
    holds(how);
  }
  SUBCASE("when the node leaves") {
    how.leaving = 1;
    how.drops = at_length(0U, 1U);
    holds(how);
  }
  SUBCASE("when two nodes could run the task") {
    how.nodes = 2;
    how.all_end = true;
    how.until = at_length(0, 1);
    holds(how);
  }
  SUBCASE("when a stored result is told to the node") {
    how.tasks = 2;
    how.all_end = at_length(true, false);
    how.until = at_length(1, 0);
    holds(how);
  }
  SUBCASE("when the queue gives the task twice to the same front") {
    how.repeats = true;
    how.all_end = at_length(true, false);
    how.until = at_length(1, 0);
    holds(how);
  }
}

TEST_CASE(
  "a task of the queue begins again at most as often as retries allow") {
  auto how = queue();
  how.retries = 1;
  how.drops = 1;
  how.restarts = at_length(0U, 1U);
  holds(how);
}

TEST_CASE("a front asks each node that joins it in time for the tasks that the "
          "node has begun") {
  auto how = queue();
  how.tasks = at_length(0U, 1U);
  how.until = how.adopts = 1;
  holds(how);
}

TEST_CASE("two simulated worlds with a queue and the same serialized state "
          "behave in the same way from then on") {
  auto how = queue();
  how.retries = how.restarts = how.drops = 1;
  how.tasks = 2;
  how.until = 4;
  CHECK(difference(how) == "");
}

TEST_CASE("the state search detects deliberate mistakes with adopted tasks") {
  auto restarting = queue();
  restarting.restarts = 1;
  auto with_results = queue();
  with_results.tasks = 2;
  with_results.all_end = true;
  with_results.until = 1;
  auto repeating = queue();
  repeating.fronts = 0;
  repeating.repeats = true;
  finds({
    {&link_setting::forgets_begun_tasks, queue(),
     "a front does not ask a node that has begun the task"},
    {&link_setting::runs_at_once, restarting,
     "task 1 of the queue begins more often than allowed"},
    {&link_setting::forgets_sent_results, queue(),
     "a front does not ask a node that has begun the task"},
    {&link_setting::tells_settled_early, with_results,
     "a front does not ask a node that has begun the task"},
    {&link_setting::adopts_own_tasks, repeating,
     "a node counts its tasks wrongly"},
  });
}

} // namespace laws_node_adoption_tests
