#include "interrupt.hpp"

#include <chrono>
#include <csignal>

#include <pthread.h>
#include <unistd.h>

namespace hash_tree {

namespace {

constexpr auto grace = std::chrono::milliseconds(700);

sigset_t interrupt_only() {
  sigset_t out;
  sigemptyset(&out);
  sigaddset(&out, SIGINT);
  return out;
}

} // namespace

interrupt_guard::interrupt_guard(std::atomic<bool>& stop,
                                 std::function<std::string()> message)
  : stop_(stop), message_(std::move(message)) {
  const auto signals = interrupt_only();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  watching_ = std::thread{[this] { watch(); }};
}

interrupt_guard::~interrupt_guard() {
  {
    const std::lock_guard<std::mutex> guard{mutex_};
    over_ = true;
  }
  wake_.notify_all();
  pthread_kill(watching_.native_handle(), SIGINT); // to this thread only
  watching_.join();
}

void interrupt_guard::watch() {
  const auto signals = interrupt_only();
  int signal = 0;
  sigwait(&signals, &signal);
  if (over_)
    return;
  interrupted_ = true;
  stop_ = true;
  std::unique_lock<std::mutex> guard{mutex_};
  if (!wake_.wait_for(guard, grace, [this] { return !!over_; }))
    end_process();
}

void interrupt_guard::end_process() {
  const auto line = "\nhash_tree: " + message_() + '\n';
  if (::write(STDERR_FILENO, line.data(), line.size()) < 0)
    ::_exit(exit_code); // no thread is left to tell
  ::_exit(exit_code);
}

} // namespace hash_tree
