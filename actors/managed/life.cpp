/// How a managed pool ends.

#include "libpool/actors/caf/handles.hpp"
#include "libpool/actors/caf/port/front_actor.hpp"
#include "libpool/actors/caf/port/make_message.hpp"
#include "libpool/actors/error.hpp"
#include "libpool/actors/managed/managed_pool.hpp"
#include "libpool/actors/managed/round_size.hpp"

#include <caf/exit_reason.hpp>
#include <caf/system_messages.hpp>

#include <cstddef>
#include <functional>
#include <utility>

namespace libpool {

void managed_pool::drain(caf::mailbox_element& element, host_ptr host) {
  if (element.mid.is_request())
    endings_.drain_for(take_return_path(element));
  else
    endings_.drain();
  end_pauses(host);
}

void managed_pool::when_idle(std::function<void(errc)> told) {
  auto answer = [told = std::move(told)](errc why, host_ptr) { told(why); };
  tell([this, answer](host_ptr host) { await_idle(answer, host); }, nullptr);
}

/// Gives the answer at the end of the first round after which nothing is open.
void managed_pool::await_idle(endings::idle_answer answer, host_ptr host) {
  endings_.await_idle(std::move(answer));
  if (endings_.has_ended())
    endings_.answer_idle(errc::pool_closed, host);
}

void managed_pool::await_idle(caf::mailbox_element& element, host_ptr host) {
  if (!element.mid.is_request())
    return;
  auto answer = [this, client = take_return_path(element)](errc why,
                                                           host_ptr here) {
    answers_.send(client,
                  why == errc{} ? caf::message{}
                                : caf::make_message(make_error(why)),
                  here);
  };
  await_idle(answer, host);
}

void managed_pool::keep_waiting(bool wait) {
  auto change = [this, wait](host_ptr) {
    endings_.change(wait ? when_empty::wait : when_empty::refuse);
  };
  tell(change, nullptr);
}

/// Looks whether there is a reason to go on.
void managed_pool::end_if_over(host_ptr host) {
  if (endings_.has_ended())
    return;
  if (endings_.is_out_of_workers(staff_.is_alone(),
                                 staff_.workers().is_bereft()))
    return end_now(caf::exit_reason::out_of_workers, host);
  if (endings_.gives_up(staff_.is_alone()))
    dispatching_.fail_waiting(errc::no_workers, host);
  if (!endings_.drains() || !is_idle())
    return;
  for (auto& each : endings_.take_clients())
    answers_.send(std::move(each), {}, host);
  end_now(caf::exit_reason::user_shutdown, host);
}

/// Fails tasks that are assigned to workers that a user has paused.
void managed_pool::fail_assigned(errc why) {
  for (auto* each : dispatcher_.open_tasks())
    dispatcher_.failed(*each, why, now());
}

/// Ends the pool and stops its workers, also those that were to be stopped when
/// they have ended what they have begun; nothing if it has ended already.
void managed_pool::end_now(const caf::error& reason, host_ptr host) {
  if (!endings_.end())
    return;
  endings_.answer_idle(is_idle() ? errc{} : errc::pool_closed, host);
  staff_.end();
  end_pauses(host);
  auto is_out_of_workers = reason == caf::exit_reason::out_of_workers;
  auto why = is_out_of_workers ? errc::no_workers : errc::pool_closed;
  if (dispatching_.has_more_to_do())
    dispatching_.fail_waiting(why, host);
  auto orphans = staff_.workers().serving();
  for (auto* each : orphans)
    staff_.retire(*each, false, nullptr);
  dispatcher_.closed(errc::pool_closed);
  dispatcher_.abandoned(why, now());
  for (auto* each : staff_.workers().all())
    if (each->stops)
      orphans.push_back(each);
  for (auto* each : orphans)
    if (each->node == nullptr)
      staff_.stop(each->handle, reason, host);
  for (auto& each : endings_.take_clients())
    answers_.send(std::move(each), caf::make_message(make_error(why)), host);
  dispatching_.carry_out(host);
  if (entrance() != nullptr) // ends the nodes, or leaves them to the next pool
    send_to(*entrance()->get(),
            caf::make_message(caf::exit_msg{address(), reason}), host);
  if (endings_.is_blind())
    for (auto* each : staff_.workers().all())
      staff_.stop(each->handle, reason, host);
  if (cleanup(caf::error{reason}, host))
    unregister_from_system();
}

/// No user is left who could stop workers that were taken out, and that never
/// handle what they have begun.
void managed_pool::system_ended(host_ptr host) {
  constexpr auto reason = caf::exit_reason::user_shutdown;
  if (!endings_.is_end_of(home_system()))
    return;
  end_now(reason, host);
  answers_.forget_owed();
  for (auto* each : staff_.workers().all())
    staff_.stop(each->handle, reason, host);
}

/// Nothing refers to the pool, and no worker has a message of it. Messages that
/// wait do so in vain. A thread that converts an address to a reference can be
/// in the pool at the same time.
void managed_pool::unreachable() {
  tell([this](host_ptr host) { vanish(host); }, nullptr);
}

/// Ends the pool, to which nothing refers, and fails its waiting messages.
/// Workers to which nothing else refers vanish, except workers that wait in
/// threads of their own: these are stopped.
void managed_pool::vanish(host_ptr host) {
  constexpr auto reason = caf::exit_reason::unreachable;
  if (!endings_.end())
    return;
  endings_.answer_idle(errc::pool_closed, host);
  if (!recycler_.is_unused()) {
    fail_assigned(errc::no_workers);
    dispatching_.fail_waiting(errc::no_workers, host);
  }
  for (auto* each : staff_.workers().serving())
    if (each->receiver.actor->getf(caf::abstract_actor::is_blocking_flag))
      staff_.stop(each->handle, reason, host);
  if (cleanup(reason, host))
    unregister_from_system();
}

} // namespace libpool
