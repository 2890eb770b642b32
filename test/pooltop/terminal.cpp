/// pooltop as people see it.

#include "pooltop/fake_server.hpp"
#include "pooltop/samples.hpp"
#include "pooltop/tmux_session.hpp"
#include "support/patience.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

using namespace std::chrono_literals;
using test::fake_server;
using test::tmux_session;

namespace {

std::string command_for(const fake_server& server,
                        const std::string& options = "") {
  return "LC_ALL=C.UTF-8 " POOLTOP " --interval 0.05 " + options + ' '
         + server.url();
}

/// Looks again whenever the program has asked the server.
template <class Predicate>
bool comes_true(fake_server& server, Predicate is_true) {
  const auto end = std::chrono::steady_clock::now() + test::patience;
  while (!is_true()) {
    if (std::chrono::steady_clock::now() > end)
      return false;
    server.is_asked_within(50ms);
  }
  return true;
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// Whether anything has a colour of its own; 39 is that of the terminal.
bool has_colours(std::string painted) {
  const std::string usual = "\x1b[39m";
  for (auto i = painted.find(usual); i != std::string::npos;
       i = painted.find(usual))
    painted.erase(i, usual.size());
  return has(painted, "\x1b[3");
}

/// Whether the screen has come to show that.
bool shows(fake_server& server, const tmux_session& on,
           const std::string& part) {
  const auto found = comes_true(server, [&] { return has(on.screen(), part); });
  if (!found)
    MESSAGE("no '" << part << "' in\n" << on.screen());
  return found;
}

/// Whether the line shows bars, and not a number, behind its name.
bool is_history(const std::string& line) {
  for (const std::string name : {"waiting ", "completed/s "})
    if (line.rfind(name, 0) == 0)
      return line.find_first_of("0123456789") != name.size();
  return false;
}

/// The lines below the address that do not depend on how often the server was
/// asked.
std::string steady_lines(const std::string& screen) {
  std::istringstream lines{screen};
  std::string line;
  std::getline(lines, line);
  std::string result;
  while (std::getline(lines, line))
    if (!is_history(line))
      result += line + '\n';
  return result;
}

/// Whether the screen has come to be that of the file.
bool shows_all(fake_server& server, const tmux_session& on,
               const std::string& file) {
  const auto expected = steady_lines(test::text_in("screens/" + file + ".txt"));
  const auto found =
    comes_true(server, [&] { return steady_lines(on.screen()) == expected; });
  if (!found)
    MESSAGE("expected\n" << expected << "seen\n" << steady_lines(on.screen()));
  return found;
}

} // namespace

TEST_CASE("the terminal shows the expected screen when the history of samples "
          "is full") {
  fake_server server;
  const tmux_session on{40, 24, command_for(server)};
  for (auto asked = 0; asked < 40; ++asked)
    REQUIRE(server.is_asked_within(test::patience));
  CHECK(shows_all(server, on, "40x24"));
}

TEST_CASE("the screen follows each key") {
  fake_server server;
  const tmux_session on{80, 24, command_for(server)};
  REQUIRE(shows_all(server, on, "80x24"));
  const std::vector<std::pair<const char*, const char*>> keys{
    {"f", "interactive"},
    {"w", "hash_worker"},
    {"s", "▲name"},
    {"?", "loses tasks or answers"}};
  for (auto [key, text] : keys) {
    on.press({key});
    CHECK(shows(server, on, text));
  }
  on.press({"?", "Tab"});
  CHECK(shows(server, on, "[mail]"));
  on.press({"Left"});
  CHECK(shows(server, on, "[images]"));
}

TEST_CASE("the screen follows the size of the terminal") {
  fake_server server;
  const tmux_session on{80, 24, command_for(server)};
  REQUIRE(shows_all(server, on, "80x24"));
  on.resize(40, 24);
  CHECK(shows_all(server, on, "40x24"));
  on.resize(200, 20);
  CHECK(shows_all(server, on, "200x20"));
}

TEST_CASE("keys scroll a table") {
  fake_server server;
  const tmux_session on{80, 12, command_for(server)};
  REQUIRE(shows(server, on, "1-3 of 4"));
  on.press({"Down"});
  CHECK(shows(server, on, "2-4 of 4"));
  on.press({"Down", "Home"});
  CHECK(shows(server, on, "1-3 of 4"));
  on.press({"End"});
  CHECK(shows(server, on, "2-4 of 4"));
  on.press({"PPage"});
  CHECK(shows(server, on, "1-3 of 4"));
}

TEST_CASE("key q ends the program, and restores the terminal") {
  fake_server server;
  const tmux_session on{
    80, 24,
    "before=$(stty -g); echo a line before; " + command_for(server)
      + "; echo \"ended with $?\"; "
        "[ \"$before\" = \"$(stty -g)\" ] && echo as before; "
        "exec cat"};
  REQUIRE(shows(server, on, "fair_queuing"));
  CHECK_FALSE(has(on.screen(), "a line before"));
  CHECK(on.value_of("#{alternate_on}") == "1");
  on.press({"q"});
  CHECK(shows(server, on, "a line before\nended with 0\nas before\n"));
  CHECK(on.value_of("#{alternate_on}") == "0");
  CHECK(on.value_of("#{cursor_flag}") == "1");
}

TEST_CASE("an error of the server is shown until the server answers again") {
  fake_server server;
  server.answer("at most 4 viewers", 503);
  const tmux_session on{80, 24, command_for(server)};
  CHECK(shows(server, on, "(503): at most 4 viewers."));
  server.answer(test::busy_pools());
  CHECK(shows(server, on, "fair_queuing"));
  CHECK_FALSE(has(on.screen(), "4 viewers"));
  server.answer("{}");
  CHECK(shows(server, on, "Cannot read the answer of"));
  CHECK(shows(server, on, "fair_queuing"));
  server.fall_silent();
  CHECK(shows(server, on, "did not answer"));
  CHECK(shows(server, on, "fair_queuing"));
  server.drip();
  CHECK(shows(server, on, "has not answered for "));
  CHECK(shows(server, on, "took too long to answer."));
}

TEST_CASE(
  "a screen that is frozen keeps its data, and still follows keys and size") {
  fake_server server;
  const tmux_session on{80, 24, command_for(server)};
  REQUIRE(shows(server, on, "fair_queuing"));
  server.fall_silent();
  CHECK(comes_true(server, [&] { return !server.is_asked_within(1s); }));
  on.press({"p"});
  REQUIRE(shows(server, on, "FROZEN"));
  // What was asked before the key comes now, and is not shown.
  server.answer(R"({"pools": []})");
  server.speak();
  CHECK_FALSE(server.is_asked_within(1s));
  for (int i = 0; i < 3; ++i) {
    on.press({"f"});
    CHECK(shows(server, on, "interactive"));
    on.press({"w"});
    CHECK(shows(server, on, "hash_worker"));
  }
  on.resize(80, 12);
  CHECK(shows(server, on, "p freeze                 1-3 of 4\n"));
  on.press({"p"});
  CHECK(shows(server, on, "The server shows no pools."));
}

TEST_CASE("keys change a pool with the control token, after a question if work "
          "is lost") {
  fake_server server;
  const std::string state = test::busy_pools();
  server.answer("{\"control\": \"open\"," + state.substr(state.find('{') + 1));
  const tmux_session on{80, 24, command_for(server, "--token secret")};
  REQUIRE(shows(server, on, "P pause or resume the pool"));
  on.press({"P"});
  CHECK(shows(server, on, "as ordered."));
  CHECK(server.order() == "/api/v1/pools/images/pause Bearer secret");
  on.press({"X"});
  CHECK(shows(server, on, "Cancel all messages of images"));
  on.press({"n"});
  CHECK(shows(server, on, "P pause or resume the pool"));
  CHECK(server.order() == "/api/v1/pools/images/pause Bearer secret");
  on.press({"C", "Down", "y"});
  CHECK(shows(server, on, "as ordered."));
  CHECK(server.order()
        == "/api/v1/pools/images/cancel?flow=interactive Bearer secret");
}

TEST_CASE("colours can be turned off") {
  fake_server server;
  const tmux_session with{80, 24, command_for(server)};
  REQUIRE(shows(server, with, "fair_queuing"));
  CHECK(has_colours(with.painted_screen()));
  const tmux_session without{80, 24, "NO_COLOR=1 " + command_for(server)};
  REQUIRE(shows(server, without, "fair_queuing"));
  CHECK_FALSE(has_colours(without.painted_screen()));
}

TEST_CASE("names cannot control the terminal") {
  fake_server server;
  server.answer(R"({"pools": [{"name": "\u001b]0;title\u0007\u001b[2Jx",
    "members": [{"name": "\u009b2J"}]}]})");
  const tmux_session on{80, 24, command_for(server)};
  CHECK(shows(server, on, "[\\x1b]0;title\\x07\\x1b[2Jx]"));
  CHECK(shows(server, on, "\\u{9b}2J"));
  CHECK(on.value_of("#{pane_title}") != "title");
}

TEST_CASE("the error about an unknown terminal type quotes the type") {
  fake_server server;
  const tmux_session on{80, 24,
                        "TERM=unheard-of " + command_for(server)
                          + "; echo \"ended with $?\"; exec cat"};
  CHECK(shows(server, on, "the terminal type 'unheard-of' in TERM is unknown"));
  CHECK(shows(server, on, "ended with 1"));
}
