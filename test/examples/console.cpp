/// What the examples write on a terminal.

#include "console/outputs.hpp"
#include "console/progress_line.hpp"
#include "console/terminal.hpp"
#include "console/text.hpp"

#include <doctest/doctest.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <future>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace console_tests {

using namespace console;

namespace {

/// All that can be read without waiting.
std::string read_all(int fd) {
  std::string out;
  std::array<char, 4096> piece{};
  for (;;) {
    const auto got = ::read(fd, piece.data(), piece.size());
    if (got <= 0)
      return out;
    out.append(piece.data(), static_cast<std::size_t>(got));
  }
}

/// The two ends of a terminal: the program has `program`.
class terminal {
public:
  explicit terminal(unsigned short columns = 80)
    : user_(::posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK)) {
    REQUIRE(user_ >= 0);
    REQUIRE(::grantpt(user_) == 0);
    REQUIRE(::unlockpt(user_) == 0);
    program = ::open(::ptsname(user_), O_RDWR | O_NOCTTY);
    REQUIRE(program >= 0);
    resize(columns);
  }

  terminal(const terminal&) = delete;
  terminal& operator=(const terminal&) = delete;

  ~terminal() {
    ::close(program);
    ::close(user_);
  }

  void resize(unsigned short columns) const {
    winsize size{};
    size.ws_row = 25;
    size.ws_col = columns;
    REQUIRE(::ioctl(user_, TIOCSWINSZ, &size) == 0);
  }

  /// What the program has written since the last time.
  std::string seen() const {
    return read_all(user_);
  }

  int program = -1;

private:
  int user_;
};

/// A pipe into which a program writes.
class sink {
public:
  sink() {
    std::array<int, 2> ends{};
    REQUIRE(::pipe2(ends.data(), O_NONBLOCK) == 0);
    reader_ = ends[0];
    program = ends[1];
  }

  sink(const sink&) = delete;
  sink& operator=(const sink&) = delete;

  ~sink() {
    ::close(program);
    ::close(reader_);
  }

  std::string seen() const {
    return read_all(reader_);
  }

  /// Nobody reads any more.
  void close_reader() {
    ::close(std::exchange(reader_, -1));
  }

  int program = -1;

private:
  int reader_ = -1;
};

/// The variable COLUMNS for as long as this lives.
class columns_variable {
public:
  explicit columns_variable(const char* value) {
    if (const char* before = std::getenv("COLUMNS"))
      before_ = before;
    ::setenv("COLUMNS", value, 1);
  }

  columns_variable(const columns_variable&) = delete;
  columns_variable& operator=(const columns_variable&) = delete;

  ~columns_variable() {
    if (before_)
      ::setenv("COLUMNS", before_->c_str(), 1);
    else
      ::unsetenv("COLUMNS");
  }

private:
  std::optional<std::string> before_;
};

const std::string erased{"\r\x1b[K"};

} // namespace

TEST_CASE("the width of a terminal is the number of columns that the terminal "
          "reports") {
  const columns_variable variable{"60"};
  const terminal screen{40};
  CHECK(terminal_width(screen.program) == 40);
  screen.resize(100);
  CHECK(terminal_width(screen.program) == 100);
}

TEST_CASE(
  "variable COLUMNS sets the width if the terminal does not report a width") {
  const terminal screen{0};
  const sink pipe;
  const columns_variable variable{"60"};
  CHECK(terminal_width(screen.program) == 60);
  CHECK(terminal_width(pipe.program) == 60);
}

TEST_CASE("the width is 80 columns if neither the terminal nor COLUMNS states "
          "a width") {
  const terminal screen{0};
  for (const auto* odd : {"", "0", "-3", "wide", "99999999999999999999"}) {
    CAPTURE(odd);
    const columns_variable variable{odd};
    CHECK(terminal_width(screen.program) == 80);
  }
}

TEST_CASE("sizes are shown in units that are powers of 1024") {
  CHECK(human_bytes(0) == "0 B");
  CHECK(human_bytes(1023) == "1023 B");
  CHECK(human_bytes(1024) == "1.0 KiB");
  CHECK(human_bytes(1024 * 1024 - 1) == "1.0 MiB");
  CHECK(human_bytes(std::uint64_t{20} << 30U) == "20.0 GiB");
  CHECK(human_bytes(~std::uint64_t{0}) == "16.0 EiB");
}

TEST_CASE("a rate is bytes divided by seconds, and 0 if no time has passed") {
  CHECK(human_rate(3 * 1024, 2) == "1.5 KiB/s");
  CHECK(human_rate(3, 2) == "2 B/s");
  CHECK(human_rate(3, 0) == "0 B/s");
}

TEST_CASE(
  "times are rounded up to seconds, and show hours only from one hour on") {
  CHECK(human_seconds(0) == "00:00");
  CHECK(human_seconds(0.2) == "00:01");
  CHECK(human_seconds(61) == "01:01");
  CHECK(human_seconds(3600) == "1:00:00");
  CHECK(human_seconds(360000) == "100:00:00");
}

