#pragma once

#include "libpool/actors/caf/port/types.hpp"
#include "libpool/actors/managed/answers.hpp"
#include "libpool/actors/managed/cancellation.hpp"
#include "libpool/actors/managed/endings.hpp"
#include "libpool/actors/managed/lifetime.hpp"
#include "libpool/actors/managed/managed_worker.hpp"
#include "libpool/actors/managed/pauses.hpp"
#include "libpool/actors/managed/settlement.hpp"
#include "libpool/actors/managed/staff.hpp"
#include "libpool/actors/managed/statistics.hpp"
#include "libpool/actors/managed/user_answer.hpp"
#include "libpool/actors/pause_scope.hpp"

#include <caf/actor.hpp>
#include <caf/mailbox_element.hpp>

#include <cstdint>
#include <memory>

namespace libpool {

/// Messages that are addressed to a managed pool itself: has them carried out,
/// and answers them.
///
/// Threads: the pool's.
class desk {
public:
  using host_ptr = execution_context*;

  desk(const answers& answers, const endings& end, settlement& settlement,
       staff& staff, pauses& pauses, cancellation& cancellation,
       lifetime& lifetime, const statistics& statistics) noexcept
    : answers_(answers),
      end_(end),
      settlement_(settlement),
      staff_(staff),
      pauses_(pauses),
      cancellation_(cancellation),
      lifetime_(lifetime),
      statistics_(statistics) {
    // nop
  }

  /// Handles the message if it is addressed to the pool itself, or is an answer
  /// to a request that the pool has not sent. Returns whether it is.
  bool manage(caf::mailbox_element& element, host_ptr host);

private:
  bool change_workers(caf::mailbox_element& element, host_ptr host);
  bool change_work(caf::mailbox_element& element, host_ptr host);
  bool change_pauses(caf::mailbox_element& element, host_ptr host);
  bool tell_state(caf::mailbox_element& element, host_ptr host);
  void remove(const caf::actor* worker, caf::mailbox_element& element,
              host_ptr host);
  void resize(std::uint64_t n, caf::mailbox_element& element, host_ptr host);
  void pause(const pause_scope& scope, caf::mailbox_element& element,
             host_ptr host);
  void cancel(const selection& selected, caf::mailbox_element& element);
  user_answer answer_to(const caf::mailbox_element& request) const;

  const answers& answers_;
  const endings& end_;
  settlement& settlement_;
  staff& staff_;
  pauses& pauses_;
  cancellation& cancellation_;
  lifetime& lifetime_;
  const statistics& statistics_;
};

} // namespace libpool
