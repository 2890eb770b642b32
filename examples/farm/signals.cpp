#include "signals.hpp"

#include <csignal>

#include <pthread.h>
#include <unistd.h>

namespace farm {

namespace {

sigset_t ending_signals() {
  sigset_t out;
  sigemptyset(&out);
  sigaddset(&out, SIGINT);
  sigaddset(&out, SIGTERM);
  return out;
}

} // namespace

signals::signals(std::atomic<bool>& stop) : stop_(stop) {
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
  const auto all = ending_signals();
  int signal = 0;
  sigwait(&all, &signal);
  if (over_)
    return;
  first_ = signal;
  stop_ = true;
  sigwait(&all, &signal);
  if (!over_)
    ::_exit(128 + signal);
}

} // namespace farm
