#include "timelines.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <ios>
#include <map>
#include <ostream>
#include <sstream>
#include <streambuf>
#include <string>

using libpool::never;
using libpool::timeline;
using libpool::worker_number;
using test::at;
using test::busy;
using test::completed;
using test::contains;
using test::events;
using test::gantt_of;
using test::is_well_formed;
using test::odd_texts;
using test::slices;
using test::thread_names;
using test::trace_of;
using namespace std::chrono_literals;

// -- records ------------------------------------------------------------------

TEST_CASE("a timeline without tasks begins and ends at zero") {
  timeline empty;
  CHECK(empty.first() == at(0s));
  CHECK(empty.last() == at(0s));
}

TEST_CASE("a timeline spans the first to the last recorded time") {
  timeline t;
  t.add(completed(1, 0, 5s, 6s, 8s));
  t.add(completed(2, 0, 3s, 8s, 9s));
  CHECK(t.first() == at(3s));
  CHECK(t.last() == at(9s));
  t.extend_to(at(4s));
  CHECK(t.first() == at(3s));
  t.extend_to(at(0s));
  t.extend_to(at(12s));
  CHECK(t.first() == at(0s));
  CHECK(t.last() == at(12s));
}

TEST_CASE(
  "a timeline stores equal texts, such as the names of flows, only once") {
  timeline t;
  for (auto flow : {"a", "b", "a", "", "b"})
    t.add(completed(1, 0, 0s, 0s, 1s, flow));
  CHECK(t.flows().size() == 3);
  CHECK(t.flows()[t.records()[2].flow] == "a");
  CHECK(t.flows()[t.records()[3].flow].empty());
  CHECK(t.outcomes().size() == 1);
}

TEST_CASE(
  "start and submission of a record are moved to its end if they are later") {
  timeline t;
  t.add(completed(1, 0, 5s, 4s, 3s));
  const auto& kept = t.records().front();
  CHECK(kept.submitted == at(3s));
  CHECK(kept.started == at(3s));
  CHECK(kept.finished == at(3s));
}

// -- the trace ----------------------------------------------------------------

TEST_CASE(
  "the trace of an empty timeline contains only the names of its tracks") {
  CHECK(trace_of(timeline{}) == R"({"displayTimeUnit":"ns","traceEvents":[
{"ph":"M","pid":1,"tid":0,"name":"process_name","args":{"name":"workers"}},
{"ph":"M","pid":1,"tid":0,"name":"process_sort_index","args":{"sort_index":1}},
{"ph":"M","pid":2,"tid":0,"name":"process_name","args":{"name":"waiting"}},
{"ph":"M","pid":2,"tid":0,"name":"process_sort_index","args":{"sort_index":2}},
{"ph":"M","pid":2,"tid":1,"name":"thread_name","args":{"name":"not started"}},
{"ph":"M","pid":2,"tid":1,"name":"thread_sort_index","args":{"sort_index":1}}
]}
)");
}

