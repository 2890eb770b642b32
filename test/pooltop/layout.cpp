/// Whole screens, as they are seen.

#include "pooltop/layout.hpp"

#include "pooltop/samples.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

using namespace pooltop;
using test::text_of;
using test::view_of_busy_pools;

namespace {

/// The picture begins in a line of its own.
std::string below(const char* picture) {
  return picture + 1;
}

std::string screen(const view& what, std::size_t width, std::size_t height) {
  return text_of(screen_of(what, width, height).lines);
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t result = 0;
  for (auto i = text.find(part); i != std::string::npos;
       i = text.find(part, i + 1))
    ++result;
  return result;
}

/// A pool of so many workers; the last one has done the most.
view view_of_workers(std::size_t workers) {
  view result;
  result.was_told = true;
  auto& pool = result.told.pools.emplace_back();
  for (std::size_t i = 0; i < workers; ++i) {
    auto& each = pool.members.emplace_back();
    each.numbers["number"] = static_cast<double>(i);
    each.numbers["completed"] = static_cast<double>(i);
    each.name = "w" + std::to_string(workers - i);
  }
  return result;
}

/// The lines of the table, without its titles.
std::vector<std::string> rows(const view& what) {
  std::vector<std::string> result;
  for (const auto& each : screen_of(what, 80, 24).lines)
    if (const auto text = each.text(); text.find(" w") == 4)
      result.push_back(text.substr(0, text.find(' ', 5)));
  return result;
}

} // namespace

