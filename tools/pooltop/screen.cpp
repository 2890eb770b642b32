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

#include <sys/ioctl.h>
#include <unistd.h>

namespace pooltop {

namespace {

using namespace std::chrono_literals;

constexpr auto glance = 50ms;    // between two looks for answers
constexpr auto long_answer = 3s; // then the screen says that it takes long
constexpr auto give_up_after = 12s;
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
  to.known.add(to.told);
}

/// The width that the environment tells.
std::size_t told_width() {
  const auto* told = std::getenv("COLUMNS");
  const std::string_view text{told == nullptr ? "" : told};
  std::size_t result = 0;
  std::from_chars(text.data(), text.data() + text.size(), result);
  return result;
}

/// That of the terminal, if it is printed on one.
std::size_t width_of_report() {
  ::winsize size{};
  auto result = told_width();
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-vararg)
  if (result == 0 && ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0)
    result = size.ws_col;
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

/// A view on a terminal, kept up to date.
class session {
public:
  session(const options& by, const symbols& with)
    : what_(view_for(by, with)),
      answers_(source{by.server, by.token}, by.interval),
      on_(wants_colours()) {
    // nop
  }

  void run() {
    show();
    while (!what_.chosen.has_quit) {
      const auto what = on_.wait_for(glance);
      press(what);
      if (listen() || what != command::none)
        show();
    }
  }

private:
  void press(command what) {
    const auto was_frozen = what_.chosen.is_frozen;
    obey(what, what_.told, table_, what_.chosen);
    if (auto order = std::exchange(what_.chosen.order, {}); !order.empty())
      answers_.send(std::move(order));
    if (what_.chosen.is_frozen == was_frozen)
      return;
    answers_.pause(!was_frozen);
    if (was_frozen)
      what_.known.add_gap();
  }

  /// Whether something is new. While it is frozen, what comes is not, except
  /// for the outcomes of orders.
  bool listen() {
    auto got = answers_.wait_for(0ms);
    auto said = answers_.outcome();
    if (said)
      what_.chosen.outcome = std::move(*said);
    if (what_.chosen.is_frozen)
      return said.has_value();
    if (got)
      take(std::move(*got), what_);
    return got || said || is_waiting();
  }

  /// A server that owes an answer for long is in trouble as well.
  bool is_waiting() {
    const auto owed = answers_.owed();
    if (owed > long_answer)
      what_.trouble = what_.address + " has not answered for "
                      + time_text(owed.count()) + ".";
    return owed > long_answer;
  }

  void show() {
    what_.now_s = now_s();
    auto drawn = screen_of(what_, on_.width(), on_.height());
    const auto first = what_.chosen.first_row;
    clamp(drawn.table, what_.chosen);
    if (what_.chosen.first_row != first)
      drawn = screen_of(what_, on_.width(), on_.height());
    table_ = drawn.table;
    on_.draw(drawn.lines);
  }

  view what_;
  poller answers_;
  terminal on_;
  extent table_;
};

} // namespace

exit_code run_once(const options& by, const symbols& with) {
  auto what = view_for(by, with);
  poller answers{source{by.server, by.token}, by.interval};
  auto got = answers.wait_for(give_up_after);
  if (!got)
    return complain(what.address + " did not answer in time.");
  take(std::move(*got), what);
  if (!what.trouble.empty())
    return complain(what.trouble);
  if (!by.pool.empty() && !has_pool(what.told, what.chosen.pool))
    return complain(what.address + " shows no pool '" + what.chosen.pool
                    + "'.");
  return print_report(what);
}

exit_code run_screen(const options& by, const symbols& with) {
  session{by, with}.run();
  return success;
}

} // namespace pooltop
