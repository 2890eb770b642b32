#include "screen.hpp"

#include "layout.hpp"
#include "numbers.hpp"
#include "poller.hpp"
#include "source.hpp"
#include "terminal.hpp"
#include "unicode.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <iostream>
#include <string>
#include <string_view>
#include <utility>

namespace pooltop {

namespace {

using namespace std::chrono_literals;

constexpr auto glance = 50ms;    // between two looks for answers
constexpr auto long_answer = 3s; // then the screen says that it takes long
constexpr auto longest_answer = 12s;
constexpr std::size_t usual_width = 80;

double now_s() {
  return std::chrono::duration<double>{poller::clock::now().time_since_epoch()}
    .count();
}

view view_for(const options& by, const symbols& with) {
  view result;
  result.address = by.server.text();
  result.chosen.pool = escaped(by.pool);
  result.with = with;
  return result;
}

void take(answer got, view& to) {
  to.trouble = std::move(got.trouble);
  if (!got.told)
    return to.known.add_gap();
  to.told = std::move(*got.told);
  to.told_s = now_s();
  to.was_told = true;
  to.known.add(to.told, to.told_s);
}

/// The width that the environment tells, if it does.
std::size_t width_of_report() {
  const auto* told = std::getenv("COLUMNS");
  const std::string_view text{told == nullptr ? "" : told};
  std::size_t result = 0;
  std::from_chars(text.data(), text.data() + text.size(), result);
  return result >= 20 && result <= 1000 ? result : usual_width;
}

bool has_pool(const snapshot& told, const std::string& name) {
  return std::any_of(told.pools.begin(), told.pools.end(),
                     [&](const pool& each) { return each.name == name; });
}

exit_code complain(const std::string& why) {
  std::cerr << "pooltop: " << why << '\n';
  return failed;
}

exit_code print_report(const view& what) {
  for (const auto& each : report_of(what, width_of_report()))
    std::cout << each.text() << '\n';
  if (std::cout.flush())
    return success;
  return complain("cannot write the report");
}

bool wants_colours() {
  const auto* told = std::getenv("NO_COLOR");
  return told == nullptr || *told == '\0';
}

/// A server that owes an answer for long is in trouble as well.
void watch(const poller& answers, view& to) {
  const auto owed = answers.owed();
  if (owed > long_answer)
    to.trouble = to.address + " does not answer for " + time_text(owed.count())
                 + " now.";
}

void show(terminal& on, const poller& answers, view& what) {
  what.now_s = now_s();
  watch(answers, what);
  auto drawn = screen_of(what, on.width(), on.height());
  const auto first = what.chosen.first_row;
  clamp(drawn.table, what.chosen);
  if (what.chosen.first_row != first)
    drawn = screen_of(what, on.width(), on.height());
  on.draw(drawn.lines);
}

} // namespace

exit_code run_once(const options& by, const symbols& with) {
  auto what = view_for(by, with);
  poller answers{source{by.server, by.token}, by.interval};
  auto got = answers.wait_for(longest_answer);
  if (!got)
    return complain(what.address + " does not answer in time.");
  take(std::move(*got), what);
  if (!what.trouble.empty())
    return complain(what.trouble);
  if (!by.pool.empty() && !has_pool(what.told, what.chosen.pool))
    return complain(what.address + " shows no pool '" + what.chosen.pool
                    + "'.");
  return print_report(what);
}

exit_code run_screen(const options& by, const symbols& with) {
  auto what = view_for(by, with);
  poller answers{source{by.server, by.token}, by.interval};
  terminal on{wants_colours()};
  while (!what.chosen.has_quit) {
    if (auto got = answers.wait_for(0ms))
      take(std::move(*got), what);
    show(on, answers, what);
    const auto table = screen_of(what, on.width(), on.height()).table;
    obey(on.wait_for(glance), what.told, table, what.chosen);
    answers.pause(what.chosen.is_paused);
  }
  return success;
}

} // namespace pooltop
