#include "libpool/core/dispatcher.hpp"
#include "support/measuring_world.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

using libpool::assignment;
using libpool::duration;
using libpool::instant;
using libpool::measure;
using test::dispatcher_world;
using test::measured_world;
using test::one_retry;
using namespace std::chrono_literals;

// -- workers ------------------------------------------------------------------

TEST_CASE("a worker joins the placement rule before it becomes available, and "
          "leaves the rule after it becomes unavailable") {
  measured_world w;
  w.join();
  CHECK(w.told() == "joined 0; offered 0");
  w.pause(0);
  CHECK(w.told() == "withdrawn 0");
  w.resume(0);
  CHECK(w.told() == "offered 0");
  w.retire(0);
  CHECK(w.told() == "withdrawn 0; left 0");
  w.pool.joined(w.workers[0], w.now);
  CHECK(w.told() == "joined 0; offered 0");
  w.leave(0);
  CHECK(w.told() == "withdrawn 0; left 0");
}

TEST_CASE("a retired worker leaves the placement rule when all its tasks have "
          "ended or were returned") {
  measured_world w;
  w.join(2);
  w.submit();
  w.submit();
  w.start(0);
  w.told();
  w.retire(0);
  CHECK(w.told() == "");
  w.come_back(1);
  CHECK(w.told() == "task 1 unassigned from 0");
  w.finish(0);
  CHECK(w.told() == "task 0 completed for 0; task 0 unassigned from 0; left 0");
}

TEST_CASE("a paused worker that is dismissed is not reported as unavailable a "
          "second time") {
  measured_world w;
  w.join();
  w.pause(0);
  w.told();
  w.leave(0);
  CHECK(w.told() == "left 0");
}

// -- when tasks begin ---------------------------------------------------------

TEST_CASE("a task is assumed to start when it is sent to an idle worker") {
  measured_world w;
  w.join(3);
  w.told();
  w.at(3);
  w.submit();
  CHECK(w.told() == "task 0 assigned to 0; task 0 began at 3");
  w.submit();
  CHECK(w.told() == "task 1 assigned to 0");
}

TEST_CASE("with eager assignment, a task is assumed to start when it is sent, "
          "not when it is assigned") {
  measured_world w{assignment::eager};
  w.join();
  w.told();
  w.dispatches = false;
  w.submit();
  w.submit();
  CHECK(w.told() == "task 0 assigned to 0; task 1 assigned to 0");
  w.now = dispatcher_world::moment(3);
  w.dispatch();
  CHECK(w.told() == "task 0 began at 3");
}

TEST_CASE(
  "a task is assumed to start when the previous task in the mailbox ends") {
  measured_world w;
  w.join(3);
  w.submit();
  w.submit();
  w.submit();
  w.told();
  w.at(4);
  w.start(0);
  w.at(9);
  w.told();
  w.finish(0);
  CHECK(
    w.told()
    == "task 0 completed for 5; task 0 unassigned from 0; task 1 began at 9; "
       "offered 0");
}

TEST_CASE("a task is assumed to start when the worker returns the previous "
          "task in the mailbox") {
  measured_world w{assignment::lazy, measure::service_time, one_retry};
  w.join(2);
  w.submit_due(5);
  w.submit();
  w.at(5);
  w.told();
  w.at(6);
  w.come_back(0);
  CHECK(w.told() == "task 0 unassigned from 0; task 1 began at 6; offered 0");
}

TEST_CASE("no task is assumed to start when a worker returns a task that was "
          "not first in the mailbox") {
  measured_world w;
  w.join(3);
  w.submit();
  w.submit_due(5);
  w.submit();
  w.at(5);
  w.told();
  w.come_back(1);
  CHECK(w.told() == "task 1 unassigned from 0; offered 0");
}

TEST_CASE(
  "the placement rule is informed if a task starts later than assumed") {
  measured_world w;
  w.join();
  w.submit();
  w.told();
  w.at(4);
  w.start(0);
  CHECK(w.told() == "task 0 began at 4");
  w.at(6);
  w.start(0); // it had been skipped
  CHECK(w.told() == "task 0 began at 6");
  w.start(0);
  CHECK(w.told() == "");
  w.at(9);
  w.finish(0);
  CHECK(w.told()
        == "task 0 completed for 3; task 0 unassigned from 0; offered 0");
}

TEST_CASE("the placement rule is not informed again if a task starts at the "
          "assumed time") {
  measured_world w;
  w.join();
  w.at(2);
  w.submit();
  w.told();
  w.start(0);
  CHECK(w.told() == "");
}

TEST_CASE("the placement rule is informed if the second task in a mailbox "
          "starts before the first") {
  measured_world w;
  w.join(2);
  w.submit();
  w.submit();
  w.told();
  w.at(2);
  w.start(1);
  CHECK(w.told() == "task 1 began at 2");
  w.at(5);
  w.finish(0);
  CHECK(
    w.told()
    == "task 0 began at 5; task 0 completed for 0; task 0 unassigned from 0; "
       "offered 0");
}

