#pragma once

#include "libpool/actors/caf/port/types.hpp"
#include "libpool/actors/managed/endings.hpp"
#include "libpool/actors/managed/gathers.hpp"
#include "libpool/actors/managed/pool_clock.hpp"
#include "libpool/actors/managed/settlement.hpp"
#include "libpool/actors/managed/staff.hpp"
#include "libpool/actors/managed/tasks_in_flight.hpp"
#include "libpool/core/dispatcher.hpp"
#include "libpool/core/errc.hpp"

namespace libpool {

/// Rounds of a managed pool: lets the dispatcher decide, and carries out what
/// it has decided. Work that may concern any number of messages is done in
/// portions of `most_in_round`, one in each round.
///
/// Threads: the pool's.
class dispatching {
public:
  using host_ptr = execution_context*;

  dispatching(dispatcher& dispatcher, pool_clock& clock, const endings& end,
              gathers& gathers, staff& staff, tasks_in_flight& flight,
              settlement& settlement) noexcept
    : dispatcher_(dispatcher),
      clock_(clock),
      end_(end),
      gathers_(gathers),
      staff_(staff),
      flight_(flight),
      settlement_(settlement) {
    // nop
  }

  /// Carries out the decisions that follow from the facts of a round.
  void end_round(host_ptr host) {
    settlement_.round_begins();
    lags_ = false;
    carry_out(host);
  }

  /// Carries out the decisions that follow from the facts told until now.
  void carry_out(host_ptr host);

  /// Whether messages have to be handled in later rounds, except for messages
  /// whose deadlines have passed.
  bool has_more_to_do() const noexcept {
    return gathers_.has_more() || settlement_.has_more();
  }

  /// Whether a later round has something to do.
  bool goes_on() const noexcept {
    return lags_ || has_more_to_do();
  }

  /// Does a portion of what was left to do.
  void do_portion(host_ptr host);

  /// Fails the waiting tasks, a portion at a time. Tasks of gathered messages
  /// that were not made yet are made and failed as well.
  void fail_waiting(errc why, host_ptr host);

private:
  void decide();
  void carry_out(const decision& next, host_ptr host);

  dispatcher& dispatcher_;
  pool_clock& clock_;
  const endings& end_;
  gathers& gathers_;
  staff& staff_;
  tasks_in_flight& flight_;
  settlement& settlement_;
  bool lags_ = false; // more messages have to be cancelled by now
};

} // namespace libpool