TEST_CASE(
  "a run is a slice of the trace, and its waiting time an asynchronous slice") {
  timeline t;
  t.add(completed(7, 3, 1000ns, 2500ns, 1002501ns));
  auto trace = trace_of(t);
  CHECK(contains(trace, R"(
{"ph":"M","pid":1,"tid":1,"name":"thread_name","args":{"name":"worker 3"}},)"));
  CHECK(contains(trace, R"(
{"ph":"X","pid":1,"tid":1,"ts":1.5,"dur":1000.001,"name":"a","args":{"task":7,"outcome":"completed"}},)"));
  CHECK(contains(trace, R"(
{"ph":"b","cat":"waiting","pid":2,"tid":2,"id":0,"ts":0,"name":"a","args":{"task":7,"outcome":"completed"}},
{"ph":"e","cat":"waiting","pid":2,"tid":2,"id":0,"ts":1.5,"name":"a"},)"));
}

TEST_CASE("an arrow leads from the submission of a task to its run") {
  timeline t;
  t.add(completed(7, 3, 1us, 3us, 5us));
  t.add(completed(8, 3, 5us, 5us, 6us)); // did not wait
  CHECK(slices(t).size() == 2);
  CHECK(events(t, "b").size() == 1);
  CHECK(events(t, "e").size() == 1);
  auto from = events(t, "s");
  auto to = events(t, "f");
  REQUIRE(from.size() == 1);
  REQUIRE(to.size() == 1);
  CHECK(from[0]["id"] == to[0]["id"]);
  CHECK(from[0]["ts"] == 0);
  CHECK(to[0]["ts"] == 2);
  CHECK(to[0]["bp"] == "e");
  CHECK(thread_names(t).at(from[0]["tid"]) == "submitted");
  CHECK(thread_names(t).at(to[0]["tid"]) == "worker 3");
}

TEST_CASE("the trace states the number of waiting tasks and of running tasks "
          "at each moment") {
  timeline t;
  t.add(completed(1, 0, 0us, 0us, 4us));
  t.add(completed(2, 1, 0us, 1us, 4us));
  t.add(completed(3, 0, 2us, 4us, 5us));
  using counts = std::vector<std::pair<double, int>>;
  std::map<std::string, counts> seen;
  for (const auto& each : events(t, "C"))
    seen[each["name"]].emplace_back(each["ts"], each["args"]["tasks"]);
  CHECK(seen["running"] == counts{{0, 1}, {1, 2}, {4, 1}, {5, 0}});
  CHECK(seen["waiting"] == counts{{0, 1}, {1, 0}, {2, 1}, {4, 0}});
}

TEST_CASE("a timeline that is made of the recording of a pool states why tasks "
          "failed") {
  libpool::recording recorded;
  recorded.flows = {"", "gold"};
  recorded.kinds = {"", "int32_t"};
  libpool::recorded_run run;
  run.task = 1;
  run.worker = worker_number{2};
  run.kind = 1;
  run.accepted = at(0us);
  run.started = at(1us);
  run.ended = at(2us);
  run.flow = 1;
  recorded.runs.push_back(run);
  run.how = libpool::outcome::cancelled;
  run.why = libpool::errc::deadline_exceeded;
  run.worker = std::nullopt;
  run.started = libpool::never;
  run.kind = 0;
  recorded.runs.push_back(run);
  auto t = timeline_of(recorded, {{worker_number{2}, "two"}});
  CHECK(slices(t).back()["name"] == "gold");
  CHECK(slices(t).back()["args"]["kind"] == "int32_t");
  CHECK(thread_names(t)[1] == "two");
  REQUIRE(events(t, "i").size() == 1);
  CHECK(events(t, "i")[0]["name"]
        == to_string(libpool::errc::deadline_exceeded));
  CHECK(!events(t, "i")[0]["args"].contains("kind"));
}

TEST_CASE(
  "a recording is drawn with the tasks that ran or waited when it was taken") {
  libpool::recording recorded;
  recorded.flows = {""};
  recorded.taken = at(9us);
  libpool::recorded_run run;
  run.task = 1;
  run.worker = worker_number{2};
  run.accepted = at(0us);
  run.started = at(1us);
  recorded.open.push_back(run);
  run.task = 2;
  run.worker = std::nullopt;
  run.started = libpool::never;
  recorded.open.push_back(run);
  auto t = timeline_of(recorded);
  REQUIRE(slices(t).size() == 1);
  CHECK(slices(t)[0]["dur"] == 8);
  CHECK(slices(t)[0]["args"]["outcome"] == "running");
  CHECK(events(t, "i").empty());
  CHECK(t.last() == at(9us));
  for (const auto& each : events(t, "C"))
    CHECK(each["args"]["tasks"] > 0);
}

TEST_CASE(
  "a task that never started is shown as waiting, and its end as a mark") {
  timeline t;
  t.add({1, {}, "a", at(0s), never, at(3s), "cancelled"});
  t.add({2, {}, "a", at(4s), never, at(4s), "refused"});
  t.add({3, {}, "a", at(5s), never, never, "waiting"});
  t.extend_to(at(10s));
  CHECK(slices(t).empty());
  auto begins = events(t, "b");
  auto ends = events(t, "e");
  REQUIRE(begins.size() == 2);
  REQUIRE(ends.size() == 2);
  CHECK(begins[1]["args"]["task"] == 3);
  CHECK(ends[0]["ts"] == 3e6);
  CHECK(ends[1]["ts"] == 10e6);
  auto marks = events(t, "i");
  REQUIRE(marks.size() == 2);
  CHECK(marks[0]["name"] == "cancelled");
  CHECK(marks[1]["name"] == "refused");
  CHECK(marks[1]["ts"] == 4e6);
}

TEST_CASE("workers are listed in order, even if they ran no task") {
  timeline t;
  t.add_worker(worker_number{2}, "two");
  t.add(completed(1, 10, 0s, 0s, 1s));
  t.add_worker(worker_number{1});
  t.add_worker(worker_number{2});
  std::map<std::uint64_t, std::string> wanted{
    {1, "worker 1"}, {2, "two"}, {3, "worker 10"}, {4, "not started"}};
  CHECK(thread_names(t) == wanted);
}

TEST_CASE(
  "overlapping runs of a worker are in different threads of the trace") {
  timeline t;
  t.add(completed(1, 0, 0s, 0s, 4s));
  t.add(completed(2, 0, 0s, 1s, 2s));
  t.add(completed(3, 0, 0s, 2s, 3s));
  t.add(completed(4, 0, 0s, 2s, 5s));
  t.add(completed(5, 1, 0s, 0s, 1s));
  std::map<std::uint64_t, std::string> wanted{
    {1, "worker 0"}, {2, "worker 0 (2)"}, {3, "worker 0 (3)"},
    {4, "worker 1"}, {5, "not started"},  {6, "submitted"}};
  CHECK(thread_names(t) == wanted);
  std::map<std::uint64_t, std::uint64_t> threads;
  for (const auto& each : slices(t))
    threads[each["args"]["task"]] = each["tid"];
  std::map<std::uint64_t, std::uint64_t> wanted_threads{
    {1, 1}, {2, 2}, {3, 2}, {4, 3}, {5, 4}};
  CHECK(threads == wanted_threads);
}

TEST_CASE("texts with arbitrary bytes can be read back from the trace") {
  for (const auto& each : odd_texts) {
    const auto& text = each.first;
    const auto& seen = each.second;
    CAPTURE(text);
    timeline t;
    t.add_worker(worker_number{0}, text);
    t.add({1, worker_number{0}, text, at(0s), at(0s), at(1s), text});
    auto run = slices(t).front();
    CHECK(run["name"] == (text.empty() ? "task" : seen));
    CHECK(run["args"]["outcome"] == seen);
    CHECK(thread_names(t)[1] == (text.empty() ? "worker 0" : seen));
  }
}

TEST_CASE("control characters can be read back from the trace") {
  std::string all;
  for (char x = 0; x < 0x20; ++x)
    all += x;
  all += '\x7F';
  timeline t;
  t.add(completed(1, 0, 0s, 0s, 1s, all));
  CHECK(slices(t).front()["name"] == all);
  CHECK(contains(trace_of(t), R"(\u0000\u0001)"));
}

TEST_CASE("the trace states how often a task was stolen, and the trace context "
          "that a client gave to it") {
  timeline t;
  auto taken = completed(1, 0, 0s, 0s, 1s);
  taken.steals = 2;
  taken.trace = "00-0af7-b7ad-01";
  t.add(taken);
  t.add(completed(2, 0, 0s, 1s, 2s));
  auto runs = slices(t);
  REQUIRE(runs.size() == 2);
  CHECK(runs[0]["args"]["steals"] == 2);
  CHECK(runs[0]["args"]["trace"] == "00-0af7-b7ad-01");
  CHECK(!runs[1]["args"].contains("steals"));
}

// -- both ---------------------------------------------------------------------

TEST_CASE(
  "equal timelines give equal bytes, regardless of the stream's flags") {
  auto t = busy(3, 500, 7us);
  std::ostringstream odd;
  odd << std::hex << std::showbase << std::showpos << std::scientific;
  write_trace(odd, t);
  write_gantt(odd, t);
  CHECK(odd.str() == trace_of(busy(3, 500, 7us)) + gantt_of(busy(3, 500, 7us)));
}

TEST_CASE("the trace and the picture show very long times") {
  timeline t;
  t.add(completed(1, 0, 0s, 24h * 40'000, 24h * 100'000));
  CHECK(is_well_formed(gantt_of(t)));
  CHECK(slices(t).front()["dur"] == 60'000 * 86'400e6);
}

namespace {

/// A stream buffer that accepts at most `room` bytes.
class short_buffer final : public std::streambuf {
public:
  explicit short_buffer(std::size_t room) : room_(room) {
    // nop
  }

  std::string taken;

private:
  std::streamsize xsputn(const char* text, std::streamsize size) override {
    auto some = std::min(static_cast<std::size_t>(size), room_ - taken.size());
    taken.append(text, some);
    return static_cast<std::streamsize>(some);
  }

  int_type overflow(int_type next) override {
    auto byte = traits_type::to_char_type(next);
    return xsputn(&byte, 1) == 1 ? next : traits_type::eof();
  }

  std::size_t room_;
};

} // namespace

TEST_CASE(
  "after a write error, the stream is bad and receives no further bytes") {
  auto t = busy(3, 500);
  using writer = void (*)(std::ostream&, const timeline&);
  for (auto write :
       {writer{libpool::write_trace}, writer{libpool::write_gantt}})
    for (std::size_t room : {0U, 1U, 10'000U}) {
      CAPTURE(room);
      std::ostringstream whole;
      write(whole, t);
      REQUIRE(whole.str().size() > room);
      short_buffer buffer{room};
      std::ostream out{&buffer};
      write(out, t);
      CHECK(out.bad());
      CHECK(buffer.taken == whole.str().substr(0, room));
    }
}