TEST_CASE("the placement rule is informed of the second start of a task that "
          "is retried after a crash") {
  measured_world w{assignment::lazy, measure::service_time, one_retry};
  w.join(2);
  w.submit();
  w.start(0);
  w.at(3);
  w.told();
  w.crash(0);
  CHECK(w.told()
        == "task 0 crashed for 3; task 0 unassigned from 0; "
           "task 0 assigned to 0; task 0 began at 3");
  w.at(6);
  w.start(0);
  CHECK(w.told() == "task 0 began at 6");
  w.finish(0);
  CHECK(w.told() == "task 0 completed for 0; task 0 unassigned from 0");
}

TEST_CASE(
  "a task that a worker returns is assumed to start again on its next worker") {
  measured_world w;
  w.join();
  w.at(1);
  w.submit();
  w.told();
  w.come_back(0);
  CHECK(w.told() == "task 0 unassigned from 0; left 0");
  CHECK(w.tasks[0].began == libpool::never);
  w.at(4);
  w.join(2);
  CHECK(w.told()
        == "joined 1; offered 1; task 0 assigned to 1; task 0 began at 4");
}

TEST_CASE(
  "a stolen task is assumed to start on the worker that has stolen the task") {
  measured_world w{assignment::eager, measure::service_time, {}, true};
  w.join();
  w.submit();
  w.submit();
  w.told();
  w.at(2);
  w.join();
  CHECK(
    w.told()
    == "joined 1; offered 1; task 1 unassigned from 0; task 1 assigned to 1; "
       "task 1 began at 2");
}

// -- costs of tasks -----------------------------------------------------------

TEST_CASE("the service time lasts from the start of a handler to its end") {
  measured_world w;
  w.join();
  w.at(1);
  w.submit();
  w.at(3);
  w.start(0);
  w.tasks[0].cpu_time = 9ms;
  w.at(8);
  w.told();
  w.finish(0);
  CHECK(w.told()
        == "task 0 completed for 5; task 0 unassigned from 0; offered 0");
}

TEST_CASE("the waiting time lasts from the acceptance of a task to its start") {
  measured_world w{assignment::lazy, measure::wait_time};
  w.at(1);
  w.submit();
  w.at(2);
  w.join();
  w.at(5);
  w.start(0);
  w.at(9);
  w.told();
  w.finish(0);
  CHECK(w.told()
        == "task 0 completed for 4; task 0 unassigned from 0; offered 0");
}

TEST_CASE("the processor time of a task is the value of its member cpu_time") {
  measured_world w{assignment::lazy, measure::cpu_time};
  w.join();
  w.submit();
  w.start(0);
  w.at(9);
  w.tasks[0].cpu_time = 2ms;
  w.told();
  w.crash(0);
  CHECK(w.told()
        == "task 0 crashed for 2; task 0 unassigned from 0; offered 0");
}

TEST_CASE("a task whose deadline passes while it runs is measured once, when "
          "its handler ends") {
  measured_world w;
  w.join();
  w.submit_due(5);
  w.start(0);
  w.told();
  w.at(5);
  CHECK(w.told() == "");
  w.at(8);
  CHECK(w.finish(0) == "release 0");
  CHECK(w.told()
        == "task 0 completed for 8; task 0 unassigned from 0; offered 0");
  w.finish(0);
  CHECK(w.told() == "");
}

TEST_CASE("a task that was cancelled while it ran is measured at its end") {
  measured_world w;
  w.join();
  w.submit();
  w.start(0);
  w.cancel(0);
  w.at(4);
  w.told();
  w.crash(0);
  CHECK(w.told()
        == "task 0 crashed for 4; task 0 unassigned from 0; offered 0");
}

TEST_CASE("no time is measured for a task that has not started before it "
          "leaves its worker") {
  measured_world w{assignment::eager};
  w.join();
  w.submit();
  w.submit();
  w.told();
  w.cancel(1);
  CHECK(w.told() == "task 1 unassigned from 0");
  w.come_back(0);
  CHECK(w.told() == "withdrawn 0; task 0 unassigned from 0; left 0");
}

TEST_CASE("a task of a leaving worker is reported as unassigned before it is "
          "reported as assigned to another worker") {
  measured_world w{assignment::eager};
  w.join();
  w.submit();
  w.submit();
  w.start(0);
  w.join();
  w.told();
  w.at(3);
  w.retire(0);
  CHECK(w.told()
        == "task 1 unassigned from 0; withdrawn 0; task 1 assigned to 1; "
           "task 1 began at 3");
}

// -- if nothing is measured ---------------------------------------------------

TEST_CASE("a placement rule that measures nothing is not informed of the "
          "starts and costs of tasks") {
  for (auto when : {assignment::lazy, assignment::eager}) {
    measured_world w{when, std::nullopt, one_retry};
    CHECK_FALSE(w.pool.measures());
    CHECK_FALSE(w.pool.is_timed());
    w.join();
    w.submit();
    w.start(0);
    w.crash(0);
    w.start(0);
    w.start(0);
    w.finish(0);
    auto told = w.told();
    CHECK(told.find("began") == std::string::npos);
    CHECK(told.find(" for ") == std::string::npos);
    CHECK(w.tasks[0].began == libpool::never);
  }
}

TEST_CASE("a dispatcher reads the clock if its placement rule measures times "
          "of tasks") {
  measured_world w{assignment::lazy, measure::cpu_time};
  CHECK(w.pool.measures() == measure::cpu_time);
  CHECK(w.pool.is_timed());
}