TEST_CASE("a screen of 80 columns and 24 lines shows a pool") {
  CHECK(screen(view_of_busy_pools(), 80, 24) == below(R"(
pooltop  http://127.0.0.1:8080  libpool 0.1.0
[images]   mail
fair_queuing  workers 4 (4 busy)  waiting 812 of 10.0k  oldest 1.2 s
arrived 48.0k/s  completed 45.2k/s  failed 0.1 %  running 5  leaving 1
!! 12 messages were refused in the last 10 s: the queue of the flow is full
   (10); the queue is full (2)
!  worker 2 has run one task for 42 s: task 4711 (job) of flow batch
!  flow batch floods the pool: 790 of 812 waiting tasks
!  files: stage parse is full, 7 items wait to enter the pipeline
waiting                                                          ▃▅█ max 812
done/s                                                           ███ max 45.2k
p50 p95 p99  wait      1.2 ms  3.4 ms   10 ms  service  0.40 ms  1.4 ms  7.5 ms
accepted 1.23M  completed 1.23M  failed 140  cancelled 10  refused 12  retries 3
restarts 2  crashed 2  removed 1
refused: the queue of the flow is full (10)  the queue is full (2)
errors: a worker crashed (140)
files: 7 → [read 3/4] → [parse 8/8 full] → [count 2/8] failed 2
  ▲# name          state tasks        busy   done failed    mean     max running
   0 hash_worker    busy     1 █████ 100 %   400k     40 0.42 ms  140 ms 0.40 ms
   2 hash_worker    busy     1 ████▉  98 %   434k    100 0.41 ms   97 ms    42 s
   3 a_worker_w… leaving     1 ██▌··  50 %      9      0   12 ms   13 ms  250 ms
   4 blöd\x1b[3…    busy     2 ····· 0.5 %      0      0       -       -    0 ms

q quit  ? help  Tab pool  w/f/n table  s sort  p pause                  1-4 of 4
)"));
}

TEST_CASE("a screen of 40 columns shows the most important figures") {
  CHECK(screen(view_of_busy_pools(), 40, 24) == below(R"(
pooltop  http://127.0.0.1:8080  libpool…
[images]   mail
fair_queuing  workers 4 (4 busy)
waiting 812 of 10.0k  oldest 1.2 s
arrived 48.0k/s  completed 45.2k/s
failed 0.1 %  running 5  leaving 1
!! 12 messages were refused in the last
   10 s: the queue of the flow is full
   (10); the queue is full (2)        +3
waiting                    ▃▅█ max 812
done/s                     ███ max 45.2k
p50 p95 p99
wait      1.2 ms  3.4 ms   10 ms
service  0.40 ms  1.4 ms  7.5 ms
files: 7 → [read 3/4] → [parse 8/8 full]
→ [count 2/8] failed 2
  ▲# name              state        busy
   0 hash_worker        busy █████ 100 %
   2 hash_worker        busy ████▉  98 %
   3 a_worker_with_… leaving ██▌··  50 %
   4 blöd\x1b[31m       busy ····· 0.5 %


q quit  ? help  Tab pool        1-4 of 4
)"));
}

TEST_CASE("a screen of 200 columns shows two tables next to each other") {
  CHECK(screen(view_of_busy_pools(), 200, 20) == below(R"(
pooltop  http://127.0.0.1:8080  libpool 0.1.0
[images]   mail
fair_queuing  workers 4 (4 busy)  waiting 812 of 10.0k  oldest 1.2 s  arrived 48.0k/s  completed 45.2k/s  failed 0.1 %  running 5  leaving 1
!! 12 messages were refused in the last 10 s: the queue of the flow is full (10); the queue is full (2)
!  worker 2 has run one task for 42 s: task 4711 (job) of flow batch
!  flow batch floods the pool: 790 of 812 waiting tasks
!  files: stage parse is full, 7 items wait to enter the pipeline
waiting                                                          ▃▅█ max 812                         done/s                                                           ███ max 45.2k
p50 p95 p99  wait      1.2 ms  3.4 ms   10 ms  service  0.40 ms  1.4 ms  7.5 ms
accepted 1.23M  completed 1.23M  failed 140  cancelled 10  refused 12  retries 3  restarts 2  crashed 2  removed 1
refused: the queue of the flow is full (10)  the queue is full (2)  errors: a worker crashed (140)
files: 7 → [read 3/4] → [parse 8/8 full] → [count 2/8] failed 2
  ▲# name                        state tasks                 busy   done failed stolen    mean     max running   ▼waiting name       running served                share   seats     lag    mean  oldest
   0 hash_worker                  busy     1 ██████████████ 100 %   400k     40      0 0.42 ms  140 ms 0.40 ms       790 batch             3   900k ██████████▏···  72 %  14 min  -12 ms  310 ms   1.2 s
   2 hash_worker                  busy     1 █████████████▊  98 %   434k    100      7 0.41 ms   97 ms    42 s        22 interactive       1   334k ███▉··········  28 %   5 min   12 ms  1.7 ms   20 ms
   3 a_worker_with_a_long_name leaving     1 ███████·······  50 %      9      0      0   12 ms   13 ms  250 ms
   4 blöd\x1b[31m                 busy     2 ▏············· 0.5 %      0      0      0       -       -    0 ms


q quit  ? help  Tab pool  w/f/n table  s sort  p pause                                                                                                                                          1-4 of 4
)"));
}

TEST_CASE("a screen of 7 lines shows the state of the pool") {
  CHECK(screen(view_of_busy_pools(), 30, 7) == below(R"(
pooltop  http://127.0.0.1:808…
fair_queuing
workers 4 (4 busy)
waiting 812 of 10.0k
oldest 1.2 s  arrived 48.0k/s
completed 45.2k/s
q quit  ? help  Tab pool
)"));
}

TEST_CASE("a paused screen with an error can be drawn in ASCII") {
  auto what = view_of_busy_pools();
  what.with = ascii_symbols;
  what.chosen.shown = table_kind::flows;
  what.chosen.is_paused = true;
  what.trouble = "Cannot connect to http://127.0.0.1:8080.";
  what.now_s += 12;
  CHECK(screen(what, 80, 14) == below(R"(
PAUSED  pooltop  http://127.0.0.1:8080  libpool 0.1.0
!! Cannot connect to http://127.0.0.1:8080. No data for 12 s; the values below
   are old.
[images]   mail
fair_queuing  workers 4 (4 busy)  waiting 812 of 10.0k  oldest 1.2 s
arrived 48.0k/s  completed 45.2k/s  failed 0.1 %  running 5  leaving 1
!! 12 messages were refused in the last 10 s: the queue of the flow is full
   (10); the queue is full (2)                                                +3
p50 p95 p99  wait      1.2 ms  3.4 ms   10 ms  service  0.40 ms  1.4 ms  7.5 ms
files: 7 -> [read 3/4] -> [parse 8/8 full] -> [count 2/8] failed 2
vwaiting name       running served         share   seats     lag    mean  oldest
    790 batch             3   900k #####..  72 %  14 min  -12 ms  310 ms   1.2 s
     22 interactive       1   334k ##.....  28 %   5 min   12 ms  1.7 ms   20 ms
q quit  ? help  Tab pool  w/f/n table  s sort  p pause                  1-2 of 2
)"));
}

TEST_CASE(
  "a screen with old data is faint except for the line that states the age") {
  auto what = view_of_busy_pools();
  const auto fresh_lines = [&] {
    auto lines = screen_of(what, 80, 24).lines;
    lines.pop_back(); // the keys
    return std::count_if(lines.begin(), lines.end(), [](const line& each) {
      return std::any_of(each.cells().begin(), each.cells().end(),
                         [](const cell& x) { return x.as != look::faint; });
    });
  };
  CHECK(fresh_lines() > 15);
  what.trouble = "Cannot connect to http://127.0.0.1:8080.";
  what.now_s += 12;
  CHECK(screen_of(what, 80, 24).lines[1].text()
        == "!! Cannot connect to http://127.0.0.1:8080. No data for 12 "
           "s; the values below");
  CHECK(fresh_lines() == 3); // the title, and the sentence in two
}

TEST_CASE("a value that the server does not send is shown as a dash") {
  auto what = view_of_busy_pools();
  what.chosen.pool = "mail";
  CHECK(screen(what, 80, 12) == below(R"(
pooltop  http://127.0.0.1:8080  libpool 0.1.0
 images   [mail]
(custom policy)  workers 1 (0 busy)  waiting 0  oldest -  arrived -  completed -
failed -
!  files: stage parse is full, 7 items wait to enter the pipeline
waiting                                                          ▁▁▁ max 0
done/s                                                               max -
p50 p95 p99  wait           -       -       -  service        -       -       -
files: 7 → [read 3/4] → [parse 8/8 full] → [count 2/8] failed 2
  ▲# name         state tasks         busy   done failed    mean     max running
   0 mailer        idle     -            -      -      -       -       -       -
q quit  ? help  Tab pool  w/f/n table  s sort  p pause                  1-1 of 1
)"));
}

TEST_CASE("a report contains all rows of all tables") {
  CHECK(text_of(report_of(view_of_busy_pools(1), 80)) == below(R"(
pooltop  http://127.0.0.1:8080  libpool 0.1.0
[images]   mail
fair_queuing  workers 4 (4 busy)  waiting 812 of 10.0k  oldest 1.2 s
arrived 48.0k/s  completed 45.2k/s  failed 0.1 %  running 5  leaving 1
!! 12 messages were refused in the last 10 s: the queue of the flow is full
   (10); the queue is full (2)
!  worker 2 has run one task for 42 s: task 4711 (job) of flow batch
!  flow batch floods the pool: 790 of 812 waiting tasks
!  files: stage parse is full, 7 items wait to enter the pipeline
p50 p95 p99  wait      1.2 ms  3.4 ms   10 ms  service  0.40 ms  1.4 ms  7.5 ms
accepted 1.23M  completed 1.23M  failed 140  cancelled 10  refused 12  retries 3
restarts 2  crashed 2  removed 1
refused: the queue of the flow is full (10)  the queue is full (2)
errors: a worker crashed (140)
files: 7 → [read 3/4] → [parse 8/8 full] → [count 2/8] failed 2

  ▲# name          state tasks        busy   done failed    mean     max running
   0 hash_worker    busy     1 █████ 100 %   400k     40 0.42 ms  140 ms 0.40 ms
   2 hash_worker    busy     1 ████▉  98 %   434k    100 0.41 ms   97 ms    42 s
   3 a_worker_w… leaving     1 ██▌··  50 %      9      0   12 ms   13 ms  250 ms
   4 blöd\x1b[3…    busy     2 ····· 0.5 %      0      0       -       -    0 ms

▼waiting name       running served         share   seats     lag    mean  oldest
    790 batch             3   900k █████··  72 %  14 min  -12 ms  310 ms   1.2 s
     22 interactive       1   334k ██·····  28 %   5 min   12 ms  1.7 ms   20 ms
)"));
  const auto report = text_of(report_of(view_of_workers(500), 80));
  CHECK(count(report, "\n   0 w500 ") == 1);
  CHECK(count(report, "\n 499 w1 ") == 1);
}

TEST_CASE("a screen is never larger than the terminal") {
  auto what = view_of_busy_pools();
  for (auto help : {false, true}) {
    what.chosen.has_help = help;
    for (std::size_t width = 0; width < 160; width += 3)
      for (std::size_t height = 0; height < 40; ++height) {
        const auto drawn = screen_of(what, width, height);
        CHECK(drawn.lines.size() == height);
        CHECK(
          std::all_of(drawn.lines.begin(), drawn.lines.end(),
                      [=](const line& each) { return each.width() <= width; }));
      }
  }
}

TEST_CASE("ASCII screens contain only ASCII") {
  auto what = view_of_busy_pools();
  what.with = ascii_symbols;
  for (auto which :
       {table_kind::workers, table_kind::flows, table_kind::nodes}) {
    what.chosen.shown = which;
    const auto text = screen(what, 120, 40);
    CHECK(std::all_of(text.begin(), text.end(), [](char each) {
      return each == '\n' || (each >= ' ' && each < '\x7f');
    }));
  }
}

TEST_CASE("the table scrolls, and shows the range of the visible rows") {
  auto what = view_of_workers(100);
  const auto drawn = screen_of(what, 80, 24);
  CHECK(drawn.table.rows == 100);
  CHECK(rows(what).size() == drawn.table.page);
  CHECK(rows(what).front() == "   0 w100");
  what.chosen.first_row = 90;
  CHECK(rows(what).front() == "  90 w10");
  CHECK(rows(what).size() == 10);
  CHECK(count(screen(what, 80, 24), " of 100") == 1);
}

TEST_CASE("if the server sends only some workers of a pool, the screen states "
          "how many workers the pool has") {
  auto what = view_of_workers(2);
  CHECK(count(screen(what, 80, 24), "1-2 of 2\n") == 1);
  what.told.pools.front().numbers["all_members"] = 1000;
  CHECK(count(screen(what, 80, 24), "1-2 of 2 listed, 1000 in total\n") == 1);
}

TEST_CASE("tables are sorted by numbers in descending order, and by names") {
  auto what = view_of_workers(3);
  auto& by = what.chosen.sorted_by[0];
  CHECK(rows(what).front() == "   0 w3");
  by = 1;
  CHECK(rows(what).front() == "   2 w1");
  by = 5;
  CHECK(rows(what).front() == "   2 w1");
  what.told.pools[0].members[0].numbers.erase("completed");
  CHECK(rows(what).front() == "   2 w1");
  CHECK(rows(what).back() == "   0 w3");
}

TEST_CASE("equal rows stay in the order of the server") {
  auto what = view_of_workers(30);
  what.chosen.sorted_by[0] = 10;
  CHECK(rows(what)[0] == "   0 w30");
  CHECK(rows(what)[1] == "   1 w29");
}

TEST_CASE("if a pool has no rows for the table of flows, the screen states "
          "that there are none") {
  auto what = view_of_workers(1);
  what.chosen.shown = table_kind::flows;
  CHECK(count(screen(what, 80, 24), "no flows\n") == 1);
}

TEST_CASE(
  "before the first answer the screen shows that it waits, or the error") {
  view what;
  what.address = "http://x";
  CHECK(count(screen(what, 80, 24), "Waiting for the first answer.") == 1);
  what.trouble = "Cannot connect to http://x.";
  CHECK(count(screen(what, 80, 24), "!! Cannot connect to http://x.\n") == 1);
  CHECK(count(screen(what, 80, 24), "old") == 0);
}

TEST_CASE("the screen states that a server has no pools") {
  view what;
  what.was_told = true;
  CHECK(count(screen(what, 80, 24), "The server shows no pools.") == 1);
}

TEST_CASE("help lists the keys, and fits into 24 lines") {
  view what;
  what.chosen.has_help = true;
  const auto text = screen(what, 80, 24);
  CHECK(count(text, "quit") > 0);
  CHECK(count(text, "loses tasks or answers") == 1);
}
