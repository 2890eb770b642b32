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
  ends_told_ = 0;
  lags_ = false;
  carry_out(host);
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
  if (lags_ || has_more_to_do())
    go_on(host);
  if (!is_told_.empty() && put_off_.empty())
    tell_callers(host);
  return recycler_.release(waiting_in_vain());
}

/// Has a later round do more of what is left to do. Facts that others have told
/// meanwhile are handled before.
void managed_pool::go_on(host_ptr host) {
  if (!std::exchange(goes_on_, true))
    tell([this](host_ptr here) { do_slice(here); }, host);
}

void managed_pool::do_slice(host_ptr host) {
  goes_on_ = false;
  if (gathers_.has_more())
    gathers_.make_more(most_in_round);
  tell_put_off(most_in_round, host);
}

/// Whether messages have to be handled in later rounds, except for messages
/// whose deadlines have passed.
bool managed_pool::has_more_to_do() const noexcept {
  return gathers_.has_more() || !put_off_.empty();
}

/// Answers the callers that wait until the ends of cancelled messages are told.
void managed_pool::tell_callers(host_ptr host) {
  for (auto& each : std::exchange(is_told_, {}))
    each(host);
}

/// Tells the end of the task, or puts that off to a later round because this
/// round has told many.
void managed_pool::end(managed_task& task, const decision& how, host_ptr host) {
  auto may_wait = how.how != outcome::completed && how.how != outcome::refused
                  && task.asked_of == nullptr;
  if (may_wait && ends_told_++ >= most_in_round)
    return put_off_.push_back(how);
  settle(task, how, host);
  recycle(task);
}

void managed_pool::tell_put_off(std::size_t most, host_ptr host) {
  for (; most > 0 && !put_off_.empty(); --most) {
    const auto end = put_off_.front();
    put_off_.pop_front();
    auto& task = static_cast<managed_task&>(*end.task);
    settle(task, end, host);
    recycle(task);
  }
}

/// Calls functions of the user, which may cancel messages.
void managed_pool::report_settled(host_ptr host) {
  while (answers_.has_noted()) {
    answers_.report_settled();
    carry_out(host);
  }
}

void managed_pool::carry_out(host_ptr host) {
  auto& decisions = dispatcher_.decisions();
  decide();
  while (!decisions.empty()) {
    for (std::size_t done = 0; done < decisions.size();) // may grow
      carry_out(decisions[done++], host);
    decisions.clear();
    decide();
  }
  flight_.tell_unwanted(host);
}

/// Lets the dispatcher send the tasks that can be sent. Sends none after the
/// end of the pool.
void managed_pool::decide() {
  if (endings_.has_ended() || lags_)
    return;
  staff_.keep_staffed();
  if (dispatcher_.has_leases()) {
    if (dispatcher_.has_due(now()))
      flight_.tell_ends();
    if (!clock_.measures())
      flight_.take_overdue_back();
  }
  do {
    dispatcher_.dispatch(now());
    lags_ = dispatcher_.has_due(now());
  } while (!lags_ && staff_.may_wait() && staff_.breaks_cycle());
}

/// `next` is in the vector of the dispatcher, which may grow: it is read before
/// anything is called.
void managed_pool::carry_out(const decision& next, host_ptr host) {
  auto* task = static_cast<managed_task*>(next.task);
  auto* worker = static_cast<managed_worker*>(next.worker);
  switch (next.is) {
    case decision::kind::send:
      return sending_.send(*task, *worker, host);
    case decision::kind::recall:
      return flight_.recall(*task, *worker);
    case decision::kind::look:
      return flight_.look(*task, *worker, host);
    case decision::kind::end:
      return end(*task, decision{next}, host);
    case decision::kind::settle:
      if (task->is == task::condition::overdue)
        flight_.give_up(*task);
      return settle(*task, decision{next}, host);
    case decision::kind::release:
      return recycle(*task);
    case decision::kind::dismiss:
      return staff_.dismiss(*worker, host);
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
