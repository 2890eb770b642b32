#pragma once

#include "libpool/actors/caf/port/alarm.hpp"
#include "libpool/actors/caf/watch.hpp"
#include "libpool/core/instant.hpp"

#include <caf/actor.hpp>

namespace libpool {

/// Calls a watcher's `time_is_up` at a given time, in the thread of the
/// system's clock. The call comes in time even if all threads of the scheduler
/// are busy. It can come too early, for a time that was replaced.
///
/// Threads: those of the watcher, one at a time. The waker does not keep the
///          watcher alive.
class waker {
public:
  explicit waker(watcher& told) : told_(told) {
    // nop
  }

  /// Replaces the time, unless a call for `due` is set already; `never` stops
  /// the waker.
  void set(instant due);

  /// Time of the next call; `never` if none is set.
  instant due() const noexcept {
    return due_;
  }

  /// Whether the time has come. If so, the time is cleared. False after a call
  /// for a time that was replaced.
  bool has_come(instant now) noexcept;

private:
  watcher& told_;
  caf::actor bell_; // an actor that the clock sends to
  alarm alarm_;
  instant due_ = never;
};

} // namespace libpool
