#pragma once

#include "libpool/actors/set_up.hpp"

#include <caf/action.hpp>
#include <caf/actor_clock.hpp>
#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/detail/actor_system_access.hpp>
#include <caf/resumable.hpp>
#include <caf/scheduler.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <deque>
#include <map>
#include <memory>
#include <utility>

namespace test {

/// A clock that stands still until it is moved on.
class cranked_clock final : public caf::actor_clock {
public:
  using caf::actor_clock::schedule;

  time_point now() const noexcept override {
    return now_;
  }

  caf::disposable schedule(time_point when, caf::action act) override {
    due_.emplace(when, act);
    return std::move(act).as_disposable();
  }

  void pass(std::chrono::nanoseconds time) {
    now_ += time;
    while (!due_.empty() && due_.begin()->first <= now_) {
      auto next = due_.extract(due_.begin());
      if (!next.mapped().disposed())
        next.mapped().run();
    }
  }

  /// How many acts are to come.
  std::size_t pending() const {
    return static_cast<std::size_t>(
      std::count_if(due_.begin(), due_.end(),
                    [](auto& each) { return !each.second.disposed(); }));
  }

  void drop_all() {
    for (auto& each : std::exchange(due_, {}))
      each.second.dispose();
  }

private:
  time_point now_{duration_type{1}};
  std::multimap<time_point, caf::action> due_;
};

/// A scheduler without threads.
class cranked_scheduler final : public caf::scheduler {
public:
  void schedule(caf::resumable* job) override {
    jobs.push_back(job);
  }

  void delay(caf::resumable* job) override {
    jobs.push_back(job);
  }

  void start() override {
    // nop
  }

  void stop() override {
    while (step()) {
      // step did it
    }
  }

  bool step() {
    if (jobs.empty())
      return false;
    auto* job = jobs.front();
    jobs.pop_front();
    if (job->resume(this, 1) == caf::resumable::resume_later)
      jobs.push_front(job);
    else
      intrusive_ptr_release(job);
    return true;
  }

  std::deque<caf::resumable*> jobs;
};

/// An actor system whose scheduler and clock do nothing by themselves. It says
/// that it has two threads.
class crank {
public:
  crank() : system_(config_, &install, nullptr) {
    // nop
  }

  crank(const crank&) = delete;
  crank& operator=(const crank&) = delete;

  ~crank() {
    clock().drop_all();
  }

  caf::actor_system& system() {
    return system_;
  }

  /// The actors and calls that are ready, the next one first.
  auto& jobs() {
    return scheduler().jobs;
  }

  /// Runs the first job; returns false if there is none.
  bool step() {
    return scheduler().step();
  }

  /// Runs until nothing is left to do.
  void run() {
    while (step()) {
      // step did it
    }
  }

  /// Moves the clock on; what comes due is sent.
  void pass(std::chrono::nanoseconds time) {
    clock().pass(time);
  }

  /// How much the clock has still to send.
  std::size_t alarms() {
    return clock().pending();
  }

private:
  struct config : caf::actor_system_config {
    config() {
      set("caf.scheduler.max-threads", 2U); // as it says, wherever it runs
      libpool::set_up(*this);
    }
  };

  static void install(caf::actor_system& system, caf::actor_system_config&,
                      void*) {
    caf::detail::actor_system_access parts{system};
    parts.clock(std::make_unique<cranked_clock>());
    parts.scheduler(std::make_unique<cranked_scheduler>());
  }

  cranked_clock& clock() {
    return static_cast<cranked_clock&>(system_.clock());
  }

  cranked_scheduler& scheduler() {
    return static_cast<cranked_scheduler&>(system_.scheduler());
  }

  config config_;
  caf::actor_system system_;
};

} // namespace test
