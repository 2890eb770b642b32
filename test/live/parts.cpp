/// What a live view is made of, without a server and without pools.

#include "libpool/observability/live/history.hpp"
#include "libpool/observability/live/number_words.hpp"
#include "libpool/observability/live/page.hpp"
#include "libpool/observability/live/pool_json.hpp"
#include "libpool/observability/live/request.hpp"
#include "libpool/observability/live/runs_json.hpp"
#include "libpool/observability/live/seats.hpp"
#include "samples.hpp"
#include "support/figures.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

namespace live_parts_tests {

namespace {

using namespace std::chrono_literals;
using libpool::duration;
using libpool::live::history;
using libpool::live::json;
using libpool::live::json_of;
using test::at;
using test::member;
using test::sample_at;

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
  result.kinds = {"", "job"};
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
  // A gap without samples is included until two samples are newer.
  CHECK(beginning_of(past, 600s) == 20s);
  past.add(sample_at(600s));
  CHECK(beginning_of(past, 600500ms) == 20s);
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

TEST_CASE("the guide has headings with anchors, lists, a way back, and no link "
          "that leads nowhere") {
  const auto guide = libpool::live::guide_with("x");
  auto has = [&](const char* part) {
    return guide.find(part) != std::string::npos;
  };
  CHECK(has("<h2 id=\"too-few-workers\">Too few workers</h2>\n<ul>\n<li>The"));
  CHECK(has("<code>shared_queue</code>"));
  CHECK(has("<a href=\"/\">"));
  CHECK(has("<style nonce=\"x\">\n:root"));
  CHECK_FALSE(has("<img"));
  CHECK_FALSE(has(".md\""));
  CHECK_FALSE(has("@"
                  "GUIDE"));
}

TEST_CASE("the JSON of pools and pipelines has the documented names") {
  auto now = sample_at(9s);
  test::filler{}.fill<libpool::pool_stats>(now.stats);
  now.nodes.push_back(test::filled<libpool::node_stats>());
  const auto pool = json_of("p", now, {});
  CHECK(has(
    pool,
    "name problems policy workers busy leaving stand_ins slots waiting "
    "assigned sent running held overdue capacity accepted "
    "refused completed failed cancelled error_answers "
    "refusals errors retries retries_refused joined restarts left stolen "
    "gathered hedged oldest_waiting_s longest_running_s window flows limits "
    "flows_are_clients sees_answers failed_messages "
    "all_members members nodes unreachable"));
  CHECK(has(pool["left"], "removed crashed ended"));
  CHECK(has(pool["window"], "seconds arrived_per_s completed_per_s "
                            "failed_per_s cancelled_per_s refused_per_s "
                            "error_answers_per_s answered_errors "
                            "crashed wait_ms service_ms"));
  CHECK(has(pool["flows"][0], "name waiting running served refused seat_s "
                              "share lag_ms mean_wait_ms waiting_for_s"));
  CHECK(has(pool["members"][0],
            "number name state in_flight busy_share completed failed stolen "
            "mean_ms max_ms running_for_s is_stuck is_paused task"));
  CHECK(has(pool["nodes"][0], "name slots in_flight round_trip_ms silent_ms "
                              "service_ms bytes_per_s"));
  CHECK(has(pool["limits"][0], "name is_of_pool is_paused parked most_running "
                               "per_second"));
  CHECK(pool["error_answers"].is_number());
  now.stats.sees_answers = false;
  CHECK(json_of("p", now, {})["error_answers"].is_null());
  libpool::live::line_sample at_work;
  at_work.stats = test::filled<libpool::pipeline_stats>();
  const auto line = json_of("l", at_work, {});
  CHECK(has(line, "name problems accepted refused completed failed cancelled "
                  "in_line waiting slowest stages"));
  CHECK(has(line["stages"][0],
            "name credit held answered failed is_full is_slowest "
            "completed_per_s time_ms wait_ms workers busy busy_share"));
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
  CHECK(pool["problems"].size() == 1);
}

TEST_CASE(
  "the page gets the runs that ended in a time window one by one, up to "
  "a maximum number of runs, with the flows and kinds of their tasks") {
  auto runs = recording_of(
    {run(0, 1s, 2s, 1), run(1, 1s, 3s, 2), run(1, 3s, 4s), run(1, 3s, 3s)});
  runs.runs[1].how = libpool::outcome::failed;
  runs.runs[0].accepted = runs.runs[1].accepted = at(0s);
  runs.runs[1].task = 7;
  runs.runs[3].worker.reset(); // never ran
  runs.runs[3].started = libpool::never;
  runs.runs[1].kind = 1;
  auto told = json_of(runs, at(0s), at(4s), 3);
  auto hour = 3'600'000.0;
  CHECK(told["spans"]
        == json::array({{0, 0, hour + 1000, hour + 2000, 1, 0, 1000.0, 0},
                        {1, 1, hour + 1000, hour + 3000, 0, 7, 1000.0, 1}}));
  CHECK(told["flows"] == json::array({"a", "b"}));
  CHECK(told["kinds"] == json::array({"", "job"}));
  CHECK(json_of(runs, at(4s), at(5s), 9)["spans"].size() == 1);
}

TEST_CASE("instead of too many runs, the page gets the busy share of each "
          "worker in each half second, by flow and kind") {
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
  many[1].kind = 1;
  told = json_of(recording_of(many), at(0s), at(2s), 5);
  REQUIRE(told["shares"].size() == 5);
  for (auto i : {1U, 2U}) { // of flow b in the first half second
    CHECK(told["shares"][i][1] == 1);
    CHECK(told["shares"][i][6] == 1);
    CHECK(told["shares"][i][7] == i - 1);
  }
  CHECK(json_of(recording_of(many), at(0s), at(2s), 3)["shares"].size() == 3);
}

TEST_CASE("a busy share stands for the time of its window that was recorded, "
          "and ends with the window") {
  auto shares_of = [](const libpool::recording& runs, duration from,
                      duration to) {
    auto shares = json_of(runs, at(from), at(to), 1)["shares"];
    REQUIRE(shares.size() == 1);
    return shares[0];
  };
  std::vector<libpool::recorded_run> many;
  for (auto i = 0; i < 10; ++i) // half of the time
    many.push_back(run(0, 1500ms + i * 50ms, 1525ms + i * 50ms));
  auto runs = recording_of(many);
  runs.since = at(1500ms); // older runs were discarded
  auto share = shares_of(runs, 1s, 2s);
  CHECK(share[2] == 3'600'000.0 + 1000);
  CHECK(share[3] == 1000.0);
  CHECK(share[4] == doctest::Approx(0.5));
  // A window can end after less than half a second.
  runs = recording_of({run(0, 500ms, 550ms), run(0, 550ms, 599ms)});
  share = shares_of(runs, 0s, 600ms);
  CHECK(share[2] == 3'600'000.0 + 500);
  CHECK(share[3] == 100.0);
  CHECK(share[4] == doctest::Approx(0.99));
  // A run is part of each half second.
  runs = recording_of({run(0, 250ms, 1250ms), run(1, 0s, 1s)});
  CHECK(shares_of(runs, 0s, 2s)[4] == doctest::Approx(0.5));
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

} // namespace live_parts_tests
