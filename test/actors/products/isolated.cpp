#include "isolated.hpp"

#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <sstream>
#include <stdexcept>

namespace products {

namespace {

/// Ends this process if it works for longer than any scenario needs, or waits.
void limit_time() {
  constexpr unsigned most_waiting = 120; // seconds
  constexpr unsigned most_work = 30;
  ::alarm(most_waiting);
  itimerval timer{};
  timer.it_value.tv_sec = most_work;
  ::setitimer(ITIMER_PROF, &timer, nullptr);
}

/// Writes a line for each seed that begins, and one for each violation.
[[noreturn]] void tell_all(const combination& all, std::uint64_t first,
                           std::uint64_t seeds, int to) {
  auto* out = ::fdopen(to, "w");
  for (auto seed = first; seed != first + seeds; ++seed) {
    limit_time();
    std::fprintf(out, "s%llu\n", static_cast<unsigned long long>(seed));
    std::fflush(out);
    try {
      for (const auto& each : violations_of(all, seed))
        std::fprintf(out, "v%s\n", each.c_str());
    } catch (const std::exception& e) {
      std::fprintf(out, "vthrows: %s\n", e.what());
    }
    std::fflush(out);
  }
  ::_exit(0);
}

std::string read_all(int from) {
  std::string result;
  std::array<char, 4096> buffer{};
  for (;;) {
    auto n = ::read(from, buffer.data(), buffer.size());
    if (n <= 0)
      return result;
    result.append(buffer.data(), static_cast<std::size_t>(n));
  }
}

std::string description_of(int status) {
  auto by = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  return by == SIGALRM || by == SIGPROF
           ? "it never ends"
           : "the process ends with status " + std::to_string(status);
}

} // namespace

std::vector<finding> findings_of(const combination& all, std::uint64_t first,
                                 std::uint64_t seeds) {
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) != 0)
    throw std::runtime_error("no pipe");
  auto child = ::fork();
  if (child == 0) {
    ::close(ends[0]);
    tell_all(all, first, seeds, ends[1]);
  }
  ::close(ends[1]);
  std::istringstream told{read_all(ends[0])};
  ::close(ends[0]);
  auto status = 0;
  ::waitpid(child, &status, 0);
  std::vector<finding> result;
  for (std::string line; std::getline(told, line);)
    if (line[0] == 's')
      result.push_back({std::stoull(line.substr(1)), {}});
    else if (!result.empty())
      result.back().violations.push_back(line.substr(1));
  if (status != 0) {
    if (result.empty())
      result.push_back({first, {}});
    result.back().violations.push_back(description_of(status));
  }
  return result;
}

} // namespace products
