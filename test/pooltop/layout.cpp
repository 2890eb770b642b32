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

TEST_CASE("a screen shows the most important figures that fit into its size") {
  const auto busy = view_of_busy_pools();
  auto frozen = busy;
  frozen.with = ascii_symbols;
  frozen.chosen.shown = table_kind::flows;
  frozen.chosen.is_frozen = true;
  frozen.trouble = "Cannot connect to http://127.0.0.1:8080.";
  frozen.now_s += 12;
  auto control = busy;
  control.told.may_control = true;
  control.told.pools.front().numbers["is_paused"] = 1;
  control.told.pools.front().numbers["stand_ins"] = 2;
  control.chosen.asked = command::cancel_flow;
  control.chosen.asked_flow = 1;
  auto mail = busy;
  mail.chosen.pool = "mail";
  struct row {
    std::string name;
    const view& what;
    std::size_t width;
    std::size_t height;
  };
  const std::vector<row> rows{{"80x24", busy, 80, 24},
                              {"40x24", busy, 40, 24},
                              {"200x20", busy, 200, 20},
                              {"30x7", busy, 30, 7},
                              {"control_80x24", control, 80, 24},
                              {"frozen_ascii_80x14", frozen, 80, 14},
                              {"unknown_values_80x12", mail, 80, 12}};
  for (const auto& row : rows) {
    CAPTURE(row.name);
    CHECK(screen(row.what, row.width, row.height)
          == test::text_in("screens/" + row.name + ".txt"));
  }
}

TEST_CASE("a report contains all rows of all tables") {
  CHECK(text_of(report_of(view_of_busy_pools(1), 80))
        == test::text_in("screens/report.txt"));
  const auto report = text_of(report_of(view_of_workers(500), 80));
  CHECK(count(report, "\n   0 w500 ") == 1);
  CHECK(count(report, "\n 499 w1 ") == 1);
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

TEST_CASE("a screen is never larger than the terminal") {
  auto what = view_of_busy_pools();
  for (auto help : {false, true}) {
    what.chosen.has_help = help;
    what.told.may_control = help;
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
  // Equal rows stay in the order of the server.
  what = view_of_workers(30);
  what.chosen.sorted_by[0] = 10;
  CHECK(rows(what)[0] == "   0 w30");
  CHECK(rows(what)[1] == "   1 w29");
}

TEST_CASE("the screen states what it cannot show, and why") {
  view what;
  what.address = "http://x";
  CHECK(count(screen(what, 80, 24), "Waiting for the first answer.") == 1);
  what.trouble = "Cannot connect to http://x.";
  CHECK(count(screen(what, 80, 24), "!! Cannot connect to http://x.\n") == 1);
  CHECK(count(screen(what, 80, 24), "old") == 0);
  what = {};
  what.was_told = true;
  CHECK(count(screen(what, 80, 24), "The server shows no pools.") == 1);
  what = view_of_workers(1);
  what.chosen.shown = table_kind::flows;
  CHECK(count(screen(what, 80, 24), "no flows\n") == 1);
  what = view_of_workers(2);
  CHECK(count(screen(what, 80, 24), "1-2 of 2\n") == 1);
  what.told.pools.front().numbers["all_members"] = 1000;
  CHECK(count(screen(what, 80, 24), "1-2 of 2 listed, 1000 in total\n") == 1);
}

TEST_CASE("help lists the keys, and fits into 24 lines") {
  view what;
  what.chosen.has_help = true;
  const auto text = screen(what, 80, 24);
  CHECK(count(text, "quit") > 0);
  CHECK(count(text, "loses tasks or answers") == 1);
}
