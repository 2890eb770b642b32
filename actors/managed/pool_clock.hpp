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

/// The time of a managed pool, how long its tasks have taken lately, and when
/// the pool is woken. The clock is looked at once in a round of facts at most,
/// and never where times are not needed.
///
/// Time: in a pool that measures nothing it is always the beginning of time.
class pool_clock {
public:
  /// `woken` is told when its time has come.
  pool_clock(caf::actor_clock& source, watcher& woken, bool measures)
    : source_(source), measures_(measures), waker_(woken) {
    // nop
  }

  /// Whether times are needed.
  bool measures() const noexcept {
    return measures_;
  }

  /// The clock that tasks are timed with; nullptr if they are not.
  caf::actor_clock* timer() const noexcept {
    return measures_ ? &source_ : nullptr;
  }

  // -- the time ---------------------------------------------------------------

  void round_begins() noexcept {
    is_known_ = false;
  }

  /// The time of this round, never earlier than that of another one before it.
  instant now() {
    if (measures_ && !is_known_)
      has_become(source_.now());
    return now_;
  }

  /// The time at this very moment, also where nothing is measured.
  instant look() const {
    return source_.now();
  }

  /// A task was handled in that time, which is over now. Told only where times
  /// are measured.
  void task_ended(instant started, instant ended) {
    has_become(ended);
    task_took(ended - started);
  }

  /// The same for tasks one after the other.
  void tasks_ended(const run_times* first, const run_times* last) {
    for (const auto* each = first; each != last; ++each)
      task_took(each->ended - each->started);
    if (first != last)
      has_become(last[-1].ended);
  }

  /// The same, where nothing is measured.
  void task_took(duration service) noexcept {
    slow_service_.add(service);
  }

  /// The slowest recent service time, decaying; zero if none is known.
  duration slow_service() const noexcept {
    return slow_service_.get();
  }

  /// Whether tasks have been so short lately that the time at which messages
  /// come hardly matters. False before the first one has ended.
  bool tasks_are_tiny() const noexcept {
    constexpr duration tiny = std::chrono::microseconds{10};
    return slow_service().count() > 0 && slow_service() < tiny;
  }

  // -- waking -----------------------------------------------------------------

  /// The pool is to be woken at `due`, or sooner: a later time is set when it
  /// was woken.
  void wake_at(instant due) {
    if (due < waker_.due())
      waker_.set(due);
  }

  /// The pool does not wait for anything any more.
  void wake_never() {
    waker_.set(never);
  }

  /// The pool was woken, perhaps too early. Returns the time.
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
