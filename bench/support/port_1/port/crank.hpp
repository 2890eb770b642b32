#pragma once

#include "libpool/actors/set_up.hpp"

#include <caf/action.hpp>
#include <caf/actor_clock.hpp>
#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/detail/actor_system_access.hpp>
#include <caf/disposable.hpp>
#include <caf/resumable.hpp>
#include <caf/scheduler.hpp>

#include <chrono>
#include <cstddef>
#include <deque>
#include <map>
#include <memory>
#include <utility>

namespace port {

/// Stands still until it is moved.
class cranked_clock final : public caf::actor_clock {
public:
  using caf::actor_clock::schedule;

  time_point now() const noexcept override {
    return now_;
  }

  caf::disposable schedule(time_point when, caf::action what) override {
    due_.emplace(when, what);
    return std::move(what).as_disposable();
  }

  void pass(std::chrono::nanoseconds time) {
    now_ += time;
    while (!due_.empty() && due_.begin()->first <= now_)
      due_.extract(due_.begin()).mapped().run(); // unless it is disposed of
  }

private:
  time_point now_{duration_type{1}};
  std::multimap<time_point, caf::action> due_;
};

/// Has no thread.
class cranked_scheduler final : public caf::scheduler {
public:
  void schedule(caf::resumable* job) override {
    jobs_.push_back(job);
  }

  void delay(caf::resumable* job) override {
    jobs_.push_back(job);
  }

  void start() override {
    // nop
  }

  void stop() override {
    run();
  }

  void run() {
    while (!jobs_.empty()) {
      auto* job = jobs_.front();
      jobs_.pop_front();
      if (job->resume(this, 1) == caf::resumable::resume_later)
        jobs_.push_front(job);
      else
        intrusive_ptr_release(job);
    }
  }

private:
  std::deque<caf::resumable*> jobs_;
};

/// An actor system in one thread, on a clock that stands still until it is
/// moved.
class crank {
public:
  crank() : system_(config_, &install, nullptr) {
    // nop
  }

  caf::actor_system& system() {
    return system_;
  }

  /// Lets actors run until none can.
  void run() {
    static_cast<cranked_scheduler&>(system_.scheduler()).run();
  }

  void pass(std::chrono::nanoseconds time) {
    static_cast<cranked_clock&>(system_.clock()).pass(time);
  }

private:
  struct config : caf::actor_system_config {
    config() {
      set("caf.scheduler.max-threads", 2U);
      libpool::set_up(*this);
    }
  };

  static void install(caf::actor_system& system, caf::actor_system_config&,
                      void*) {
    caf::detail::actor_system_access parts{system};
    parts.clock(std::make_unique<cranked_clock>());
    parts.scheduler(std::make_unique<cranked_scheduler>());
  }

  config config_;
  caf::actor_system system_;
};

} // namespace port
