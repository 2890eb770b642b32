#include "libpool/actors/managed/dispatching.hpp"

#include "libpool/actors/managed/round_size.hpp"

#include <cstddef>

namespace libpool {

void dispatching::carry_out(host_ptr host) {
  auto& decisions = dispatcher_.decisions();
  decide();
  while (!decisions.empty()) {
    for (std::size_t done = 0; done < decisions.size();) // may grow
      carry_out(decisions[done++], host);
    decisions.clear();
    decide();
  }
  flight_.tell_cancelled(host);
}

/// Lets the dispatcher send the tasks that can be sent. Sends none after the
/// end of the pool.
void dispatching::decide() {
  if (end_.has_ended() || lags_)
    return;
  staff_.keep_staffed();
  if (!dispatcher_.leases().empty()) {
    if (dispatcher_.has_due(clock_.now()))
      flight_.tell_ends();
    if (!clock_.measures())
      flight_.take_overdue_back();
  }
  do {
    dispatcher_.dispatch(clock_.now());
    lags_ = dispatcher_.has_due(clock_.now());
  } while (!lags_ && staff_.may_wait() && staff_.breaks_cycle());
}

/// `next` is in the vector of the dispatcher, which may grow: it is read before
/// anything is called.
void dispatching::carry_out(const decision& next, host_ptr host) {
  auto* task = static_cast<managed_task*>(next.task);
  auto* worker = static_cast<managed_worker*>(next.worker);
  switch (next.is) {
    case decision::kind::send:
      return flight_.send(*task, *worker, host);
    case decision::kind::recall:
      return flight_.recall(*task, *worker);
    case decision::kind::look:
      return flight_.look(*task, *worker, host);
    case decision::kind::end:
      return settlement_.end(*task, decision{next}, host);
    case decision::kind::settle:
      return settlement_.settle(*task, decision{next}, host);
    case decision::kind::give_up:
      return flight_.give_up(*task);
    case decision::kind::release:
      return settlement_.release(*task);
    case decision::kind::dismiss:
      return staff_.dismiss(*worker, host);
  }
}

void dispatching::do_portion(host_ptr host) {
  if (gathers_.has_more())
    gathers_.make_more(most_in_round);
  settlement_.tell_more(most_in_round, host);
}

void dispatching::fail_waiting(errc why, host_ptr host) {
  do {
    if (gathers_.has_more())
      gathers_.make_more(most_in_round);
    dispatcher_.deserted(why, clock_.now());
    carry_out(host);
    settlement_.tell_all(host); // so that tasks are reused
  } while (gathers_.has_more());
}

} // namespace libpool
