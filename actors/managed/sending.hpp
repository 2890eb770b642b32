#pragma once

#include "libpool/actors/caf/port/tracked_element.hpp"
#include "libpool/actors/caf/port/types.hpp"
#include "libpool/actors/managed/answers.hpp"
#include "libpool/actors/managed/gathers.hpp"
#include "libpool/actors/managed/intake.hpp"
#include "libpool/actors/managed/managed_front.hpp"
#include "libpool/actors/managed/managed_task.hpp"
#include "libpool/actors/managed/managed_worker.hpp"
#include "libpool/actors/managed/pool_clock.hpp"
#include "libpool/actors/managed/recycler.hpp"
#include "libpool/actors/managed_setup.hpp"
#include "libpool/core/dispatcher.hpp"
#include "libpool/core/errc.hpp"

namespace libpool {

/// Sends tasks of a managed pool to workers, one by one or as leases. A task
/// whose message cannot be sent is cancelled.
///
/// Threads: the pool's.
class sending {
public:
  sending(managed_front& pool, const managed_setup& options,
          dispatcher& dispatcher, pool_clock& clock, recycler& recycler,
          intake& intake, const answers& answers, gathers& gathers) noexcept
    : pool_(pool),
      options_(options),
      dispatcher_(dispatcher),
      clock_(clock),
      recycler_(recycler),
      intake_(intake),
      answers_(answers),
      gathers_(gathers) {
    // nop
  }

  sending(const sending&) = delete;
  sending& operator=(const sending&) = delete;

  /// Sends the task, and the tasks that follow it, to the worker. Does nothing
  /// if the task was taken back meanwhile.
  void send(managed_task& task, managed_worker& to, execution_context* host);

private:
  void send_followers(managed_task& first, tracked_element& carrier,
                      managed_worker& to);
  errc make_ready(managed_task& task, managed_worker& to);

  managed_front& pool_;
  const managed_setup& options_;
  dispatcher& dispatcher_;
  pool_clock& clock_;
  recycler& recycler_;
  intake& intake_;
  const answers& answers_;
  gathers& gathers_;
};

} // namespace libpool
