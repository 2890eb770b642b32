#include "poller.hpp"

#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

namespace pooltop {

struct poller::shared {
  std::mutex guard;
  std::condition_variable changed;
  std::optional<answer> latest;
  std::optional<clock::time_point> asked;
  bool is_paused = false;
  std::string order; // to be sent; empty: none
  std::optional<std::string> outcome;

  /// Returns the order to be sent; empty: the pools are to be asked.
  std::string begin() {
    std::unique_lock lock{guard};
    changed.wait(lock, [this] { return !is_paused || !order.empty(); });
    if (order.empty())
      asked = clock::now();
    return std::exchange(order, {});
  }

  void has_sent(std::string said) {
    const std::lock_guard lock{guard};
    outcome = std::move(said);
  }

  void finish(answer got) {
    const std::lock_guard lock{guard};
    latest = std::move(got);
    asked.reset();
    changed.notify_all();
  }

  void rest(clock::time_point end) {
    std::unique_lock lock{guard};
    changed.wait_until(lock, end, [this] { return !order.empty(); });
  }
};

poller::poller(const source& from, std::chrono::milliseconds interval)
  : shared_(std::make_shared<shared>()) {
  std::thread{[from, interval, state = shared_] {
    for (;;) {
      if (const auto order = state->begin(); !order.empty()) {
        state->has_sent(from.send(order));
        continue;
      }
      const auto next = clock::now() + interval;
      state->finish(from.ask());
      state->rest(next);
    }
  }}.detach();
}

std::optional<answer> poller::wait_for(std::chrono::milliseconds time) {
  std::unique_lock lock{shared_->guard};
  shared_->changed.wait_for(lock, time,
                            [this] { return shared_->latest.has_value(); });
  return std::exchange(shared_->latest, std::nullopt);
}

void poller::pause(bool is_paused) {
  const std::lock_guard lock{shared_->guard};
  shared_->is_paused = is_paused;
  shared_->changed.notify_all();
}

void poller::send(std::string target) {
  const std::lock_guard lock{shared_->guard};
  shared_->order = std::move(target);
  shared_->changed.notify_all();
}

std::optional<std::string> poller::outcome() {
  const std::lock_guard lock{shared_->guard};
  return std::exchange(shared_->outcome, std::nullopt);
}

std::chrono::duration<double> poller::owed() const {
  const std::lock_guard lock{shared_->guard};
  return shared_->asked ? clock::now() - *shared_->asked
                        : std::chrono::duration<double>{0};
}

} // namespace pooltop
