#pragma once

#include "libpool/actors/caf/watch.hpp"
#include "libpool/core/instant.hpp"

#include <caf/actor.hpp>

#include <set>

namespace libpool {

/// When the clock of the system calls a watcher's `time_is_up`: not too often,
/// since the clock keeps what it was asked for.
class alarms {
public:
  explicit alarms(watcher& told) : told_(told) {
    // nop
  }

  /// The clock is to tell at `due`, unless it tells sooner anyway: an alarm
  /// that comes too early does no harm. Later alarms stay, and are not asked
  /// for again.
  void set(instant due);

  /// An alarm has come, perhaps early.
  void rang(instant now);

private:
  watcher& told_;
  caf::actor timer_;
  std::set<instant> set_; // that the clock has
};

} // namespace libpool
