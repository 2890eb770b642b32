/// What the examples write on a terminal. That results are whole and failures
/// are reported, and that signals end them, is in the end-to-end tests.

#include "console/outputs.hpp"
#include "console/progress_line.hpp"
#include "console/terminal.hpp"
#include "console/text.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <cstdlib>
#include <future>
#include <string>
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

const std::string erased{"\r\x1b[K"};

} // namespace

TEST_CASE(
  "the width of a terminal is what it reports, or else COLUMNS, or else "
  "80") {
  const terminal screen{40};
  ::setenv("COLUMNS", "60", 1);
  CHECK(terminal_width(screen.program) == 40);
  screen.resize(0);
  CHECK(terminal_width(screen.program) == 60);
  for (const std::string odd :
       {"", "0", "-3", "wide", "99999999999999999999"}) {
    CAPTURE(odd);
    ::setenv("COLUMNS", odd.c_str(), 1);
    CHECK(terminal_width(screen.program) == 80);
  }
  ::unsetenv("COLUMNS");
}

TEST_CASE("sizes are in powers of 1024, and times are rounded up to seconds") {
  CHECK(human_bytes(0) == "0 B");
  CHECK(human_bytes(1023) == "1023 B");
  CHECK(human_bytes(1024) == "1.0 KiB");
  CHECK(human_bytes(1024 * 1024 - 1) == "1.0 MiB");
  CHECK(human_bytes(~std::uint64_t{0}) == "16.0 EiB");
  CHECK(human_rate(3 * 1024, 2) == "1.5 KiB/s");
  CHECK(human_rate(3, 0) == "0 B/s");
  CHECK(human_seconds(0.2) == "00:01");
  CHECK(human_seconds(61) == "01:01");
  CHECK(human_seconds(360000) == "100:00:00");
}

TEST_CASE(
  "a line contains the first figures that fit completely into the width "
  "of the terminal") {
  const std::vector<std::string> figures{"12 files", "3 B", "1500 words"};
  CHECK(line_of(figures, 25) == "12 files  3 B  1500 words");
  CHECK(line_of(figures, 24) == "12 files  3 B");
  CHECK(line_of(figures, 7).empty());
  CHECK(line_of({"1", "long one", "2"}, 6) == "1");
}

TEST_CASE("control characters in names are printed as octal numbers") {
  CHECK(printable("a\nb\x1b[2J\x7f") == "a\\012b\\033[2J\\177");
  CHECK(printable("\xc3\xa4 b") == "\xc3\xa4 b");
}

TEST_CASE(
  "a status line is replaced, cleared for a message, and removed at the end") {
  const terminal screen{9};
  outputs out{"prog", nullptr, {screen.program, screen.program}};
  CHECK(out.shows_status());
  out.show_status("one");
  out.show_status("two");
  CHECK(screen.seen() == "\rone\x1b[K\rtwo\x1b[K");
  out.complain("beware");
  CHECK(screen.seen() == erased + "prog: beware\r\n");
  out.print("result");
  CHECK(screen.seen() == "result");
  // It never reaches the last column.
  out.show_status("\u00e4\u00e423456789");
  CHECK(screen.seen() == "\r\u00e4\u00e4234567\x1b[K");
  out.show_status("");
  out.show_status("");
  CHECK(screen.seen() == erased);
}

TEST_CASE("a progress line fits the width of the terminal, and is removed at "
          "the end") {
  const terminal screen{40};
  outputs out{"prog", nullptr, {screen.program, screen.program}};
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
