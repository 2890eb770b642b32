/// What a live view is made of, without a server and without pools.

#include "libpool/live/guide.hpp"
#include "libpool/live/history.hpp"
#include "libpool/live/matters.hpp"
#include "libpool/live/pool_json.hpp"
#include "libpool/live/request.hpp"
#include "libpool/live/runs_json.hpp"
#include "libpool/live/seats.hpp"
#include "libpool/live/words.hpp"
#include "support/figures.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

using namespace std::chrono_literals;
using libpool::duration;
using libpool::errc;
using libpool::instant;
using libpool::live::history;
using libpool::live::json;
using libpool::live::json_of;
using libpool::live::matters_of;
using libpool::live::past_sample;
using libpool::live::pool_sample;
using libpool::live::recent_past;
using sentences = std::vector<std::string>;

namespace {

instant at(duration time) {
  return instant{} + 1h + time;
}

/// A pool at rest.
pool_sample sample_at(duration time, std::size_t workers = 8) {
  pool_sample result;
  result.at = result.stats.taken = at(time);
  result.stats.is_timed = true;
  result.stats.workers = result.stats.slots = workers;
  return result;
}

libpool::member_stats member(std::uint64_t number, duration busy,
                             instant running_since = libpool::never) {
  libpool::member_stats result;
  result.number = number;
  result.busy = busy;
  result.running_since = running_since;
  return result;
}

libpool::flow_stats flow(const std::string& name, std::uint64_t waiting) {
  libpool::flow_stats result;
  result.name = name;
  result.waiting = waiting;
  return result;
}

sentences texts_of(const std::vector<libpool::live::finding>& found) {
  sentences result;
  for (const auto& each : found)
    result.push_back(each.text);
  return result;
}

/// What has changed in ten seconds, since a pool at rest.
sentences changed(const pool_sample& now) {
  history past;
  past.add(sample_at(now.at - at(0s) - 10s));
  return texts_of(matters_of(now, past.recent(now.at)));
}

sentences matters(const pool_sample& now) {
  return texts_of(matters_of(now, {}));
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
  return texts_of(matters_of(now, past.recent(now.at)));
}

bool is_told(const sentences& all, const std::string& part) {
  return std::any_of(all.begin(), all.end(), [&](const std::string& each) {
    return each.find(part) != std::string::npos;
  });
}

libpool::recorded_run run(std::uint64_t worker, duration from, duration to,
                          std::uint32_t flow = 0) {
  libpool::recorded_run result;
  result.worker = libpool::worker_number{worker};
  result.started = at(from);
  result.ended = at(to);
  result.flow = flow;
  return result;
}

libpool::recording recording_of(std::vector<libpool::recorded_run> runs) {
  libpool::recording result;
  result.runs = std::move(runs);
  result.flows = {"", "a", "b"};
  return result;
}

duration beginning_of(const history& past, duration now) {
  const auto* found = past.beginning(at(now));
  return found == nullptr ? -1s : found->at - at(0s);
}

/// Whether the object has all of these names.
bool has(const json& object, const std::string& names) {
  std::istringstream all{names};
  return std::all_of(std::istream_iterator<std::string>{all}, {},
                     [&](const auto& each) { return object.contains(each); });
}

} // namespace

TEST_CASE("numbers and times are formatted with separators and units") {
  using namespace libpool::live;
  CHECK(grouped(0) == "0");
  CHECK(grouped(999) == "999");
  CHECK(grouped(9812) == "9\u202F812");
  CHECK(grouped(1'234'567) == "1\u202F234\u202F567");
  CHECK(counted(1, "worker") == "1 worker");
  CHECK(counted(2, "worker") == "2 workers");
  CHECK(in_words(420ms) == "420 ms");
  CHECK(in_words(1200ms) == "1.2 s");
  CHECK(in_words(42s) == "42 s");
  CHECK(in_words(5min) == "5.0 min");
  CHECK(in_words(3h) == "3.0 h");
  CHECK(percent(0.004) == "0.4 %");
  CHECK(percent(0.12) == "12 %");
}

