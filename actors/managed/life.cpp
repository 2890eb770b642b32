/// How a managed pool ends, how it knows the time, and what it says of itself.

#include "libpool/actors/caf/handles.hpp"
#include "libpool/actors/error.hpp"
#include "libpool/actors/managed/managed_pool.hpp"

#include <caf/actor_cast.hpp>
#include <caf/actor_clock.hpp>
#include <caf/actor_system.hpp>
#include <caf/exit_reason.hpp>
#include <caf/make_message.hpp>

#include <algorithm>
#include <future>
#include <utility>

namespace libpool {

namespace {

worker_stats stats_of(const worker_record& from) {
  worker_stats result;
  result.completed = from.completed;
  result.failed = from.failed;
  result.busy = from.busy;
  result.max_service = from.slowest;
  result.stolen = from.stolen;
  result.waits = from.waits;
  if (auto ended = from.completed + from.failed)
    result.mean_service = from.busy / static_cast<duration::rep>(ended);
  return result;
}

} // namespace

// -- the end ------------------------------------------------------------------

bool managed_pool::drain(caf::mailbox_element& what) {
  drains_ = true; // nothing new is accepted
  if (what.mid.is_request())
    drainers_.push_back(take_return_path(what));
  return true;
}

/// Looks whether there is a reason to go on.
void managed_pool::end_if_over(host_ptr host) {
  if (ended_)
    return;
  if (is_alone() && bereft_ && options_.when_empty == when_empty::end)
    return end_now(caf::exit_reason::out_of_workers, host);
  if (is_alone() && (drains_ || options_.when_empty == when_empty::end))
    fail_waiting(errc::no_workers, host);
  if (!drains_ || dispatcher_.books().open() > 0 || !backlog_.empty())
    return;
  for (auto& each : std::exchange(drainers_, {}))
    answer(std::move(each), ctrl(), {}, host);
  end_now(caf::exit_reason::user_shutdown, host);
}

/// Fails what waits: some of it at a time, since there may be much of it that
/// no task has been made of.
void managed_pool::fail_waiting(errc why, host_ptr host) {
  constexpr auto at_once = 256;
  do {
    for (auto i = 0; i < at_once && !backlog_.empty(); ++i)
      take_from_backlog();
    dispatcher_.deserted(why, now());
    carry_out(host);
  } while (!backlog_.empty());
}

/// Ends the pool and stops its workers; nothing if it has ended already.
void managed_pool::end_now(const caf::error& reason, host_ptr host) {
  if (std::exchange(ended_, true))
    return;
  factory_ = nullptr;
  replacements_.clear();
  auto is_out_of_workers = reason == caf::exit_reason::out_of_workers;
  auto why = is_out_of_workers ? errc::no_workers : errc::pool_closed;
  if (!backlog_.empty())
    fail_waiting(why, host);
  auto orphans = serving();
  for (auto* who : orphans)
    retire(*who, false, nullptr);
  dispatcher_.closed(errc::pool_closed);
  dispatcher_.abandoned(why, now());
  for (auto* who : orphans)
    stop_worker(*who, reason, host);
  for (auto& each : std::exchange(drainers_, {}))
    answer(std::move(each), ctrl(), caf::make_message(make_error(why)), host);
  carry_out(host);
  if (cleanup(caf::error{reason}, host))
    unregister_from_system();
}

void managed_pool::stop(const caf::error& reason, host_ptr host) {
  tell([this, reason](host_ptr here) { end_now(reason, here); }, host);
}

/// Nobody refers to the pool, and nothing is under way. Workers to which nobody
/// else refers vanish, but for those that wait in threads of their own.
void managed_pool::on_destroy() {
  constexpr auto reason = caf::exit_reason::unreachable;
  if (!std::exchange(ended_, true)) {
    for (auto* who : serving())
      if (who->receiver.actor->getf(caf::abstract_actor::is_blocking_flag))
        stop_worker(*who, reason, nullptr);
    if (cleanup(reason, nullptr))
      unregister_from_system();
  }
  pool_front::on_destroy();
}

// -- time ---------------------------------------------------------------------

instant managed_pool::clock_now() const {
  return home_system().clock().now();
}

void managed_pool::ticked() {
  auto time = clock_now();
  alarms_.rang(time);
  dispatcher_.ticked(time);
}

/// Has the clock tell when the next thing is due.
void managed_pool::arm() {
  auto due = std::min(dispatcher_.next_tick(), gathers_.next_tick());
  if (!tries_again_)
    due = std::min(due, replacements_.next());
  alarms_.set(due);
}

// -- asking -------------------------------------------------------------------

pool_stats managed_pool::stats() {
  if (is_handling())
    return collect_stats();
  auto result = std::make_shared<std::promise<pool_stats>>();
  tell([this, result](host_ptr) { result->set_value(collect_stats()); },
       nullptr);
  return result->get_future().get();
}

pool_stats managed_pool::collect_stats() {
  pool_stats result;
  auto total = departed_;
  for (auto& [number, who] : workers_) {
    for (auto& each : who->mailbox) {
      auto* carrier = static_cast<managed_task&>(each).carrier;
      if (carrier != nullptr && carrier->has_started()
          && each.is == task::condition::sent)
        dispatcher_.started(each, now());
    }
    member_stats member{stats_of(who->record), who->handle, who->in_flight};
    total.add(who->record);
    result.members.push_back(std::move(member));
  }
  result.workers = serving_.size();
  result.tasks = dispatcher_.books();
  result.tasks.accepted += backlog_.size();
  result.tasks.waiting += backlog_.size();
  result.refused = result.tasks.refused;
  result.total = stats_of(total);
  result.restarts = replaced_;
  result.barred = dispatcher_.barred();
  result.lost_homes = dispatcher_.lost_homes();
  result.gathered = gathers_.messages();
  result.hedged = gathers_.hedged();
  result.answered_with_error = answered_with_error_;
  result.flows = dispatcher_.flows(options_.top_flows);
  return result;
}

} // namespace libpool
