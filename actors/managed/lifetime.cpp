#include "libpool/actors/managed/lifetime.hpp"

#include "libpool/actors/caf/port/front_actor.hpp"
#include "libpool/actors/caf/port/make_message.hpp"
#include "libpool/actors/error.hpp"

#include <caf/exit_reason.hpp>
#include <caf/system_messages.hpp>

#include <utility>

namespace libpool {

void lifetime::drain(user_answer answer, host_ptr host) {
  end_.drain(std::move(answer));
  if (dispatcher_.runs().is_on())
    dispatcher_.closed(errc::pool_closed); // no further messages join runs
  pauses_.end_all(host);
}

void lifetime::await_idle(user_answer answer, host_ptr host) {
  end_.await_idle(std::move(answer));
  if (end_.has_ended())
    end_.answer_idle(errc::pool_closed, host);
}

/// Looks whether there is a reason to go on.
void lifetime::end_if_over(host_ptr host) {
  if (end_.has_ended())
    return;
  if (end_.is_out_of_workers(staff_.is_alone(), staff_.workers().is_bereft()))
    return end(caf::exit_reason::out_of_workers, host);
  if (end_.gives_up(staff_.is_alone()))
    dispatching_.fail_waiting(errc::no_workers, host);
  if (!end_.drains() || !is_idle())
    return;
  end_.answer_drained(errc{}, host);
  end(caf::exit_reason::user_shutdown, host);
}

void lifetime::end(const caf::error& reason, host_ptr host) {
  if (!end_.end())
    return;
  end_.answer_idle(is_idle() ? errc{} : errc::pool_closed, host);
  staff_.end();
  pauses_.end_all(host);
  auto is_out_of_workers = reason == caf::exit_reason::out_of_workers;
  auto why = is_out_of_workers ? errc::no_workers : errc::pool_closed;
  if (dispatching_.has_more_to_do())
    dispatching_.fail_waiting(why, host);
  auto orphans = staff_.workers().serving();
  for (auto* each : orphans)
    staff_.retire(*each, false, nullptr);
  dispatcher_.closed(errc::pool_closed);
  dispatcher_.abandoned(why, clock_.now());
  for (auto* each : staff_.workers().all())
    if (each->stops)
      orphans.push_back(each);
  for (auto* each : orphans)
    if (each->node == nullptr)
      staff_.stop(each->handle, reason, host);
  end_.answer_drained(why, host);
  dispatching_.carry_out(host);
  if (const auto& nodes = staff_.entrance(); nodes != nullptr)
    send_to(*nodes->get(), // ends the nodes, or leaves them to the next pool
            caf::make_message(caf::exit_msg{pool_.address(), reason}), host);
  if (end_.is_blind())
    staff_.stop_all(reason, host);
  pool_.end(reason, host);
}

void lifetime::vanish(host_ptr host) {
  if (!end_.end())
    return;
  end_.answer_idle(errc::pool_closed, host);
  if (!recycler_.is_unused()) {
    for (auto* each : dispatcher_.tasks().all()) // also at paused workers
      dispatcher_.failed(*each, errc::no_workers, clock_.now());
    dispatching_.fail_waiting(errc::no_workers, host);
  }
  for (auto* each : staff_.workers().serving())
    if (each->receiver.actor->getf(caf::abstract_actor::is_blocking_flag))
      staff_.stop(each->handle, caf::exit_reason::unreachable, host);
  pool_.end(caf::exit_reason::unreachable, host);
}

} // namespace libpool
