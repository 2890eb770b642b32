/// What is the matter with a pool or a pipeline, in sentences.

#include "libpool/observability/live/problems.hpp"
#include "libpool/observability/live/page.hpp"
#include "libpool/observability/live/worker_problems.hpp"
#include "samples.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

namespace live_problems_tests {

namespace {

using namespace std::chrono_literals;
using libpool::duration;
using libpool::errc;
using libpool::member_stats;
using libpool::pool_stats;
using libpool::live::history;
using libpool::live::pool_sample;
using libpool::live::problems_of;
using test::at;
using test::member;
using test::sample_at;
using problem_list = std::vector<libpool::live::problem>;
using sentences = std::vector<std::string>;

libpool::flow_stats flow(const std::string& name, std::uint64_t waiting) {
  libpool::flow_stats result;
  result.name = name;
  result.waiting = waiting;
  return result;
}

sentences texts_of(const problem_list& found) {
  sentences result;
  for (const auto& each : found)
    result.push_back(each.text);
  return result;
}

/// What has changed in ten seconds, since a pool at rest.
sentences changed(const pool_sample& now) {
  history past;
  past.add(sample_at(now.at - at(0s) - 10s));
  return texts_of(problems_of(now, past.recent(now.at)));
}

sentences problems(const pool_sample& now) {
  return texts_of(problems_of(now, {}));
}

/// A pool of four workers, of which some have worked for so long.
pool_sample at_work(duration time, const std::vector<duration>& worked,
                    std::uint64_t waiting = 0, std::uint64_t completed = 0) {
  auto result = sample_at(time, worked.size());
  for (std::size_t i = 0; i < worked.size(); ++i)
    result.stats.members.push_back(member(i, worked[i]));
  result.stats.tasks.waiting = waiting;
  result.stats.tasks.completed = completed;
  result.stats.tasks.accepted = waiting + completed;
  return result;
}

/// What is the matter at the last of the samples.
sentences after(const std::vector<pool_sample>& samples) {
  history past;
  for (std::size_t i = 0; i + 1 < samples.size(); ++i)
    past.add(samples[i]);
  const auto& now = samples.back();
  return texts_of(problems_of(now, past.recent(now.at)));
}

bool is_told(const sentences& all, const std::string& part) {
  return std::any_of(all.begin(), all.end(), [&](const std::string& each) {
    return each.find(part) != std::string::npos;
  });
}

member_stats worker(std::uint64_t number, duration mean,
                    std::size_t in_flight = 0, std::uint64_t completed = 100) {
  member_stats result;
  result.number = number;
  result.mean_service = mean;
  result.in_flight = in_flight;
  result.completed = completed;
  return result;
}

pool_stats pool(std::vector<member_stats> members) {
  pool_stats result;
  result.workers = members.size();
  for (const auto& each : members)
    result.busy += each.in_flight > 0 ? 1 : 0;
  result.members = std::move(members);
  return result;
}

/// The same, of which each worker has worked for this share of ten seconds.
sentences uneven(const pool_stats& of, const std::vector<double>& busy) {
  history past;
  pool_sample now;
  now.at = libpool::instant{20s};
  now.stats.is_timed = true;
  past.add(now);
  now.at += 10s;
  now.stats = of;
  now.stats.is_timed = true;
  for (std::size_t i = 0; i < busy.size(); ++i)
    now.stats.members[i].busy = std::chrono::round<duration>(busy[i] * 10s);
  problem_list found;
  libpool::live::tell_uneven(found, now, past.beginning(now.at));
  return texts_of(found);
}

sentences slow(const pool_stats& of) {
  problem_list found;
  libpool::live::tell_slow_workers(found, of);
  return texts_of(found);
}

sentences tiny(std::uint64_t completed, duration service, duration lately) {
  pool_stats changed;
  changed.tasks.completed = completed;
  for (auto i = 0; i < 10; ++i)
    changed.total.services.record(service);
  problem_list found;
  libpool::live::tell_tiny(found, changed, lately);
  return texts_of(found);
}

} // namespace

TEST_CASE(
  "the live view reports no problem for a pool that is idle, or merely busy") {
  CHECK(problems(sample_at(0s)).empty());
  auto busy = sample_at(0s);
  busy.stats.busy = 8;
  busy.stats.tasks.waiting = 80;
  busy.stats.oldest_waiting = at(-900ms);
  CHECK(problems(busy).empty());
}

TEST_CASE(
  "a problem names workers that were busy for ten seconds and fell behind") {
  auto all = std::vector{at_work(0s, {0s, 0s}),
                         at_work(5s, {5s, 4900ms}, 500, 5),
                         at_work(10s, {10s, 9800ms}, 1000, 10)};
  all.back().stats.oldest_waiting = at(9s);
  CHECK(after(all)
        == sentences{
          "all 2 workers were busy for 99 % of the last 10 s: 101 "
          "tasks per second arrive and 1 are completed; 1\u202F000 wait, the "
          "oldest for 1.0 s"});
  SUBCASE("with another cure if a task is stuck") {
    all.back().stats.longest_running = at(-30s);
    history past;
    past.add(all[0]);
    past.add(all[1]);
    auto found = problems_of(all[2], past.recent(all[2].at));
    REQUIRE(found.size() == 1);
    CHECK(found[0].cure == "a-stuck-handler");
  }
  SUBCASE("even if a worker is idle for a moment") {
    all.back().stats.busy = 0;
    CHECK(is_told(after(all), "workers were busy"));
  }
  SUBCASE("not if the workers had idle time") {
    all.back().stats.members[1].busy = 8s;
    CHECK_FALSE(is_told(after(all), "workers were busy"));
  }
  SUBCASE("not if few tasks wait, and only briefly") {
    all.back().stats.tasks.waiting = 11;
    all[1].stats.tasks.waiting = 5;
    all.back().stats.oldest_waiting = at(9500ms);
    CHECK_FALSE(is_told(after(all), "workers were busy"));
  }
  SUBCASE("not if the window is too short") {
    for (std::size_t i = 0; i < 3; ++i)
      all[i].at = all[i].stats.taken = at(9500ms + i * 250ms);
    CHECK_FALSE(is_told(after(all), "workers were busy"));
  }
}

TEST_CASE("the live view reports no problem while a large batch of waiting "
          "tasks shrinks, even if all workers are busy") {
  auto began = at_work(0s, {0s, 0s});
  auto given = at_work(1s, {1s, 1s}, 9000, 1000);
  auto half = at_work(5s, {5s, 5s}, 5000, 5000);
  auto later = at_work(9s, {9s, 9s}, 1000, 9000);
  for (auto* each : {&given, &half, &later})
    each->stats.oldest_waiting = at(0s);
  CHECK(after({began, given, half, later}).empty());
  CHECK(after({given, half, later}).empty());
}

TEST_CASE(
  "too few workers are reported if a queue stays full and refuses messages") {
  auto all = std::vector{at_work(0s, {0s}, 100), at_work(5s, {5s}, 100),
                         at_work(10s, {10s}, 100)};
  for (std::size_t i = 0; i < 3; ++i)
    all[i].stats.refused = all[i].stats.tasks.refused = 10 * i;
  CHECK(is_told(after(all),
                "the only worker was busy for 100 % of the last 10 s: "
                "2 tasks per second arrive"));
}

TEST_CASE(
  "a flow floods a pool if the workers are busy and it has more waiting "
  "tasks than all other flows together") {
  auto now = sample_at(0s);
  now.stats.busy = 8;
  now.stats.tasks.waiting = 10'000;
  now.stats.flows = {flow("tenant-7", 9812), flow("tenant-1", 100)};
  auto floods =
    "flow tenant-7 floods the pool: 9\u202F812 of 10\u202F000 waiting tasks";
  CHECK(problems(now) == sentences{floods});
  now.stats.busy = 7;
  CHECK(problems(now).empty());
  now.stats.busy = 8;
  now.stats.flows[0].waiting = 5000;
  CHECK(problems(now).empty());
  now.stats.flows[0].waiting = 5001;
  CHECK(problems(now).size() == 1);
  now.stats.retrying = 1; // waits for a time, not for a worker
  now.stats.flows[0].waiting = 5000;
  CHECK(problems(now).size() == 1);
  now.stats.flows.resize(1); // with only one flow it is not the flow's fault
  CHECK(problems(now).empty());
}

TEST_CASE("a client floods a pool without flows if it has more waiting tasks "
          "than all other clients together") {
  auto now = sample_at(0s);
  now.stats.busy = 8;
  now.stats.tasks.waiting = 1000;
  now.groups = {{"actor 12", 900}, {"actor 13", 60}, {"", 40}};
  now.groups_are_clients = true;
  CHECK(problems(now)
        == sentences{"client actor 12 floods the pool: 900 of 1\u202F000 "
                     "waiting tasks"});
  for (const auto* nobody : {"", "(others)"}) {
    now.groups[0].name = nobody;
    CHECK(problems(now).empty());
  }
  now.groups[0].name = "acme";
  now.groups_are_clients = false; // limits know flows, the policy does not
  CHECK(is_told(problems(now), "flow acme floods the pool: 900 of"));
}

namespace {

libpool::limit_stats limit(const std::string& flow, std::uint64_t parked) {
  libpool::limit_stats result;
  result.name = flow;
  result.parked = parked;
  return result;
}

/// A pool with a flow at its limit, in which 13 of 16 workers are idle.
pool_sample at_limit(duration time, std::uint64_t waiting,
                     std::uint64_t parked) {
  auto result = sample_at(time, 16);
  result.stats.busy = 3;
  result.stats.tasks.waiting = waiting;
  result.stats.retrying = 30;
  result.stats.flows = {flow("acme", waiting - 35), flow("bolt", 5)};
  result.stats.parked = parked;
  result.stats.oldest_waiting = at(time - 3s);
  result.stats.limits = {limit("acme", parked)};
  result.stats.limits[0].per_second = 20;
  return result;
}

} // namespace

TEST_CASE("a flow at its limits does not flood a pool, and a problem names the "
          "flow and the limit") {
  auto held =
    "52 waiting tasks of flow acme are held back by its limit of 20/s";
  CHECK(problems(at_limit(0s, 92, 52)) == sentences{held});
  auto now = at_limit(0s, 92, 31);
  SUBCASE("other limits") {
    now.stats.limits[0] = limit("acme", 1);
    now.stats.limits[0].most_running = 4;
    now.stats.limits.push_back(limit("", 1));
    now.stats.limits.back().is_paused = true;
    now.stats.limits.push_back(limit("", 40));
    now.stats.limits.back().is_of_pool = true;
    now.stats.limits.back().per_second = 2.5;
    now.stats.limits.back().most_running = 2;
    CHECK(problems(now)
          == sentences{"40 waiting tasks are held back by the pool's limits of "
                       "2.5/s and 2 running tasks",
                       "1 waiting task without a flow is held back by a pause",
                       "1 waiting task of flow acme is held back by its limit "
                       "of 4 running tasks"});
  }
  SUBCASE("not if most tasks are free to go") {
    now.stats.parked = now.stats.limits[0].parked = 30;
    CHECK(problems(now).empty());
  }
  SUBCASE("not if few tasks wait, and only briefly") {
    now = at_limit(0s, 92, 52);
    now.stats.oldest_waiting = at(-900ms);
    CHECK(problems(now).empty());
  }
  SUBCASE("not more than three") {
    now = at_limit(0s, 92, 52);
    for (const auto* name : {"a", "b", "c", "d"})
      now.stats.limits.push_back(limit(name, 5));
    CHECK(problems(now).size() == 4);
    CHECK(problems(now).back()
          == "limits or pauses hold back tasks of 2 more flows");
  }
}

TEST_CASE("problems about flows are those of ten seconds, and do not flip with "
          "the present moment") {
  std::vector<pool_sample> all;
  for (auto i = 0; i < 20; ++i) {
    auto is_free = i % 4 == 3; // a token has just come
    all.push_back(at_limit(i * 500ms, 92, is_free ? 20 : 52));
    CHECK(is_told(after(all), "of flow acme are held back by its limit"));
    CHECK_FALSE(is_told(after(all), "floods"));
  }
}

namespace {

/// Ten seconds later: tasks that two flows had completed, and error answers.
pool_sample answered(std::uint64_t acme, std::uint64_t bolt,
                     const std::vector<libpool::error_answer_stats>& errors) {
  auto result = sample_at(10s);
  result.stats.sees_answers = true;
  result.stats.flows = {flow("acme", 0), flow("bolt", 0)};
  result.stats.flows[0].served = acme;
  result.stats.flows[1].served = bolt;
  result.stats.tasks.completed = acme + bolt;
  result.stats.answered_errors = errors;
  for (const auto& each : errors)
    result.stats.error_answers += each.count;
  return result;
}

} // namespace

TEST_CASE("a problem names the flows whose tasks were answered with errors, "
          "and the most frequent error") {
  CHECK(
    changed(answered(
      100, 100,
      {{"request_timeout", "acme", "", 70}, {"runtime_error", "acme", "", 8}}))
    == sentences{"78 % of the tasks of flow acme were answered with errors in "
                 "the last 10 s, mostly request_timeout"});
  CHECK(
    changed(answered(100, 0, {{"request_timeout", "acme", "", 3}}))
    == sentences{"3.0 % of the tasks of flow acme were answered with errors "
                 "in the last 10 s: request_timeout"});
  CHECK(
    changed(answered(1000, 100, {{"request_timeout", "acme", "", 9}})).empty());
  SUBCASE("of all tasks if all flows are affected") {
    CHECK(
      changed(answered(100, 100,
                       {{"request_timeout", "acme", "", 50},
                        {"request_timeout", "bolt", "", 20}}))
      == sentences{"35 % of the tasks were answered with errors in the last "
                   "10 s: request_timeout"});
  }
  SUBCASE("of all tasks if flows are unknown") {
    auto now = answered(
      100, 0, {{"a", "", "", 10}, {"b", "", "", 10}, {"c", "", "", 10}});
    now.stats.flows.clear();
    CHECK(
      changed(now)
      == sentences{"30 % of the tasks were answered with errors in the last "
                   "10 s"});
  }
  SUBCASE("with the kind of message if there are several") {
    auto now = answered(100, 100, {{"request_timeout", "acme", "job", 50}});
    now.kinds = 2;
    CHECK(is_told(changed(now), ": request_timeout, mostly to messages of the "
                                "kind job"));
  }
  SUBCASE("not if the errors are older than ten seconds") {
    auto now = answered(100, 100, {{"request_timeout", "acme", "", 70}});
    auto earlier = now;
    earlier.at -= 10s;
    now.stats.tasks.completed += 100;
    CHECK(after({earlier, now}).empty());
  }
}

TEST_CASE("a worker is stuck if its task takes ten times as long as nearly all "
          "other tasks") {
  auto now = sample_at(100s);
  now.stats.members = {member(3, 0s, at(58s))};
  CHECK(problems(now) == sentences{"worker 3 has run one task for 42 s"});
  now.stats.members[0].running_since = at(71s);
  CHECK(problems(now).empty()); // nothing is known of others
  now.stats.total.services.record(1ms);
  CHECK(problems(now) == sentences{"worker 3 has run one task for 29 s"});
  now.stats.members[0].running_since = at(96s);
  CHECK(problems(now).empty());
  for (auto i = 0; i < 1000; ++i)
    now.stats.total.services.record(10s);
  now.stats.members[0].running_since = at(10s);
  CHECK(problems(now).empty());
}

TEST_CASE("the live view names the three workers whose tasks have run for "
          "longest, and counts further such workers") {
  auto now = sample_at(1000s);
  for (auto i = 0; i < 10; ++i)
    now.stats.members.push_back(
      member(static_cast<std::uint64_t>(i), 0s, at(800s + i * 10s)));
  CHECK(problems(now)
        == sentences{"worker 0 has run one task for 3.3 min",
                     "worker 1 has run one task for 3.2 min",
                     "worker 2 has run one task for 3.0 min",
                     "7 more workers run long tasks"});
  now.stats.members.resize(4);
  CHECK(problems(now).back() == "1 more worker runs a long task");
}

TEST_CASE("the sentence about a stuck task states the number of the task, and "
          "the kind, flow and trace of the task if known") {
  auto now = sample_at(100s);
  now.stats.members = {member(3, 0s, at(58s))};
  now.running = {{2, 7, "", "", ""},
                 {3, 4711, "job", "gold", "00-0af7-b7ad-01"}};
  CHECK(problems(now)
        == sentences{"worker 3 has run one task for 42 s: task 4711 (job) of "
                     "flow gold, trace 00-0af7-b7ad-01"});
  now.running[1] = {3, 4711};
  CHECK(problems(now)
        == sentences{"worker 3 has run one task for 42 s: task 4711"});
}

TEST_CASE(
  "among the problems of a pool, the lack of workers is reported first") {
  auto now = sample_at(0s, 0);
  CHECK(problems(now) == sentences{"no worker is left"});
  now.stats.tasks.waiting = 1;
  CHECK(problems(now) == sentences{"no worker is left, and 1 task waits"});
}

TEST_CASE(
  "problems name refusals, crashes and failures of the window with reasons") {
  auto now = sample_at(0s);
  now.stats.refused = 5;
  now.stats.refusals.add(errc::queue_full, 3);
  now.stats.refusals.add(errc::flow_full, 2);
  now.stats.departed.crashed = 1;
  now.stats.tasks.completed = 198;
  now.stats.tasks.failed = 2;
  now.stats.errors.add(errc::worker_crashed, 2);
  CHECK(
    changed(now)
    == sentences{"1 worker crashed in the last 10 s",
                 "1.0 % of the tasks failed in the last 10 s: a worker "
                 "crashed",
                 "5 messages were refused in the last 10 s: the queue is full "
                 "(3); the queue of the flow is full (2)"});
  now.stats.tasks.failed = 1;
  CHECK(changed(now).size() == 2);
}

TEST_CASE("the live view reports tasks that wait for particular workers while "
          "other workers are idle") {
  auto all = std::vector{at_work(0s, {0s, 0s, 0s}), at_work(4s, {4s, 1s, 1s}),
                         at_work(10s, {10s, 2s, 3s})};
  for (auto& each : all)
    each.stats.held = 3;
  CHECK(after(all)
        == sentences{"3 tasks wait for particular workers, while the other 2 "
                     "workers were idle for 75 % of the last 10 s"});
  SUBCASE("not if the tasks have begun to wait only now") {
    all[1].stats.held = 0;
    CHECK(after(all).empty());
  }
  SUBCASE("not if the others were busy as well") {
    all[2].stats.members[1].busy = all[2].stats.members[2].busy = 9900ms;
    CHECK(after(all).empty());
  }
}

TEST_CASE(
  "each problem that the live view can report has a section in the guide") {
  auto now = sample_at(10s, 0);
  now.stats.refused = now.stats.departed.crashed = now.stats.overdue = 1;
  now.stats.tasks.failed = 1;
  now.stats.members = {member(3, 0s, at(-58s))};
  now.stats.tasks.waiting = 1000;
  now.stats.slots = 1;
  history past;
  past.add(sample_at(0s));
  auto found = problems_of(now, past.recent(now.at));
  CHECK(found.size() == 6);
  for (const auto* each :
       {"too-few-workers", "one-slow-worker", "a-hot-key", "a-flooding-tenant",
        "tasks-at-limits", "error-answers", "a-paused-pool", "tasks-too-small",
        "a-full-stage"})
    found.push_back({"", each});
  for (const auto& each : found) {
    CAPTURE(each.cure);
    CHECK(libpool::live::guide_with("").find("<h2 id=\"" + each.cure + "\">")
          != std::string::npos);
  }
}

TEST_CASE("the live view reports the last full stage of a pipeline as the "
          "stage that holds up the pipeline") {
  libpool::pipeline_stats line;
  line.stages.resize(3);
  for (auto& each : line.stages)
    each.credit = 4;
  line.stages[0].name = "read";
  line.stages[1].name = "parse";
  std::vector<libpool::live::stage_past> past(3);
  CHECK(problems_of(line, past).empty());
  line.stages[0].held = line.stages[1].held = 4;
  past[0].held_share = 1;
  past[1].held_share = .9;
  CHECK(texts_of(problems_of(line, past)) == sentences{"stage parse is full"});
  line.waiting = 1;
  CHECK(
    texts_of(problems_of(line, past))
    == sentences{"stage parse is full, 1 item waits to enter the pipeline"});
  SUBCASE("but not if the stage is full for a moment only") {
    past[1].held_share = .89;
    CHECK(
      texts_of(problems_of(line, past))
      == sentences{"stage read is full, 1 item waits to enter the pipeline"});
  }
  SUBCASE("but not if the stage has room now") {
    line.stages[0].held = line.stages[1].held = 3;
    CHECK(problems_of(line, past).empty());
  }
}

TEST_CASE(
  "a problem names a worker that takes four times as long as the others") {
  CHECK(
    slow(pool({worker(0, 5ms), worker(1, 6ms), worker(2, 100ms)}))
    == sentences{
      "worker 2 takes 100 ms per task on average, the other workers 6.0 ms"});
  problem_list found;
  libpool::live::tell_slow_workers(
    found, pool({worker(0, 5ms), worker(7, 100ms), worker(9, 6ms)}));
  REQUIRE(found.size() == 1);
  CHECK(found[0].worker == 7);
  CHECK(slow(pool({worker(0, 5ms), worker(1, 19ms)})).empty());
  CHECK(slow(pool({worker(0, 5ms), worker(1, 20ms)})).size() == 1);
  CHECK(slow(pool({worker(0, 5ms), worker(1, 90ms, 0, 9)})).empty());
  CHECK(slow(pool({worker(0, 5ms)})).empty());
  CHECK(slow(pool({worker(0, 0ms), worker(1, 0ms)})).empty());
}

TEST_CASE(
  "a problem names a worker that has many tasks while others were idle") {
  auto one = pool({worker(0, 5ms, 11), worker(1, 5ms, 0), worker(2, 5ms, 1)});
  CHECK(
    uneven(one, {1, 0.2, 0.34})
    == sentences{"worker 0 has 11 tasks, while the other 2 workers were idle "
                 "for 73 % of the last 10 s"});
  CHECK(uneven(one, {1, 0.95, 0.95}).empty());
  auto two = pool({worker(0, 5ms, 11), worker(1, 5ms, 1)});
  CHECK(
    uneven(two, {1, 0.27})
    == sentences{"worker 0 has 11 tasks, while the other worker was idle for "
                 "73 % of the last 10 s"});
  CHECK(uneven(pool({worker(0, 5ms, 10), worker(1, 5ms, 0)}), {1, 0}).empty());
  CHECK(uneven(pool({worker(0, 5ms, 11)}), {1}).empty());
  auto leased = pool({worker(0, 2us, 64), worker(1, 2us, 0)});
  CHECK(uneven(leased, {1, 0.02}).empty());
  leased.taken = libpool::instant{1s};
  leased.members[0].running_since = libpool::instant{900ms};
  CHECK(uneven(leased, {1, 0.02}).size() == 1);
  CHECK(uneven(pool({}), {}).empty());
}

TEST_CASE("the live view reports tasks that take no longer than sending a "
          "message to a worker takes") {
  CHECK(tiny(200'000, 200ns, 10s).size() == 1);
  CHECK(tiny(199'999, 200ns, 10s).empty());
  CHECK(tiny(200'000, 2us, 10s).empty());
  CHECK(tiny(200'000, 200ns, 0s).empty());
}

} // namespace live_problems_tests