TEST_CASE("a line contains only those figures that fit completely into the "
          "width of the terminal") {
  const std::vector<std::string> figures{"12 files", "3 B", "1500 words"};
  CHECK(line_of(figures, 25) == "12 files  3 B  1500 words");
  CHECK(line_of(figures, 24) == "12 files  3 B");
  CHECK(line_of(figures, 12) == "12 files");
  CHECK(line_of(figures, 7).empty());
  CHECK(line_of({}, 7).empty());
}

TEST_CASE("all figures after the first figure that does not fit are left out") {
  CHECK(line_of({"1", "long one", "2"}, 6) == "1");
}

TEST_CASE("control characters in names are printed as octal numbers") {
  CHECK(printable("a\nb\x1b[2J\x7f") == "a\\012b\\033[2J\\177");
  CHECK(printable("\xc3\xa4 b") == "\xc3\xa4 b");
}

TEST_CASE("standard output is written at the end of the program, and standard "
          "error immediately") {
  const sink results;
  const sink messages;
  outputs out{"prog", nullptr, {results.program, messages.program}};
  out.print("one\n");
  out.complain("beware");
  CHECK(messages.seen() == "prog: beware\n");
  CHECK(results.seen().empty());
  CHECK(out.finish());
  CHECK(results.seen() == "one\n");
  CHECK(messages.seen().empty());
}

TEST_CASE("text for standard output is written immediately on a terminal") {
  const terminal screen;
  const sink messages;
  outputs out{"prog", nullptr, {screen.program, messages.program}};
  out.print("one");
  CHECK(screen.seen() == "one");
}

TEST_CASE("a full standard output stops the program, and is reported once") {
  const auto full = ::open("/dev/full", O_WRONLY | O_CLOEXEC);
  REQUIRE(full >= 0);
  const sink messages;
  std::atomic<bool> stop{false};
  outputs out{"prog", &stop, {full, messages.program}};
  out.print("one");
  CHECK_FALSE(stop);
  CHECK_FALSE(out.finish());
  CHECK(stop);
  CHECK(messages.seen() == "prog: standard output: No space left on device\n");
  ::close(full);
}

TEST_CASE("a closed pipe is not reported") {
  auto* const before = std::signal(SIGPIPE, SIG_IGN);
  sink results;
  const sink messages;
  outputs out{"prog", nullptr, {results.program, messages.program}};
  results.close_reader();
  out.print("one");
  CHECK_FALSE(out.finish());
  CHECK(messages.seen().empty());
  std::signal(SIGPIPE, before);
}

TEST_CASE(
  "a status line is replaced, cleared for a message, and removed at the end") {
  const sink results;
  const terminal screen;
  outputs out{"prog", nullptr, {results.program, screen.program}};
  CHECK(out.shows_status());
  out.show_status("one");
  out.show_status("two");
  CHECK(screen.seen() == "\rone\x1b[K\rtwo\x1b[K");
  out.complain("beware");
  CHECK(screen.seen() == erased + "prog: beware\r\n");
  out.show_status("three");
  screen.seen();
  out.show_status("");
  out.show_status("");
  CHECK(screen.seen() == erased);
}

TEST_CASE("a status line never reaches the last column of the terminal") {
  const sink results;
  const terminal screen{5};
  outputs out{"prog", nullptr, {results.program, screen.program}};
  out.show_status("12345");
  CHECK(screen.seen() == "\r1234\x1b[K");
  out.show_status("\u00e4\u00e4\u00e4\u00e4\u00e4");
  CHECK(screen.seen() == "\r\u00e4\u00e4\u00e4\u00e4\x1b[K");
}

TEST_CASE("no status line is shown if standard error is not a terminal") {
  const sink results;
  const sink messages;
  outputs out{"prog", nullptr, {results.program, messages.program}};
  CHECK_FALSE(out.shows_status());
  out.show_status("one");
  CHECK(messages.seen().empty());
}

TEST_CASE(
  "a progress line fits the width of the terminal, and is removed at the end") {
  const sink results;
  const terminal screen{40};
  outputs out{"prog", nullptr, {results.program, screen.program}};
  {
    std::promise<void> drawn;
    int times = 0;
    const progress_line line{out, [&](double seconds, std::size_t width) {
                               if (++times == 2)
                                 drawn.set_value();
                               return std::to_string(width)
                                      + (seconds > 0 ? " later" : " now");
                             }};
    drawn.get_future().wait();
  }
  const auto all = screen.seen();
  CHECK(all.rfind("\r39 later\x1b[K\r39 later\x1b[K", 0) == 0);
  REQUIRE(all.size() > erased.size());
  CHECK(all.substr(all.size() - erased.size()) == erased);
}

} // namespace console_tests