TEST_CASE("the time window of the live view begins ten seconds ago, or at the "
          "first sample if there is none that old") {
  history past;
  CHECK(beginning_of(past, 0s) == -1s);
  past.add(sample_at(0s));
  CHECK(beginning_of(past, 500ms) == 0s);
  for (auto time = 500ms; time <= 20s; time += 500ms)
    past.add(sample_at(time));
  CHECK(beginning_of(past, 20500ms) == 10500ms);
}

TEST_CASE("after a gap without samples, the time window includes the gap until "
          "two samples are newer than the gap") {
  history past;
  past.add(sample_at(0s));
  CHECK(beginning_of(past, 600s) == 0s);
  past.add(sample_at(600s));
  CHECK(beginning_of(past, 600500ms) == 0s);
  past.add(sample_at(600500ms));
  CHECK(beginning_of(past, 601s) == 600s);
}

TEST_CASE("the busy time of a worker includes the time for which its present "
          "task has run") {
  using libpool::live::worked;
  CHECK(worked(member(0, 3s), at(10s)) == 3s);
  CHECK(worked(member(0, 3s, at(4s)), at(10s)) == 9s);
  CHECK(worked(member(0, 3s, at(11s)), at(10s)) == 3s);
  history past;
  CHECK(past.recent(at(10s)).beginning == nullptr);
  auto sample = sample_at(10s);
  sample.stats.members = {member(7, 2s, at(9s)), member(3, 1s)};
  past.add(sample);
  const auto* kept = past.beginning(at(11s));
  REQUIRE(kept != nullptr);
  CHECK(kept->worked_by(7) == 3s);
  CHECK(kept->worked_by(3) == 1s);
  CHECK(kept->worked_by(5) == 0s);
  CHECK(kept->stats.members.empty());
}

TEST_CASE(
  "the live view reports no problem for a pool that is idle, or merely busy") {
  CHECK(matters(sample_at(0s)).empty());
  auto busy = sample_at(0s);
  busy.stats.busy = 8;
  busy.stats.tasks.waiting = 80;
  busy.stats.oldest_waiting = at(-900ms);
  CHECK(matters(busy).empty());
}

TEST_CASE(
  "a window has a middle sample if other samples follow its first sample") {
  history past;
  past.add(sample_at(0s));
  CHECK(past.recent(at(10s)).middle == nullptr);
  for (auto time : {2s, 4s, 7s})
    past.add(sample_at(time));
  auto recent = past.recent(at(10s));
  REQUIRE(recent.middle != nullptr);
  CHECK(recent.beginning->at == at(0s));
  CHECK(recent.middle->at == at(4s));
}

