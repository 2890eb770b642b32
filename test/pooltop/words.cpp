#include "pooltop/words.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace pooltop;

namespace {

using sentences = std::vector<std::string>;

sentences told(const std::vector<finding>& of) {
  sentences result;
  for (const auto& each : of)
    result.push_back(each.sentence);
  return result;
}

pool with_workers(double workers, double busy) {
  pool result;
  result.workers = workers;
  result.busy = busy;
  return result;
}

flow waiting_flow(const std::string& name, double tasks) {
  flow result;
  result.name = name;
  result.waiting = tasks;
  return result;
}

member running_member(double number, double seconds) {
  member result;
  result.number = number;
  result.running_for_s = seconds;
  return result;
}

stage stage_with(const std::string& name, double held, double credit) {
  stage result;
  result.name = name;
  result.held = held;
  result.credit = credit;
  return result;
}

} // namespace

TEST_CASE("nothing is the matter where nothing is known, or all is well") {
  CHECK(matters_of(pool{}).empty());
  CHECK(matters_of(pipeline{}).empty());
  auto well = with_workers(4, 4);
  well.waiting = 3;
  well.oldest_waiting_s = 0.9;
  well.recent.completed_per_s = 100;
  well.recent.failed_per_s = 5;
  well.capacity = 4;
  well.members.push_back(running_member(0, 29));
  CHECK(matters_of(well).empty());
}

TEST_CASE("a pool without workers is the matter, more so if tasks wait") {
  auto of = with_workers(0, 0);
  CHECK(told(matters_of(of)) == sentences{"The pool has no workers."});
  of.waiting = 1;
  CHECK(told(matters_of(of))
        == sentences{"The pool has no workers, and 1 task waits."});
  CHECK(matters_of(of).front().how_much == weight::alarm);
}

TEST_CASE("all workers are busy and tasks wait for long") {
  auto of = with_workers(8, 8);
  of.waiting = 812;
  of.oldest_waiting_s = 1.25;
  CHECK(
    told(matters_of(of))
    == sentences{"All 8 workers are busy and 812 tasks wait, the oldest for "
                 "1.2 s."});
  of.workers = of.busy = of.waiting = 1;
  CHECK(told(matters_of(of))
        == sentences{
          "The only worker is busy and 1 task waits, the oldest for 1.2 s."});
}

TEST_CASE("tasks wait for long although workers are idle") {
  auto of = with_workers(8, 6);
  of.waiting = 3;
  of.oldest_waiting_s = 60;
  CHECK(told(matters_of(of))
        == sentences{
          "2 of 8 workers idle, but 3 tasks wait, the oldest for 60 s."});
}

TEST_CASE("a flow floods the pool if nearly all waiting tasks are its own") {
  pool of;
  of.waiting = 100;
  of.flows = {waiting_flow("batch", 80), waiting_flow("mail", 20)};
  CHECK(told(matters_of(of))
        == sentences{"Flow 'batch' floods the pool: 80 of 100 waiting tasks."});
  of.flows.front().name.clear();
  CHECK(told(matters_of(of))
        == sentences{
          "Tasks without a flow flood the pool: 80 of 100 waiting tasks."});
  of.flows.front().waiting = 79;
  CHECK(matters_of(of).empty());
}

TEST_CASE("the only flow floods nobody, and neither do a few tasks") {
  pool of;
  of.flows = {waiting_flow("batch", 80)};
  CHECK(matters_of(of).empty());
  of.flows = {waiting_flow("batch", 9), waiting_flow("mail", 0)};
  CHECK(matters_of(of).empty());
}

TEST_CASE("a worker runs one task for long if that is ten times as long as "
          "nearly all tasks take") {
  auto of = with_workers(2, 2);
  of.recent.service_ms.p99 = 500;
  of.members = {running_member(0, 4.9), running_member(3, 5)};
  of.members[1].name = "hasher";
  CHECK(told(matters_of(of))
        == sentences{"Worker 3 'hasher' runs one task for 5.0 s; 99 % take at "
                     "most 500 ms."});
  of.members[1].running_for_s = 4.9;
  CHECK(matters_of(of).empty());
}

