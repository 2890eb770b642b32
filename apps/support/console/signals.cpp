#include "signals.hpp"

#include "outputs.hpp"

#include <cerrno>
#include <csignal>
#include <ctime>
#include <utility>

#include <pthread.h>
#include <unistd.h>

namespace console {

namespace {

constexpr timespec grace{0, 700'000'000};

sigset_t ending_signals() {
  sigset_t out;
  sigemptyset(&out);
  sigaddset(&out, SIGINT);
  sigaddset(&out, SIGTERM);
  return out;
}

/// The next signal, or 0 if none comes in this time; null: for ever. A process
/// that is stopped and goes on begins anew to wait.
int next_signal(const timespec* time) {
  const auto all = ending_signals();
  for (;;) {
    const auto signal = ::sigtimedwait(&all, nullptr, time);
    if (signal > 0)
      return signal;
    if (errno == EAGAIN)
      return 0;
  }
}

} // namespace

signals::signals(std::atomic<bool>& stop) : signals(stop, nullptr) {
  // nop
}

signals::signals(std::atomic<bool>& stop, last_words words)
  : stop_(stop), words_(std::move(words)) {
  const auto all = ending_signals();
  pthread_sigmask(SIG_BLOCK, &all, nullptr);
  watching_ = std::thread{[this] { watch(); }};
}

signals::~signals() {
  over_ = true;
  pthread_kill(watching_.native_handle(), SIGINT); // to this thread only
  watching_.join();
}

void signals::watch() {
  const auto first = next_signal(nullptr);
  if (over_)
    return;
  first_ = first;
  stop_ = true;
  const auto second = next_signal(words_ ? &grace : nullptr);
  if (!over_)
    end_process(128 + (second != 0 ? second : first));
}

void signals::end_process(int code) const {
  if (words_)
    write_all(STDERR_FILENO, '\n' + words_() + '\n');
  ::_exit(code);
}

} // namespace console
