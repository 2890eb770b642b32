#include "terminal.hpp"

#include "unicode.hpp"

#define NCURSES_NOMACROS 1
#include <curses.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cwchar>
#include <stdexcept>
#include <string>

namespace pooltop {

namespace {

constexpr short looks = 7;

struct colours {
  short few;  ///< of 8
  short many; ///< of 256
};

/// Blue, yellow and vermilion: those who confuse red and green see that they
/// differ.
constexpr std::array<colours, looks> palette{{
  {-1, -1},             // plain
  {-1, -1},             // faint
  {-1, -1},             // strong
  {-1, -1},             // chosen
  {COLOR_CYAN, 74},     // bar
  {COLOR_YELLOW, 214},  // warning
  {COLOR_MAGENTA, 209}, // alarm
}};

constexpr std::array<attr_t, looks> attributes{
  A_NORMAL,
  A_DIM,
  A_BOLD,
  A_REVERSE | A_BOLD,
  A_NORMAL,
  A_BOLD,
  A_BOLD | A_UNDERLINE,
};

void set_colours() {
  if (!::has_colors() || ::start_color() == ERR
      || ::use_default_colors() == ERR)
    return;
  for (short i = 0; i < looks; ++i) {
    const auto& each = palette.at(static_cast<std::size_t>(i));
    ::init_pair(static_cast<short>(i + 1), COLORS >= 256 ? each.many : each.few,
                -1);
  }
}

/// What the terminal can show of a cell: a character of another width than
/// expected would shift the rest of the line.
std::wstring shown(const cell& of) {
  const auto found = glyphs_of(of.glyph);
  if (found.empty())
    return {};
  const auto code = static_cast<wchar_t>(found.front().code);
  const auto width = static_cast<int>(found.front().width);
  if (::wcwidth(code) == width)
    return {code};
  return std::wstring(found.front().width, L'?');
}

command command_of_code(wint_t code) {
  switch (code) {
    case KEY_RESIZE:
      return command::redraw;
    case KEY_RIGHT:
      return command::next_pool;
    case KEY_LEFT:
    case KEY_BTAB:
      return command::previous_pool;
    case KEY_UP:
      return command::line_up;
    case KEY_DOWN:
      return command::line_down;
    case KEY_PPAGE:
      return command::page_up;
    case KEY_NPAGE:
      return command::page_down;
    case KEY_HOME:
      return command::first_line;
    case KEY_END:
      return command::last_line;
    default:
      return command::none;
  }
}

command command_of_character(wint_t character) {
  switch (character) {
    case L'\t':
      return command::next_pool;
    case L'w':
      return command::show_workers;
    case L'f':
      return command::show_flows;
    case L'n':
      return command::show_nodes;
    case L's':
      return command::sort;
    case L'k':
      return command::line_up;
    case L'j':
      return command::line_down;
    case L'p':
      return command::freeze;
    case L'P':
      return command::pause_pool;
    case L'D':
      return command::drain_pool;
    case L'+':
      return command::add_worker;
    case L'-':
      return command::remove_worker;
    case L'C':
      return command::cancel_flow;
    case L'X':
      return command::cancel_all;
    case L'y':
      return command::yes;
    case L'?':
    case L'h':
      return command::help;
    case L'q':
      return command::quit;
    default:
      return command::none;
  }
}

} // namespace

struct terminal::state {
  SCREEN* screen = nullptr;
};

terminal::terminal(bool has_colours) : state_(std::make_unique<state>()) {
  state_->screen = ::newterm(nullptr, stdout, stdin);
  if (state_->screen == nullptr) {
    const auto* name = std::getenv("TERM");
    throw std::runtime_error(
      "the terminal type '" + escaped(name == nullptr ? "" : name)
      + "' in TERM is unknown; --once prints plain text");
  }
  ::cbreak();
  ::noecho();
  ::nonl();
  ::keypad(stdscr, TRUE);
  ::curs_set(0);
  ::set_escdelay(25);
  if (has_colours)
    set_colours();
}

terminal::~terminal() {
  ::endwin();
  ::delscreen(state_->screen);
}

std::size_t terminal::width() const {
  return static_cast<std::size_t>(std::max(::getmaxx(stdscr), 0));
}

std::size_t terminal::height() const {
  return static_cast<std::size_t>(std::max(::getmaxy(stdscr), 0));
}

void terminal::draw(const std::vector<line>& lines) {
  ::werase(stdscr);
  for (std::size_t y = 0; y < lines.size() && y < height(); ++y) {
    ::wmove(stdscr, static_cast<int>(y), 0);
    for (const auto& each : lines[y].cells()) {
      const auto as = static_cast<std::size_t>(each.as);
      ::wattr_set(stdscr, attributes.at(as), static_cast<short>(as + 1),
                  nullptr);
      ::waddwstr(stdscr, shown(each).c_str());
    }
  }
  ::wattr_set(stdscr, A_NORMAL, 0, nullptr);
  ::wrefresh(stdscr);
}

command terminal::wait_for(std::chrono::milliseconds time) {
  ::wtimeout(stdscr, static_cast<int>(time.count()));
  wint_t key = 0;
  switch (::wget_wch(stdscr, &key)) {
    case OK:
      return command_of_character(key);
    case KEY_CODE_YES:
      return command_of_code(key);
    default:
      return command::none;
  }
}

} // namespace pooltop