TEST_CASE("no run below two seconds is long, and none below thirty where the "
          "usual time is not known") {
  pool of;
  of.recent.service_ms.p99 = 1;
  of.members = {running_member(0, 1.9)};
  CHECK(matters_of(of).empty());
  of.recent.service_ms.p99.reset();
  of.members = {running_member(0, 29)};
  CHECK(matters_of(of).empty());
  of.members = {running_member(7, 30)};
  CHECK(told(matters_of(of)) == sentences{"Worker 7 runs one task for 30 s."});
  of.members.front().mean_ms = 4000;
  CHECK(matters_of(of).empty());
}

TEST_CASE("of workers that run a task for long the longest is told") {
  pool of;
  of.members = {running_member(1, 31), running_member(2, 45),
                running_member(3, 40)};
  CHECK(told(matters_of(of)) == sentences{"Worker 2 runs one task for 45 s."});
}

TEST_CASE("refusals are told with their rate, their time and their reason") {
  pool of;
  of.recent.refused_per_s = 3.5;
  CHECK(told(matters_of(of)) == sentences{"Tasks are refused, 3.5/s."});
  of.refusals = {{"the queue is full", 9}, {"the flow is full", 1}};
  CHECK(told(matters_of(of, 12))
        == sentences{"Tasks are refused, 3.5/s, for at least 12 s: mostly the "
                     "queue is full."});
  of.recent.refused_per_s.reset();
  CHECK(told(matters_of(of, 12))
        == sentences{
          "Tasks are refused, for at least 12 s: mostly the queue is full."});
}

TEST_CASE("failures are told from five in a hundred tasks on") {
  pool of;
  of.recent.completed_per_s = 95;
  of.recent.failed_per_s = 5;
  of.errors = {{"a worker crashed", 9}};
  CHECK(told(matters_of(of))
        == sentences{"5.0 % of the tasks fail: mostly a worker crashed."});
  of.recent.failed_per_s = 4.9;
  CHECK(matters_of(of).empty());
}

TEST_CASE("a queue that is full, or nearly, is told") {
  pool of;
  of.capacity = 100;
  of.waiting = 90;
  CHECK(told(matters_of(of))
        == sentences{"The queue is nearly full: 90 of 100 tasks wait."});
  of.waiting = 100;
  CHECK(told(matters_of(of))
        == sentences{"The queue is full: 100 of 100 tasks wait."});
  of.waiting = 89;
  CHECK(matters_of(of).empty());
}

TEST_CASE("overdue tasks are told") {
  pool of;
  of.overdue = 1;
  CHECK(told(matters_of(of))
        == sentences{"1 task is over by now, but still runs."});
  of.overdue = 2;
  CHECK(told(matters_of(of))
        == sentences{"2 tasks are over by now, but still run."});
}

TEST_CASE("sentences on lost tasks go before sentences on slow ones") {
  auto of = with_workers(1, 1);
  of.waiting = 10;
  of.oldest_waiting_s = 10;
  of.recent.refused_per_s = 1;
  const auto found = matters_of(of);
  REQUIRE(found.size() == 2);
  CHECK(found[0].how_much == weight::alarm);
  CHECK(found[1].how_much == weight::warning);
}

TEST_CASE("the last full stage is told, if it keeps items waiting") {
  pipeline of;
  of.name = "files";
  of.waiting = 7;
  of.stages = {stage_with("read", 4, 4), stage_with("parse", 8, 8),
               stage_with("count", 2, 8)};
  CHECK(
    told(matters_of(of))
    == sentences{"Stage 'parse' of pipeline 'files' is full (8 of 8), and 11 "
                 "items wait for it."});
  of.stages[0].held = 1;
  of.waiting = 0;
  CHECK(
    told(matters_of(of))
    == sentences{"Stage 'parse' of pipeline 'files' is full (8 of 8), and 1 "
                 "item waits for it."});
  of.stages[0].held = 0;
  CHECK(matters_of(of).empty());
}

TEST_CASE("sentences of the server count, and not our own") {
  auto of = with_workers(0, 0);
  of.matters = sentences{"no worker is left"};
  CHECK(told(matters_of(of)) == *of.matters);
  of.matters->clear();
  CHECK(matters_of(of).empty());
  pipeline other;
  other.matters = sentences{"stage parse is full"};
  CHECK(told(matters_of(other)) == *other.matters);
}
