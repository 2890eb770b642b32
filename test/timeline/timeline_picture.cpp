/// Timelines as pictures.

#include "timelines.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <cstdint>
#include <string>

using libpool::duration;
using libpool::never;
using libpool::timeline;
using libpool::worker_number;
using test::at;
using test::busy;
using test::completed;
using test::contains;
using test::count;
using test::gantt_of;
using test::is_well_formed;
using test::odd_texts;
using test::replaced;
using namespace std::chrono_literals;

TEST_CASE("the helper of the tests that checks pictures distinguishes "
          "well-formed XML from other text") {
  CHECK(is_well_formed("<a x=\"1\"><b/>&lt;</a>\n"));
  for (auto wrong : {"<a>", "</a>", "<a></b>", "<a><b></a></b>", "<a>&</a>",
                     "<a>&x;</a>", "<a x=\"></a>", "<a>\x01</a>", "<a<b/>"})
    CHECK_FALSE(is_well_formed(wrong));
}

TEST_CASE("the picture of an empty timeline is well-formed") {
  auto svg = gantt_of(timeline{});
  CHECK(is_well_formed(svg));
  CHECK(contains(svg, "0 tasks on 0 workers"));
}

TEST_CASE("a run that is long enough to be visible is a bar with a tooltip") {
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

TEST_CASE("a bar is as long as its run, and placed at its start") {
  // The lanes are 1200 - 24 - 44 - 108 pixels wide, and begin after 108.
  timeline t;
  t.add(completed(1, 0, 0s, 0s, 1s));
  t.add(completed(2, 0, 0s, 1s, 4s));
  auto svg = gantt_of(t);
  CHECK(contains(svg, R"(x="108" y="175" width="255.5" height="20")"));
  CHECK(contains(svg, R"(x="364" y="175" width="767.5" height="20")"));
}

TEST_CASE("the picture of a part of a timeline has the time axis and the busy "
          "shares of that part") {
  timeline t;
  t.add(completed(1, 0, 0s, 2s, 12s));   // half of the part
  t.add(completed(2, 1, 0s, 0s, 30s));   // all of it, and more
  t.add(completed(3, 2, 15s, 15s, 17s)); // a tenth and more, of which one is in
  t.add(completed(4, 2, 0s, 0s, 1s));    // before it
  auto svg = gantt_of(t, {at(7s), at(16s)});
  CHECK(is_well_formed(svg));
  CHECK(contains(svg, "3 tasks on 3 workers in 9\u00A0s"));
  CHECK(contains(svg, ">56\u2009%</text>"));
  CHECK(contains(svg, ">100\u2009%</text>"));
  CHECK(contains(svg, ">11\u2009%</text>"));
  CHECK(contains(svg, "<title>task 1 (a): completed\n"
                      "waited 2\u00A0s, ran 10\u00A0s\n"
                      "\u22127\u00A0s \u2013 5\u00A0s</title>"));
  CHECK_FALSE(contains(svg, "<title>task 4 "));
}

TEST_CASE("a task that ran several times counts as one task of the picture") {
  timeline t;
  t.add({1, worker_number{0}, "a", at(0s), at(0s), at(1s), "crashed"});
  t.add(completed(1, 1, 0s, 2s, 3s));
  t.add(completed(2, 0, 0s, 1s, 2s));
  CHECK(contains(gantt_of(t), ">2 tasks, 3 runs on 2 workers in 3\u00A0s<"));
}

TEST_CASE("two completed tasks with the same number count as separate tasks in "
          "the picture") {
  timeline t;
  t.add(completed(1, 0, 0s, 0s, 1s));
  t.add(completed(1, 0, 1s, 1s, 2s));
  t.add({0, {}, "a", at(0s), never, never, "waiting"});
  t.add({0, {}, "a", at(0s), never, never, "waiting"});
  CHECK(contains(gantt_of(t), ">4 tasks on 1 worker in 2\u00A0s<"));
}

TEST_CASE("the picture has a curve of the waiting tasks of each flow") {
  timeline t;
  t.add(completed(1, 0, 0s, 5s, 9s, "a"));
  t.add(completed(2, 1, 0s, 5s, 9s, "a"));
  t.add(completed(3, 2, 0s, 5s, 9s, "b"));
  auto svg = gantt_of(t);
  CHECK(contains(svg, "<title>a: 2 tasks</title>"));
  CHECK(contains(svg, "<title>b: 1 task</title>"));
}

TEST_CASE("tasks that were never started are marked and counted") {
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

TEST_CASE("runs that are too short to be drawn one by one are drawn together, "
          "with their number") {
  auto svg = gantt_of(busy(2, 200'000));
  CHECK(is_well_formed(svg));
  CHECK_FALSE(contains(svg, "<title>task "));
  CHECK(
    contains(svg, ">a: 33\u202F334 tasks too short to be drawn one by one<"));
  CHECK(svg.size() < 500'000);
}

TEST_CASE("a run that is too short to be drawn has a mark in the picture even "
          "if it is between long runs") {
  timeline t;
  t.add(completed(1, 0, 0s, 0s, 100s));
  t.add(completed(2, 0, 0s, 200s, 200s, "b"));
  t.add(completed(3, 0, 0s, 300s, 400s));
  CHECK(contains(gantt_of(t),
                 "<title>b: 1 task too short to be drawn one by one</title>"));
}

TEST_CASE("the picture states how many workers and tasks it leaves out") {
  auto svg = gantt_of(busy(300, 3000));
  CHECK(is_well_formed(svg));
  CHECK(contains(svg, "worker 255: 10 runs"));
  CHECK_FALSE(contains(svg, "worker 256"));
  CHECK(contains(svg, "Not drawn: 44 more workers, which ran 440 tasks."));
}

TEST_CASE("a worker that runs a thousand tasks at the same time has a bar for "
          "each task") {
  timeline t;
  for (std::uint64_t i = 0; i < 1000; ++i)
    t.add(completed(i, 0, 0s, 0s, 1s));
  auto svg = gantt_of(t);
  CHECK(is_well_formed(svg));
  CHECK(count("<title>task ", svg) == 1000);
}

TEST_CASE("the picture stays small for very many tasks") {
  auto svg = gantt_of(busy(256, 100'000));
  CHECK(count("<rect", svg) < 21'000);
  CHECK(svg.size() < 4'000'000);
}

TEST_CASE("if there are more than seven flows, the flows that ran least share "
          "a colour") {
  timeline t;
  for (std::uint64_t i = 0; i < 10; ++i)
    t.add(completed(i, 0, 0s, 0s, (i + 1) * 1s, "flow " + std::to_string(i)));
  auto svg = gantt_of(t);
  for (auto kept : {"flow 3", "flow 9"})
    CHECK(contains(svg, ">" + std::string{kept} + "</text>"));
  CHECK_FALSE(contains(svg, ">flow 2</text>"));
  CHECK(contains(svg, ">3 more flows</text>"));
}

TEST_CASE("texts with arbitrary bytes are escaped in the picture") {
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

TEST_CASE("axes are labelled with round numbers of a time unit") {
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
