#pragma once

#include "libpool/actors/caf/element_record.hpp"
#include "libpool/actors/managed/endings.hpp"
#include "libpool/actors/managed/gathers.hpp"
#include "libpool/actors/managed/intake.hpp"
#include "libpool/actors/managed/managed_task.hpp"
#include "libpool/actors/managed/managed_worker.hpp"
#include "libpool/actors/managed/pool_clock.hpp"
#include "libpool/actors/managed/recycler.hpp"
#include "libpool/actors/managed/staff.hpp"
#include "libpool/actors/managed/tasks_in_flight.hpp"
#include "libpool/actors/managed_setup.hpp"
#include "libpool/core/dispatcher.hpp"
#include "libpool/core/instant.hpp"

#include <caf/mailbox_element.hpp>

namespace libpool {

/// Messages that arrive at a managed pool: makes tasks of them, and submits or
/// refuses these.
///
/// Threads: the pool's, except for `handled_by_sender`.
class arrivals {
public:
  arrivals(const element_owner& pool, const managed_setup& options,
           dispatcher& dispatcher, pool_clock& clock, recycler& recycler,
           const endings& end, intake& intake, gathers& gathers,
           const staff& staff, tasks_in_flight& flight) noexcept
    : pool_(pool),
      options_(options),
      dispatcher_(dispatcher),
      clock_(clock),
      recycler_(recycler),
      end_(end),
      intake_(intake),
      gathers_(gathers),
      staff_(staff),
      flight_(flight) {
    // nop
  }

  /// Makes a task of the message, which arrived at `came`.
  void arrived(caf::mailbox_element_ptr&& element, instant came);

  /// Returns the element whose handler, in this thread, sends the request to
  /// the pool, which has the handler's worker; nullptr if that is not known.
  /// Can be called from any thread.
  const element_record*
  handled_by_sender(const caf::mailbox_element& request) const;

  /// Makes a task of the request. The handler of the message in `handled` has
  /// sent it, and may wait for the answer. The fact was told before the end of
  /// that message.
  void asked_by_handler(caf::mailbox_element_ptr element,
                        const element_record& handled);

  /// Returns the time until which new messages can stay in the inbox. If recent
  /// tasks were very short, the exact arrival time of a message hardly matters:
  /// senders read the clock, and a message stays at most as long as a lease
  /// takes. If nothing is measured, tasks may be long and many messages may
  /// arrive: the messages stay only if they would have to wait. With a
  /// capacity, new messages stay only if the pool has room for `plenty`, far
  /// more than arrive in this time, so that none of them is refused late.
  instant patient_until();

private:
  void asked_by_worker(managed_worker& worker, caf::mailbox_element_ptr element,
                       instant came, managed_task* asker);
  void submitted(caf::mailbox_element_ptr&& element, instant came,
                 managed_task* asker = nullptr,
                 managed_worker* asking = nullptr);
  bool messages_can_wait() const noexcept;

  const element_owner& pool_;
  const managed_setup& options_;
  dispatcher& dispatcher_;
  pool_clock& clock_;
  recycler& recycler_;
  const endings& end_;
  intake& intake_;
  gathers& gathers_;
  const staff& staff_;
  tasks_in_flight& flight_;
};

} // namespace libpool
