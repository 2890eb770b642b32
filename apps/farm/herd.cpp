#include "herd.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <system_error>
#include <utility>

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace farm {

namespace {

constexpr auto pause_between_harms = std::chrono::milliseconds{500};

/// In the child of a process with threads only system calls may be made.
[[noreturn]] void become(char* const* arguments, pid_t parent) {
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() == parent)
    ::execv("/proc/self/exe", arguments);
  ::_exit(127);
}

} // namespace

// -- child --------------------------------------------------------------------

child::child(std::vector<std::string> arguments) {
  std::vector<char*> words;
  for (auto& each : arguments)
    words.push_back(each.data());
  words.push_back(nullptr);
  const auto parent = ::getpid();
  id_ = ::fork();
  if (id_ == 0)
    become(words.data(), parent);
  if (id_ < 0)
    throw std::system_error(errno, std::generic_category(), "fork");
}

child::child(child&& other) noexcept : id_(std::exchange(other.id_, -1)) {
  // nop
}

child& child::operator=(child&& other) noexcept {
  kill();
  id_ = std::exchange(other.id_, -1);
  return *this;
}

child::~child() {
  kill();
}

void child::kill() noexcept {
  if (id_ < 0)
    return;
  send(SIGKILL);
  while (::waitpid(id_, nullptr, 0) < 0 && errno == EINTR) {
    // nop
  }
}

void child::send(int signal) const {
  ::kill(id_, signal);
}

// -- herd ---------------------------------------------------------------------

std::string name_of_own(std::size_t agent) {
  return fmt::format("own-{}", agent + 1);
}

herd::herd(const front_options& options,
           std::function<void(const std::string&)> tell)
  : options_(options), tell_(std::move(tell)) {
  thread_ = std::thread{[this] { live(); }};
}

herd::~herd() {
  {
    const std::lock_guard<std::mutex> guard{mutex_};
    over_ = true;
  }
  wake_.notify_all();
  thread_.join();
}

/// A child is killed when the thread that has started it ends, and so lives no
/// longer than this function.
void herd::live() try {
  for (std::size_t i = 0; i < options_.agents; ++i)
    agents_.push_back(start(i));
  while (!rest(options_.chaos ? pause_between_harms : options_.lease))
    if (options_.chaos)
      harm();
  agents_.clear();
} catch (const std::system_error& why) {
  tell_(std::string{"cannot start an agent: "} + why.what());
}

child herd::start(std::size_t index) const {
  std::vector<std::string> words{"farm", "agent",  "--slots",
                                 "1",    "--name", name_of_own(index)};
  for (const auto& each : options_.to.servers)
    words.insert(words.end(), {"--server", each});
  if (options_.to.certificates.empty())
    words.emplace_back("--insecure-loopback");
  else
    words.insert(words.end(), {"--certificates", options_.to.certificates});
  return child{std::move(words)};
}

/// Kills an agent, and starts another one in its place; or stops it for longer
/// than a lease, so that the pool gives it up, and then has it go on.
void herd::harm() {
  const auto index = draw_() % agents_.size();
  const auto name = name_of_own(index);
  if (draw_() % 3 > 0) {
    tell_("killing agent " + name);
    agents_[index].send(SIGKILL);
    agents_[index] = start(index);
    return;
  }
  tell_("suspending agent " + name);
  agents_[index].send(SIGSTOP);
  rest(options_.lease * 3 / 2);
  tell_("resuming agent " + name);
  agents_[index].send(SIGCONT);
}

/// Whether it is over.
bool herd::rest(std::chrono::nanoseconds time) {
  std::unique_lock<std::mutex> guard{mutex_};
  return wake_.wait_for(guard, time, [this] { return over_; });
}

} // namespace farm
