/// How the examples are told to end.

#include "console/signals.hpp"

#include <doctest/doctest.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstddef>
#include <string>
#include <thread>

#include <sys/wait.h>
#include <unistd.h>

namespace console_signals_tests {

using console::signals;

namespace {

void until(const std::atomic<bool>& holds) {
  while (!holds)
    std::this_thread::yield();
}

/// What has become of a process.
struct end {
  int code;
  std::string messages;
};

/// Runs the function in a process of its own, which the function has to end.
template <class Function>
end run_in_process(Function run) {
  std::array<int, 2> ends{};
  REQUIRE(::pipe(ends.data()) == 0);
  const auto id = ::fork();
  REQUIRE(id >= 0);
  if (id == 0) {
    ::dup2(ends[1], STDERR_FILENO);
    ::alarm(30); // rather than hang where signals do not end it
    run();
    ::_exit(0);
  }
  ::close(ends[1]);
  end out{};
  std::array<char, 100> piece{};
  for (ssize_t got = 1; got > 0;) {
    got = ::read(ends[0], piece.data(), piece.size());
    out.messages.append(piece.data(),
                        got > 0 ? static_cast<std::size_t>(got) : 0);
  }
  ::close(ends[0]);
  int status = 0;
  ::waitpid(id, &status, 0);
  out.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return out;
}

[[noreturn]] void hang() {
  for (;;)
    ::pause();
}

} // namespace

TEST_CASE("the first signal requests a stop") {
  for (const auto signal : {SIGINT, SIGTERM}) {
    std::atomic<bool> stop{false};
    const signals ends{stop};
    CHECK_FALSE(ends.came());
    ::kill(::getpid(), signal);
    until(stop);
    CHECK(ends.came());
    CHECK(ends.exit_code() == 128 + signal);
  }
}

TEST_CASE("a program that receives no signal is not requested to stop") {
  std::atomic<bool> stop{false};
  { const signals ends{stop}; }
  {
    const signals ends{stop, [] { return std::string{"gone"}; }};
  }
  CHECK_FALSE(stop);
}

TEST_CASE("the second signal ends the process") {
  const auto end = run_in_process([] {
    std::atomic<bool> stop{false};
    const signals ends{stop};
    ::kill(::getpid(), SIGINT);
    until(stop);
    ::kill(::getpid(), SIGTERM);
    hang();
  });
  CHECK(end.code == 128 + SIGTERM);
  CHECK(end.messages.empty());
}

TEST_CASE(
  "a process that does not stop after a signal prints a message and ends") {
  const auto end = run_in_process([] {
    std::atomic<bool> stop{false};
    const signals ends{stop, [] { return std::string{"interrupted"}; }};
    ::kill(::getpid(), SIGINT);
    hang();
  });
  CHECK(end.code == 128 + SIGINT);
  CHECK(end.messages == "\ninterrupted\n");
}

} // namespace console_signals_tests