TEST_CASE(
  "a finding reports workers that were busy for ten seconds and fell behind") {
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
    auto found = matters_of(all[2], past.recent(all[2].at));
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

TEST_CASE("a flow floods a pool if it has more waiting tasks than all other "
          "flows together") {
  auto now = sample_at(0s);
  now.stats.tasks.waiting = 10'000;
  now.stats.flows = {flow("tenant-7", 9812), flow("tenant-1", 100)};
  auto floods =
    "flow tenant-7 floods the pool: 9\u202F812 of 10\u202F000 waiting tasks";
  CHECK(matters(now) == sentences{floods});
  now.stats.flows[0].waiting = 5000;
  CHECK(matters(now).empty());
  now.stats.flows[0].waiting = 5001;
  CHECK(matters(now).size() == 1);
  now.stats.flows.resize(1); // with only one flow it is not the flow's fault
  CHECK(matters(now).empty());
}

TEST_CASE("a worker is stuck if its task takes ten times as long as nearly all "
          "other tasks") {
  auto now = sample_at(100s);
  now.stats.members = {member(3, 0s, at(58s))};
  CHECK(matters(now) == sentences{"worker 3 has run one task for 42 s"});
  now.stats.members[0].running_since = at(71s);
  CHECK(matters(now).empty()); // nothing is known of others
  now.stats.total.services.record(1ms);
  CHECK(matters(now) == sentences{"worker 3 has run one task for 29 s"});
  now.stats.members[0].running_since = at(96s);
  CHECK(matters(now).empty());
  for (auto i = 0; i < 1000; ++i)
    now.stats.total.services.record(10s);
  now.stats.members[0].running_since = at(10s);
  CHECK(matters(now).empty());
}

TEST_CASE("the live view names the three workers whose tasks have run for "
          "longest, and counts further such workers") {
  auto now = sample_at(1000s);
  for (auto i = 0; i < 10; ++i)
    now.stats.members.push_back(
      member(static_cast<std::uint64_t>(i), 0s, at(800s + i * 10s)));
  CHECK(matters(now)
        == sentences{"worker 0 has run one task for 3.3 min",
                     "worker 1 has run one task for 3.2 min",
                     "worker 2 has run one task for 3.0 min",
                     "7 more workers run long tasks"});
  now.stats.members.resize(4);
  CHECK(matters(now).back() == "1 more worker runs a long task");
}

TEST_CASE("the sentence about a stuck task states the number of the task, and "
          "the kind, flow and trace of the task if known") {
  auto now = sample_at(100s);
  now.stats.members = {member(3, 0s, at(58s))};
  now.running = {{2, 7, "", "", ""},
                 {3, 4711, "job", "gold", "00-0af7-b7ad-01"}};
  CHECK(matters(now)
        == sentences{"worker 3 has run one task for 42 s: task 4711 (job) of "
                     "flow gold, trace 00-0af7-b7ad-01"});
  now.running[1] = {3, 4711};
  CHECK(matters(now)
        == sentences{"worker 3 has run one task for 42 s: task 4711"});
}

TEST_CASE(
  "among the problems of a pool, the lack of workers is reported first") {
  auto now = sample_at(0s, 0);
  CHECK(matters(now) == sentences{"no worker is left"});
  now.stats.tasks.waiting = 1;
  CHECK(matters(now) == sentences{"no worker is left, and 1 task waits"});
}

TEST_CASE(
  "findings report refusals, crashes and failures of the window with reasons") {
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
  now.stats.flows = {flow("a", 900), flow("b", 100)};
  history past;
  past.add(sample_at(0s));
  auto found = matters_of(now, past.recent(now.at));
  CHECK(found.size() == 7);
  for (const auto* each : {"too-few-workers", "one-slow-worker", "a-hot-key",
                           "tasks-too-small", "a-full-stage"})
    found.push_back({"", each});
  for (const auto& each : found) {
    CAPTURE(each.cure);
    CHECK(libpool::live::guide_page().find("<h2 id=\"" + each.cure + "\">")
          != std::string::npos);
  }
}

TEST_CASE("a chapter of the manual in Markdown is shown as headings, "
          "paragraphs and lists") {
  CHECK(
    libpool::live::page_of("## A *b*, <c>?\n\nSee [d](e.md) and\n`f`."
                           "\n\n![g](h.png)\n\n- **i**: j\n- k\n  l\n")
      .find("<h2 id=\"a-b-c\">A *b*, &lt;c>?</h2>\n<p>See d and\n"
            "<code>f</code>.</p>\n<ul><li><b>i</b>: j</li></ul>\n<ul><li>k\n  "
            "l</li></ul>\n")
    != std::string::npos);
}

TEST_CASE("the live view reports the last full stage of a pipeline as the "
          "stage that holds up the pipeline") {
  libpool::pipeline_stats line;
  line.stages.resize(3);
  for (auto& each : line.stages)
    each.credit = 4;
  line.stages[0].name = "read";
  line.stages[1].name = "parse";
  CHECK(matters_of(line).empty());
  line.stages[0].held = line.stages[1].held = 4;
  CHECK(texts_of(matters_of(line)) == sentences{"stage parse is full"});
  line.waiting = 1;
  CHECK(
    texts_of(matters_of(line))
    == sentences{"stage parse is full, 1 item waits to enter the pipeline"});
}

TEST_CASE("the JSON of pools and pipelines has the documented names") {
  auto now = sample_at(9s);
  test::filler{}.fill<libpool::pool_stats>(now.stats);
  now.nodes.push_back(test::filled<libpool::node_stats>());
  const auto pool = json_of("p", now, {});
  CHECK(has(pool, "name matters policy workers busy leaving slots waiting "
                  "assigned sent running held overdue capacity accepted "
                  "refused completed failed cancelled answered_with_error "
                  "refusals errors retries restarts left stolen gathered "
                  "hedged oldest_waiting_s longest_running_s window flows "
                  "all_members members nodes unreachable"));
  CHECK(has(pool["left"], "removed crashed ended"));
  CHECK(has(pool["window"], "seconds arrived_per_s completed_per_s "
                            "failed_per_s refused_per_s wait_ms service_ms"));
  CHECK(has(pool["flows"][0], "name waiting running served refused seat_s "
                              "share lag_ms mean_wait_ms waiting_for_s"));
  CHECK(has(pool["members"][0],
            "number name state in_flight busy_share completed failed stolen "
            "mean_ms max_ms running_for_s is_stuck"));
  CHECK(has(pool["nodes"][0], "name slots in_flight round_trip_ms silent_ms "
                              "service_ms bytes_per_s"));
  const auto line = json_of("l", test::filled<libpool::pipeline_stats>());
  CHECK(has(line, "name matters accepted refused completed failed cancelled "
                  "in_line waiting stages"));
  CHECK(has(line["stages"][0], "name credit held answered failed is_full"));
}

TEST_CASE(
  "times in JSON are in the unit of their names, and unknown values are "
  "null") {
  auto now = sample_at(9s);
  now.stats.oldest_waiting = at(7s);
  now.stats.flows.emplace_back();
  now.stats.flows[0].seat_time = 1500ms;
  now.stats.flows[0].lag = -1500us;
  now.nodes.emplace_back();
  auto pool = json_of("p", now, {});
  CHECK(pool["oldest_waiting_s"] == 2);
  CHECK(pool["longest_running_s"].is_null());
  CHECK(pool["capacity"].is_null());
  CHECK(pool["flows"][0]["seat_s"] == 1.5);
  CHECK(pool["flows"][0]["lag_ms"] == -1.5);
  CHECK(pool["nodes"][0]["service_ms"].is_null());
  CHECK(pool["nodes"][0]["bytes_per_s"].is_null());
  CHECK(pool["nodes"][0]["silent_ms"] == 0);
  now.stats.capacity = 0;
  now.nodes[0].service = 2ms;
  pool = json_of("p", now, {});
  CHECK(pool["capacity"] == 0);
  CHECK(pool["nodes"][0]["service_ms"] == 2);
}

TEST_CASE("JSON marks workers whose tasks are stuck, by the bound of the "
          "sentence about them") {
  auto now = sample_at(60s);
  now.stats.total.services.record(1s);
  now.stats.members = {member(0, 1s, at(51s)), member(1, 1s, at(49s)),
                       member(2, 1s)};
  const auto pool = json_of("p", now, {});
  CHECK(pool["members"][0]["is_stuck"] == false);
  CHECK(pool["members"][1]["is_stuck"] == true);
  CHECK(pool["members"][2]["is_stuck"] == false);
  CHECK(pool["matters"].size() == 1);
}

TEST_CASE("the page gets the recent runs of tasks one by one, up to a maximum "
          "number of runs") {
  auto runs = recording_of({run(0, 1s, 2s, 1), run(1, 1s, 3s, 2)});
  runs.runs[1].how = libpool::outcome::failed;
  auto told = json_of(runs, at(0s), at(4s), 2);
  auto hour = 3'600'000.0;
  CHECK(told["spans"]
        == json::array({{0, 0, hour + 1000, hour + 2000, 1},
                        {1, 1, hour + 1000, hour + 3000, 0}}));
  CHECK(told["flows"] == json::array({"a", "b"}));
  CHECK(told["ended"] == 2);
}

TEST_CASE("the page gets each run of a task once, in the time window in which "
          "the run ended") {
  auto runs = recording_of({run(0, 0s, 1s), run(0, 1s, 2s), run(0, 2s, 3s)});
  CHECK(json_of(runs, at(0s), at(2s), 9)["ended"] == 1);
  CHECK(json_of(runs, at(2s), at(4s), 9)["ended"] == 2);
}

TEST_CASE("tasks that never ran are not among the runs that the page gets") {
  auto runs = recording_of({run(0, 0s, 1s)});
  runs.runs[0].worker.reset();
  runs.runs[0].started = libpool::never;
  CHECK(json_of(runs, at(0s), at(2s), 9)["spans"].empty());
}

TEST_CASE("instead of too many runs, the page gets the busy share of each "
          "worker in each half second") {
  std::vector<libpool::recorded_run> many;
  for (auto i = 0; i < 10; ++i) // half of a second, in tenths of it
    many.push_back(run(0, i * 100ms, i * 100ms + 50ms, i % 2 == 0 ? 1 : 2));
  auto told = json_of(recording_of(many), at(0s), at(2s), 5);
  CHECK_FALSE(told.contains("spans"));
  REQUIRE(told["shares"].size() == 4);
  auto sum = 0.0;
  auto count = 0;
  for (auto& share : told["shares"]) {
    CHECK(share[0] == 0);
    CHECK(share[3] == 500.0);
    sum += share[4].get<double>();
    count += share[6].get<int>();
  }
  CHECK(sum == doctest::Approx(1.0)); // 10 times 50 ms, in parts of 500 ms
  CHECK(count == 10);
  CHECK(json_of(recording_of(many), at(0s), at(2s), 3)["shares"].size() == 3);
}

TEST_CASE("if the older runs of a time window were discarded, the busy share "
          "of the recorded part stands for the whole window") {
  std::vector<libpool::recorded_run> many;
  for (auto i = 0; i < 10; ++i) // half of the time
    many.push_back(run(0, 1500ms + i * 50ms, 1525ms + i * 50ms));
  auto runs = recording_of(many);
  runs.since = at(1500ms);
  auto shares = json_of(runs, at(1s), at(2s), 1)["shares"];
  REQUIRE(shares.size() == 1);
  CHECK(shares[0][2] == 3'600'000.0 + 1000);
  CHECK(shares[0][3] == 1000.0);
  CHECK(shares[0][4] == doctest::Approx(0.5));
}

TEST_CASE("the last busy share of a time window ends with the window, even "
          "after less than half a second") {
  auto runs = recording_of({run(0, 500ms, 550ms), run(0, 550ms, 599ms)});
  auto shares = json_of(runs, at(0s), at(600ms), 1)["shares"];
  REQUIRE(shares.size() == 1);
  CHECK(shares[0][2] == 3'600'000.0 + 500);
  CHECK(shares[0][3] == 100.0);
  CHECK(shares[0][4] == doctest::Approx(0.99));
}

TEST_CASE("a run that spans several half seconds is part of the busy share of "
          "each of them") {
  auto told = json_of(recording_of({run(0, 250ms, 1250ms)}), at(0s), at(2s), 0);
  CHECK(told["shares"].empty());
  auto two = recording_of({run(0, 250ms, 1250ms), run(1, 0s, 1s)});
  // One more than may be told one by one.
  auto shares = json_of(two, at(0s), at(2s), 1)["shares"];
  REQUIRE(shares.size() == 1);
  CHECK(shares[0][4] == doctest::Approx(0.5));
}

TEST_CASE("the target of a request is decoded into path and parameters") {
  libpool::live::request asked;
  asked.set_target("/a%2Fb%20c+d?n=%35+1&n=2&empty=&bare&=x&%6e%3D=%26");
  CHECK(asked.path == "/a/b c+d");
  CHECK(asked.parameter("n") == "5 1");
  CHECK(asked.parameters.count("empty") == 1);
  CHECK(asked.parameters.count("bare") == 1);
  CHECK(asked.parameter("n=") == "&");
  CHECK(asked.parameter("none").empty());
  libpool::live::request odd;
  odd.set_target("/%4%zz%%41%-1%+1%?&&?=%");
  CHECK(odd.path == "/%4%zz%A%-1%+1%");
  CHECK(odd.parameter("?") == "%");
  CHECK(odd.parameters.size() == 2); // and the empty name
}

TEST_CASE("the number of viewers is limited, and a viewer that leaves makes "
          "room for another viewer") {
  libpool::live::seats two{2};
  auto first = two.take();
  auto second = two.take();
  CHECK(first != nullptr);
  CHECK(second != nullptr);
  CHECK(two.take() == nullptr);
  auto copy = first;
  first.reset();
  CHECK(two.take() == nullptr);
  copy.reset();
  CHECK(two.take() != nullptr);
}
