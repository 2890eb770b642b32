#pragma once

#include "libpool/actors/caf/waker.hpp"
#include "libpool/actors/caf/watch.hpp"
#include "libpool/core/instant.hpp"
#include "libpool/core/lease_size.hpp"
#include "libpool/core/run_times.hpp"

#include <caf/actor_clock.hpp>

#include <algorithm>
#include <chrono>

namespace libpool {

/// Clock of a managed pool: the current time, the recent service times, and the
/// time at which the pool is woken. The clock is read at most once in a round
/// of facts, and never if times are not needed.
///
/// Time: in a pool that measures nothing, the time is always the beginning of
///       time.
class pool_clock {
public:
  /// `woken` is told when its time has come.
  pool_clock(caf::actor_clock& source, watcher& woken, bool measures)
    : source_(source), measures_(measures), waker_(woken) {
    // nop
  }

  /// Whether times are measured.
  bool measures() const noexcept {
    return measures_;
  }

  /// Clock for the times of tasks; nullptr if they are not measured.
  caf::actor_clock* timer() const noexcept {
    return measures_ ? &source_ : nullptr;
  }

  // -- the time ---------------------------------------------------------------

  void round_begins() noexcept {
    is_known_ = false;
  }

  /// Returns the time of this round; never earlier than that of an earlier
  /// round.
  instant now() {
    if (measures_ && !is_known_)
      has_become(source_.now());
    return now_;
  }

  /// Returns the current time, even if nothing is measured.
  instant look() const {
    return source_.now();
  }

  /// Notes a task that has just ended. Only called if times are measured.
  void task_ended(instant started, instant ended) {
    has_become(ended);
    task_took(ended - started);
  }

  /// Notes tasks that ran one after the other, the last of which has just
  /// ended.
  void tasks_ended(const run_times* first, const run_times* last) {
    for (const auto* each = first; each != last; ++each)
      task_took(each->ended - each->started);
    if (first != last)
      has_become(last[-1].ended);
  }

  /// Notes the service time of a task, without a change of the time.
  void task_took(duration service) noexcept {
    slow_service_.add(service);
  }

  /// Decaying maximum of recent service times; zero if none is known.
  duration slow_service() const noexcept {
    return slow_service_.get();
  }

  /// Whether recent tasks were so short that the exact acceptance times do not
  /// matter. False before the first task has ended.
  bool tasks_are_tiny() const noexcept {
    constexpr duration tiny = std::chrono::microseconds{10};
    return slow_service().count() > 0 && slow_service() < tiny;
  }

  // -- waking -----------------------------------------------------------------

  /// Sets the time at which the pool is woken to `due`, unless it is woken
  /// earlier. A later time is set after that.
  void wake_at(instant due) {
    if (due < waker_.due())
      waker_.set(due);
  }

  /// Cancels the time at which the pool is woken.
  void wake_never() {
    waker_.set(never);
  }

  /// Notes that the pool was woken, perhaps too early. Returns the time.
  instant woke() {
    auto time = look();
    waker_.has_come(time);
    return time;
  }

private:
  void has_become(instant time) noexcept {
    now_ = std::max(now_, time);
    is_known_ = true;
  }

  caf::actor_clock& source_;
  const bool measures_;
  bool is_known_ = false; // the time of this round
  instant now_{};
  libpool::slow_service slow_service_;
  waker waker_;
};

} // namespace libpool
