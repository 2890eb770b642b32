/// The rounds of facts of a managed pool: it handles them one by one, and
/// carries out what its dispatcher decides then.

#include "libpool/actors/caf/port/command_element.hpp"
#include "libpool/actors/managed/managed_pool.hpp"
#include "libpool/actors/managed/round_size.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>

namespace libpool {

void managed_pool::tell(fact_inbox::fact told, host_ptr host) {
  loop_.tell(told, host);
}

void managed_pool::handle(fact_inbox::fact told, host_ptr host) {
  switch (told.is()) {
    case fact_inbox::kind::submitted:
      return arrived(message_of(told), now());
    case fact_inbox::kind::managing:
      return managing(message_of(told), host);
    case fact_inbox::kind::ended:
      return flight_.element_ended(*told.as<tracked_element>(), host);
    case fact_inbox::kind::command: {
      std::unique_ptr<command_element> owner{told.as<command_element>()};
      return owner->run(host);
    }
  }
}

/// Messages arrived before the time until which they may stay in the inbox, if
/// they may.
void managed_pool::handle_all(fact_iterator first, const fact_iterator& last,
                              host_ptr host) {
  const auto until = loop_.was_patient_until();
  for (; first != last; ++first)
    if (first->is() == fact_inbox::kind::submitted)
      arrived(message_of(*first),
              until == fact_inbox::impatient ? now() : std::min(now(), until));
    else
      handle(*first, host);
}

/// Carries out the decisions that follow from the facts. Returns what keeps the
/// pool alive once it need not be.
caf::strong_actor_ptr managed_pool::end_round(host_ptr host) {
  dispatching_.end_round(host);
  if (endings_.drains() || staff_.workers().seats() == 0)
    end_if_over(host);
  if (!pauses_.empty())
    answer_quiet_pauses(host);
  if (answers_.has_noted())
    report_settled(host);
  if (endings_.is_awaited_idle() && is_idle())
    endings_.answer_idle(errc{}, host);
  staff_.publish_room(host);
  arm();
  statistics_.show_metrics();
  if (dispatching_.goes_on())
    go_on(host);
  settlement_.round_ends(host);
  return recycler_.release(waiting_in_vain());
}

/// Has a later round do more of what is left to do. Facts that others have told
/// meanwhile are handled before.
void managed_pool::go_on(host_ptr host) {
  auto do_portion = [this](host_ptr here) {
    goes_on_ = false;
    dispatching_.do_portion(here);
  };
  if (!std::exchange(goes_on_, true))
    tell(do_portion, host);
}

/// Calls functions of the user, which may cancel messages.
void managed_pool::report_settled(host_ptr host) {
  while (answers_.has_noted()) {
    answers_.report_settled();
    dispatching_.carry_out(host);
  }
}

/// Sets the time at which the pool is woken.
void managed_pool::arm() {
  auto due = std::min({dispatcher_.next_tick(), gathers_.next_tick(),
                       answers_.next_tick(), staff_.next_tick()});
  if (due != never)
    clock_.wake_at(due);
  else if (endings_.has_ended())
    clock_.wake_never();
}

} // namespace libpool
