#pragma once

#include "libpool/actors/caf/port/alarm.hpp"
#include "libpool/actors/caf/watch.hpp"
#include "libpool/core/instant.hpp"

#include <caf/actor.hpp>

namespace libpool {

/// Has the clock of the system call a watcher's `time_is_up`, in its own
/// thread, so that it comes in time also where all threads of the scheduler are
/// busy. It may come too early: for a time that was replaced.
///
/// Threads: those of the watcher, one at a time. Does not keep it alive.
class waker {
public:
  explicit waker(watcher& told) : told_(told) {
    // nop
  }

  /// Replaces the time, unless it is `due` already; `never` stops the waker.
  void set(instant due);

  /// When it calls; `never` if it does not.
  instant due() const noexcept {
    return due_;
  }

  /// Whether the time has come, as opposed to one that was replaced. It is not
  /// set any more then.
  bool has_come(instant now) noexcept;

private:
  watcher& told_;
  caf::actor bell_; // that the clock rings
  alarm alarm_;
  instant due_ = never;
};

} // namespace libpool
