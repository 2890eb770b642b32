#include "libpool/core/timeline.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <ios>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using libpool::duration;
using libpool::instant;
using libpool::never;
using libpool::timeline;
using libpool::worker_number;
using nlohmann::json;
using namespace std::chrono_literals;

namespace {

instant at(duration since) {
  return instant{since};
}

/// A task that worker `who` has completed.
timeline::span completed(std::uint64_t task, std::uint64_t who,
                         duration submitted, duration started,
                         duration finished, std::string_view flow = "a") {
  return {task,        worker_number{who}, flow,       at(submitted),
          at(started), at(finished),       "completed"};
}

std::string trace_of(const timeline& what) {
  std::ostringstream out;
  write_trace(out, what);
  return out.str();
}

std::string gantt_of(const timeline& what) {
  std::ostringstream out;
  write_gantt(out, what);
  return out.str();
}

/// The events of this phase.
std::vector<json> events(const timeline& what, const std::string& phase) {
  std::vector<json> out;
  auto trace = json::parse(trace_of(what));
  for (const auto& each : trace["traceEvents"])
    if (each["ph"] == phase)
      out.push_back(each);
  return out;
}

std::map<std::uint64_t, std::string> thread_names(const timeline& what) {
  std::map<std::uint64_t, std::string> out;
  for (const auto& each : events(what, "M"))
    if (each["name"] == "thread_name")
      out[each["tid"]] = each["args"]["name"];
  return out;
}

std::size_t count(std::string_view what, std::string_view in) {
  std::size_t found = 0;
  for (auto i = in.find(what); i != std::string_view::npos;
       i = in.find(what, i + 1))
    ++found;
  return found;
}

bool contains(std::string_view text, std::string_view what) {
  return text.find(what) != std::string_view::npos;
}

bool is_escaped(std::string_view text) {
  for (auto i = text.find('&'); i != std::string_view::npos;
       i = text.find('&', i + 1)) {
    auto entity = text.substr(i, text.find(';', i) - i + 1);
    if (entity != "&lt;" && entity != "&gt;" && entity != "&amp;"
        && entity != "&quot;")
      return false;
  }
  return std::none_of(text.begin(), text.end(), [](char x) {
    return static_cast<unsigned char>(x) < 0x20 && x != '\n' && x != '\t';
  });
}

std::string_view name_of(std::string_view tag) {
  return tag.substr(0, tag.find_first_of(" \n/"));
}

/// Whether each tag that opens is closed, in turn, and nothing is inside of one
/// or in between that XML has no place for.
bool is_well_formed(std::string_view xml) {
  std::vector<std::string_view> open;
  while (!xml.empty()) {
    auto begin = xml.find('<');
    if (begin == std::string_view::npos)
      return open.empty() && is_escaped(xml);
    auto end = xml.find('>', begin);
    if (end == std::string_view::npos || !is_escaped(xml.substr(0, end)))
      return false;
    auto tag = xml.substr(begin + 1, end - begin - 1);
    xml.remove_prefix(end + 1);
    if (contains(tag, "<") || count("\"", tag) % 2 != 0)
      return false;
    if (tag.front() != '/' && tag.back() != '/')
      open.push_back(name_of(tag));
    if (tag.front() != '/')
      continue;
    if (open.empty() || open.back() != tag.substr(1))
      return false;
    open.pop_back();
  }
  return open.empty();
}

/// Many short tasks of a few flows, on so many workers.
timeline busy(std::uint64_t workers, std::uint64_t tasks,
              duration service = 1ms) {
  timeline out;
  constexpr std::array flows{"a", "b", "c"};
  for (std::uint64_t i = 0; i < tasks; ++i) {
    auto start = service * static_cast<std::int64_t>(i / workers);
    out.add(completed(i, i % workers, 0s, start, start + service,
                      flows[i % flows.size()]));
  }
  return out;
}

const std::string replaced{"\uFFFD"};

/// What is in texts, and what viewers get to see of it.
const std::vector<std::pair<std::string, std::string>> odd_texts{
  {"", ""},
  {"plain", "plain"},
  {"quote \" backslash \\ slash /", "quote \" backslash \\ slash /"},
  {"<a href='x'>&amp;</a>", "<a href='x'>&amp;</a>"},
  {"]]> --> \u00E9\u20AC\U0001F600", "]]> --> \u00E9\u20AC\U0001F600"},
  {"latin \xE4\xFF", "latin " + replaced + replaced},
  {"cut \xE2\x82", "cut " + replaced + replaced},
  {"overlong \xC0\xAF", "overlong " + replaced + replaced},
  {"surrogate \xED\xA0\x80", "surrogate " + replaced + replaced + replaced},
  {"beyond \xF4\x90\x80\x80",
   "beyond " + replaced + replaced + replaced + replaced},
};

} // namespace

// -- what is kept -------------------------------------------------------------

TEST_CASE("without tasks, a timeline begins and ends at zero") {
  timeline empty;
  CHECK(empty.first() == at(0s));
  CHECK(empty.last() == at(0s));
}

TEST_CASE("a timeline goes from the first moment to the last one") {
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

TEST_CASE("equal texts are kept once") {
  timeline t;
  for (auto flow : {"a", "b", "a", "", "b"})
    t.add(completed(1, 0, 0s, 0s, 1s, flow));
  CHECK(t.flows().size() == 3);
  CHECK(t.flows()[t.records()[2].flow] == "a");
  CHECK(t.flows()[t.records()[3].flow].empty());
  CHECK(t.outcomes().size() == 1);
}

TEST_CASE("nothing ends before it began") {
  timeline t;
  t.add(completed(1, 0, 5s, 4s, 3s));
  const auto& kept = t.records().front();
  CHECK(kept.submitted == at(3s));
  CHECK(kept.started == at(3s));
  CHECK(kept.finished == at(3s));
}

// -- the trace ----------------------------------------------------------------

TEST_CASE("the trace of nothing has no events but names") {
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

TEST_CASE("a run is a slice, and its waiting an asynchronous one") {
  timeline t;
  t.add(completed(7, 3, 1000ns, 2500ns, 1002501ns));
  auto trace = trace_of(t);
  CHECK(contains(trace, R"(
{"ph":"M","pid":1,"tid":1,"name":"thread_name","args":{"name":"worker 3"}},)"));
  CHECK(contains(trace, R"(
{"ph":"X","pid":1,"tid":1,"ts":1.5,"dur":1000.001,"name":"a","args":{"task":7,"outcome":"completed"}},)"));
  CHECK(contains(trace, R"(
{"ph":"b","cat":"waiting","pid":2,"tid":2,"id":0,"ts":0,"name":"a","args":{"task":7,"outcome":"completed"}},
{"ph":"e","cat":"waiting","pid":2,"tid":2,"id":0,"ts":1.5,"name":"a"}
]})"));
}

TEST_CASE("a task that starts at once has not waited") {
  timeline t;
  t.add(completed(1, 0, 1s, 1s, 2s));
  CHECK(events(t, "X").size() == 1);
  CHECK(events(t, "b").empty());
  CHECK(events(t, "e").empty());
}

TEST_CASE("a task of no flow is called a task") {
  timeline t;
  t.add(completed(1, 0, 0s, 1s, 2s, ""));
  CHECK(events(t, "X").front()["name"] == "task");
}

TEST_CASE("what was never started waits, and leaves a mark") {
  timeline t;
  t.add({1, {}, "a", at(0s), never, at(3s), "cancelled"});
  t.add({2, {}, "a", at(4s), never, at(4s), "refused"});
  t.add({3, {}, "a", at(5s), never, never, "waiting"});
  t.extend_to(at(10s));
  CHECK(events(t, "X").empty());
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

TEST_CASE("what is not finished goes on until the last moment") {
  timeline t;
  t.add({1, worker_number{0}, "a", at(0s), at(1s), never, "running"});
  t.extend_to(at(3s));
  auto runs = events(t, "X");
  REQUIRE(runs.size() == 1);
  CHECK(runs[0]["dur"] == 2e6);
}

TEST_CASE("workers are in order, also those that ran nothing") {
  timeline t;
  t.add_worker(worker_number{2}, "two");
  t.add(completed(1, 10, 0s, 0s, 1s));
  t.add_worker(worker_number{1});
  t.add_worker(worker_number{2});
  std::map<std::uint64_t, std::string> wanted{
    {1, "worker 1"}, {2, "two"}, {3, "worker 10"}, {4, "not started"}};
  CHECK(thread_names(t) == wanted);
}

TEST_CASE("runs that overlap on a worker are in threads of their own") {
  timeline t;
  t.add(completed(1, 0, 0s, 0s, 4s));
  t.add(completed(2, 0, 0s, 1s, 2s));
  t.add(completed(3, 0, 0s, 2s, 3s));
  t.add(completed(4, 0, 0s, 2s, 5s));
  t.add(completed(5, 1, 0s, 0s, 1s));
  std::map<std::uint64_t, std::string> wanted{{1, "worker 0"},
                                              {2, "worker 0 (2)"},
                                              {3, "worker 0 (3)"},
                                              {4, "worker 1"},
                                              {5, "not started"}};
  CHECK(thread_names(t) == wanted);
  std::map<std::uint64_t, std::uint64_t> threads;
  for (const auto& each : events(t, "X"))
    threads[each["args"]["task"]] = each["tid"];
  std::map<std::uint64_t, std::uint64_t> wanted_threads{
    {1, 1}, {2, 2}, {3, 2}, {4, 3}, {5, 4}};
  CHECK(threads == wanted_threads);
}

TEST_CASE("texts of any bytes come back from the trace") {
  for (const auto& each : odd_texts) {
    const auto& text = each.first;
    const auto& seen = each.second;
    CAPTURE(text);
    timeline t;
    t.add_worker(worker_number{0}, text);
    t.add({1, worker_number{0}, text, at(0s), at(0s), at(1s), text});
    auto run = events(t, "X").front();
    CHECK(run["name"] == (text.empty() ? "task" : seen));
    CHECK(run["args"]["outcome"] == seen);
    CHECK(thread_names(t)[1] == (text.empty() ? "worker 0" : seen));
  }
}

TEST_CASE("control characters come back from the trace") {
  std::string all;
  for (char x = 0; x < 0x20; ++x)
    all += x;
  all += '\x7F';
  timeline t;
  t.add(completed(1, 0, 0s, 0s, 1s, all));
  CHECK(events(t, "X").front()["name"] == all);
  CHECK(contains(trace_of(t), R"(\u0000\u0001)"));
}

// -- the picture --------------------------------------------------------------

TEST_CASE("the checker of the pictures knows XML from what is none") {
  CHECK(is_well_formed("<a x=\"1\"><b/>&lt;</a>\n"));
  for (auto wrong : {"<a>", "</a>", "<a></b>", "<a><b></a></b>", "<a>&</a>",
                     "<a>&x;</a>", "<a x=\"></a>", "<a>\x01</a>", "<a<b/>"})
    CHECK_FALSE(is_well_formed(wrong));
}

TEST_CASE("the picture of nothing is a picture") {
  auto svg = gantt_of(timeline{});
  CHECK(is_well_formed(svg));
  CHECK(contains(svg, "0 tasks on 0 workers"));
}

TEST_CASE("each run that can be seen is a bar that tells of itself") {
  timeline t;
  t.add(completed(1, 0, 0ms, 10ms, 30ms, "red"));
  t.add(completed(2, 1, 5ms, 5ms, 40ms, "blue"));
  t.add({3, worker_number{1}, "blue", at(0s), at(45ms), at(60ms), "failed"});
  auto svg = gantt_of(t);
  CHECK(is_well_formed(svg));
  CHECK(contains(svg, "<title>task 1 (red): completed\n"
                      "waited 10\u00A0ms, ran 20\u00A0ms\n"
                      "0\u00A0ns \u2013 30\u00A0ms</title>"));
  CHECK(contains(svg, "<title>task 2 (blue): completed\n"));
  CHECK(contains(svg, "<title>task 3 (blue): failed\n"));
  CHECK(contains(svg, ">worker 0</text>"));
  CHECK(contains(svg, ">red</text>"));
  CHECK(contains(svg, ">2 completed, 1 failed, longest wait 45\u00A0ms<"));
  CHECK(count("<rect class=\"x\"", svg) == 2); // the failed one, the legend
}

TEST_CASE("a bar is as long as its run, and where it belongs") {
  // The lanes are 1200 - 24 - 44 - 108 pixels wide, and begin after 108.
  timeline t;
  t.add(completed(1, 0, 0s, 0s, 1s));
  t.add(completed(2, 0, 0s, 1s, 4s));
  auto svg = gantt_of(t);
  CHECK(contains(svg, R"(x="108" y="175" width="255.5" height="20")"));
  CHECK(contains(svg, R"(x="364" y="175" width="767.5" height="20")"));
}

TEST_CASE("how many wait is drawn for each flow") {
  timeline t;
  t.add(completed(1, 0, 0s, 5s, 9s, "a"));
  t.add(completed(2, 1, 0s, 5s, 9s, "a"));
  t.add(completed(3, 2, 0s, 5s, 9s, "b"));
  auto svg = gantt_of(t);
  CHECK(contains(svg, "<title>a: 2 tasks</title>"));
  CHECK(contains(svg, "<title>b: 1 task</title>"));
}

TEST_CASE("what was never started is marked and counted") {
  timeline t;
  t.add(completed(1, 0, 0s, 0s, 9s));
  t.add({2, {}, "a", at(3s), never, at(3s), "refused"});
  t.add({3, {}, "a", at(3s), never, at(3s), "refused"});
  auto svg = gantt_of(t);
  CHECK(is_well_formed(svg));
  CHECK(contains(svg, ">not started</text>"));
  CHECK(contains(svg, "<title>task 2 (a): refused\nwaited 0\u00A0ns\n"
                      "3\u00A0s \u2013 3\u00A0s\nand 1 more here</title>"));
}

TEST_CASE("runs that are too short to be seen are counted together") {
  auto svg = gantt_of(busy(2, 200'000));
  CHECK(is_well_formed(svg));
  CHECK_FALSE(contains(svg, "<title>task "));
  CHECK(
    contains(svg, ">a: 33\u202F334 tasks too short to be drawn one by one<"));
  CHECK(svg.size() < 500'000);
}

TEST_CASE("a run among many that are longer still leaves a mark") {
  timeline t;
  t.add(completed(1, 0, 0s, 0s, 100s));
  t.add(completed(2, 0, 0s, 200s, 200s, "b"));
  t.add(completed(3, 0, 0s, 300s, 400s));
  CHECK(contains(gantt_of(t),
                 "<title>b: 1 task too short to be drawn one by one</title>"));
}

TEST_CASE("the picture says which workers it leaves out") {
  auto svg = gantt_of(busy(300, 3000));
  CHECK(is_well_formed(svg));
  CHECK(contains(svg, "worker 255: 10 runs"));
  CHECK_FALSE(contains(svg, "worker 256"));
  CHECK(contains(svg, "Not drawn: 44 more workers, which ran 440 tasks."));
}

TEST_CASE("a worker that runs very many tasks at once finds room") {
  timeline t;
  for (std::uint64_t i = 0; i < 1000; ++i)
    t.add(completed(i, 0, 0s, 0s, 1s));
  auto svg = gantt_of(t);
  CHECK(is_well_formed(svg));
  CHECK(count("<title>task ", svg) == 1000);
}

TEST_CASE("the picture stays small however much there is") {
  auto svg = gantt_of(busy(256, 100'000));
  CHECK(count("<rect", svg) < 21'000);
  CHECK(svg.size() < 4'000'000);
}

TEST_CASE("beyond seven flows, those that ran least share a colour") {
  timeline t;
  for (std::uint64_t i = 0; i < 10; ++i)
    t.add(completed(i, 0, 0s, 0s, (i + 1) * 1s, "flow " + std::to_string(i)));
  auto svg = gantt_of(t);
  for (auto kept : {"flow 3", "flow 9"})
    CHECK(contains(svg, ">" + std::string{kept} + "</text>"));
  CHECK_FALSE(contains(svg, ">flow 2</text>"));
  CHECK(contains(svg, ">3 more flows</text>"));
}

TEST_CASE("texts of any bytes are escaped in the picture") {
  for (const auto& each : odd_texts) {
    const auto& text = each.first;
    CAPTURE(text);
    timeline t;
    t.add_worker(worker_number{0}, text);
    t.add({1, worker_number{0}, text, at(0s), at(0s), at(1s), text});
    t.add({2, worker_number{0}, "", at(0s), never, at(1s), text});
    CHECK(is_well_formed(gantt_of(t)));
  }
  timeline t;
  t.add(completed(1, 0, 0s, 0s, 1s, "<\"&\x01\uFFFF>"));
  CHECK(
    contains(gantt_of(t), "&lt;&quot;&amp;" + replaced + replaced + "&gt;"));
}

TEST_CASE("axes have round times") {
  auto ticks = [](duration length) {
    timeline t;
    t.add(completed(1, 0, 0s, 0s, length));
    return gantt_of(t);
  };
  CHECK(contains(ticks(9ns), ">2\u00A0ns<"));
  CHECK(contains(ticks(1400us), ">0.2\u00A0ms<"));
  CHECK(contains(ticks(100s), ">10\u00A0s<"));
  CHECK(contains(ticks(119s), ">30\u00A0s<"));
  CHECK(contains(ticks(15min), ">2\u00A0min<"));
  CHECK(contains(ticks(2h), ">0.25\u00A0h<"));
  CHECK(contains(ticks(24h * 7000), ">1000\u00A0d<"));
}

// -- both ---------------------------------------------------------------------

TEST_CASE("equal timelines give equal bytes, whatever the stream was told") {
  auto t = busy(3, 500, 7us);
  std::ostringstream odd;
  odd << std::hex << std::showbase << std::showpos << std::scientific;
  write_trace(odd, t);
  write_gantt(odd, t);
  CHECK(odd.str() == trace_of(busy(3, 500, 7us)) + gantt_of(busy(3, 500, 7us)));
}

TEST_CASE("the longest times are told") {
  timeline t;
  t.add(completed(1, 0, 0s, 24h * 40'000, 24h * 100'000));
  CHECK(is_well_formed(gantt_of(t)));
  CHECK(events(t, "X").front()["dur"] == 60'000 * 86'400e6);
}

TEST_CASE("a stream that takes nothing is left as it is") {
  std::ostream nowhere{nullptr};
  write_trace(nowhere, busy(3, 500));
  write_gantt(nowhere, busy(3, 500));
  CHECK(nowhere.bad());
}
