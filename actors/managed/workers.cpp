/// Who is in a managed pool, and how many messages they can take.

#include "libpool/actors/caf/handles.hpp"
#include "libpool/actors/caf/words.hpp"
#include "libpool/actors/error.hpp"
#include "libpool/actors/managed/managed_pool.hpp"
#include "libpool/actors/user_function.hpp"

#include <caf/actor_cast.hpp>
#include <caf/actor_proxy.hpp>
#include <caf/actor_system.hpp>
#include <caf/blocking_actor.hpp>
#include <caf/exit_reason.hpp>
#include <caf/make_message.hpp>
#include <caf/scheduled_actor.hpp>
#include <caf/sec.hpp>
#include <caf/system_messages.hpp>

#include <algorithm>
#include <string>
#include <utility>

namespace libpool {

namespace {

/// Says which actor cannot be tracked, and what to do instead.
std::string why_untrackable(const caf::abstract_actor& actor) {
  auto* only = ", which only a direct pool takes";
  if (dynamic_cast<const caf::actor_proxy*>(&actor) == nullptr)
    return name_of(actor) + only;
  return name_of(actor) + " of node " + to_string(actor.node()) + only
         + ": use a policy such as round_robin, or spawn a managed pool on "
           "that node and send to it";
}

} // namespace

// -- who is in the pool -------------------------------------------------------

caf::error managed_pool::put(const caf::actor& worker) {
  if (is_nobody(worker))
    return errc::worker_down;
  auto& actor = actor_behind(worker);
  if (&actor == this)
    return errc::cycle;
  auto as = trackable(actor);
  if (!as)
    return make_error(errc::untrackable_worker, why_untrackable(actor));
  if (is_dead(actor))
    return errc::worker_down;
  if (roster_.serves(actor))
    return {};
  duration weight{0};
  if (options_.weight_of != nullptr) {
    try {
      weight = call_user("weight_of", options_.weight_of, worker);
    } catch (...) {
      return make_error(errc::policy_failed, what_is_thrown());
    }
    if (weight.count() <= 0)
      return caf::make_error(caf::sec::invalid_argument,
                             "libpool: weight_of: must be above 0 ns, is "
                               + std::to_string(weight.count()));
  }
  add(worker, *as, weight);
  return {};
}

namespace {

/// A worker as the options want it; one that is a pool has no seats yet.
std::unique_ptr<managed_worker> make_worker(const caf::actor& handle,
                                            const tracked_element::receiver& as,
                                            const managed_options& options) {
  auto result = std::make_unique<managed_worker>();
  result->handle = handle;
  result->name = name_of(*as.actor);
  result->receiver = as;
  result->takes_turns =
    as.scheduled != nullptr
    && !as.actor->getf(caf::abstract_actor::is_detached_flag);
  result->is_pool = as.pool != nullptr;
  auto blocks = as.actor->getf(caf::abstract_actor::is_blocking_flag);
  result->window = blocks ? 1 : *options.window;
  result->seats = blocks ? 1 : options.seats_per_worker;
  if (result->is_pool)
    result->window = result->seats = 0;
  return result;
}

} // namespace

void managed_pool::add(const caf::actor& worker,
                       const tracked_element::receiver& as, duration weight) {
  auto& added = roster_.add(make_worker(worker, as, options_));
  added.weight = weight;
  if (added.is_pool) {
    as.pool->outer().add(address(), added.number); // from now on it reports
    auto room = as.pool->room();
    roster_.resizes(added, room.seats);
    added.window = added.seats = room.seats;
    added.has_nobody = room.seats == 0 && !room.expects_change;
    room_.pool_joined();
  }
  dispatcher_.joined(added, now());
  watch(*as.actor, *this, added.number);
}

/// Takes out one worker, or all if nullptr. Answers when they have
/// ended what they have begun.
void managed_pool::remove(const caf::actor* worker, caf::mailbox_element& what,
                          host_ptr host) {
  auto pending = std::make_shared<pending_answer>();
  if (what.mid.is_request())
    pending->to = {what.sender, what.mid, {}};
  for (auto* who : roster_.serving())
    if (worker == nullptr || *worker == who->handle)
      retire(*who, false, pending);
  if (pending->missing == 0)
    answers_.confirm(what, {}, host);
}

/// Gives it nothing more; it is dismissed when it has ended what it has begun.
void managed_pool::retire(managed_worker& who, bool stops,
                          const std::shared_ptr<pending_answer>& by) {
  who.stops = stops;
  who.is_taken_out = by != nullptr;
  roster_.take_out(who);
  if (by != nullptr) {
    ++by->missing;
    who.waiting.push_back(by);
  }
  dispatcher_.retired(who, now());
  give_up_on(who);
}

/// Nothing of the worker's is open any more. One that was not taken out has
/// died, which is still to be told.
void managed_pool::dismiss(managed_worker& who, host_ptr host) {
  if (roster_.serves(who)) {
    roster_.presume_dead(who);
    give_up_on(who);
  } else if (!who.is_presumed_dead) {
    forget(who, host);
  }
}

void managed_pool::forget(managed_worker& who, host_ptr host) {
  auto owner = roster_.remove(who);
  while (!who.asked.empty()) { // tasks of a pool that has ended
    who.asked.front().asked_of = nullptr;
    who.asked.pop_front();
  }
  unwatch(*who.receiver.actor, *this, who.number);
  if (who.is_pool)
    who.receiver.pool->outer().remove(address(), who.number);
  if (who.stops)
    stop_worker(who, caf::exit_reason::user_shutdown, host);
  for (auto& each : who.waiting)
    if (--each->missing == 0)
      answers_.send(std::move(each->to), {}, host);
}

/// Takes what the worker, a dead one that blocks, still has: that is destroyed
/// with it, and it is not destroyed as long as something of it is open.
void managed_pool::reclaim(managed_worker& who) {
  std::vector<managed_task*> held;
  for (auto& each : who.mailbox)
    if (auto& task = static_cast<managed_task&>(each); task.carrier != nullptr)
      held.push_back(&task);
  for (auto* task : held) {
    auto& carrier = *std::exchange(task->carrier, nullptr);
    carrier.abandon();
    dispatcher_.started(*task, now());
    if (carrier.used() == tracked_element::use::handled) {
      finished(*task, ending::completed, nullptr);
      continue;
    }
    take_back(*task, carrier);
    if (task->interceptor != nullptr)
      task->interceptor->forget_answer();
    dispatcher_.unhandled(*task, now());
    came_back(*task);
  }
}

/// Tells pools that have this one for a worker, if there is anything to tell.
void managed_pool::tell_room(std::optional<room_report> report, host_ptr host) {
  if (report)
    outer().tell(*report, host);
}

void managed_pool::stop_worker(const managed_worker& who,
                               const caf::error& reason, host_ptr host) {
  auto why = reason ? reason : caf::error{caf::exit_reason::user_shutdown};
  send_exit(who.handle,
            caf::make_message(caf::exit_msg{address(), std::move(why)}), host);
}

void managed_pool::died(worker_number number, const caf::error& reason,
                        host_ptr host) {
  auto* found = roster_.find(number);
  if (found == nullptr)
    return;
  auto& who = *found;
  auto served = roster_.died(who);
  std::vector<managed_task*> unanswered;
  for (auto& each : who.mailbox)
    if (auto& task = static_cast<managed_task&>(each); task.awaits_answer)
      unanswered.push_back(&task);
  for (auto* task : unanswered)
    never_answers(*task, host);
  dispatcher_.left(who, now());
  if (who.receiver.actor->getf(caf::abstract_actor::is_blocking_flag))
    reclaim(who);
  give_up_on(who);
  if (who.is_presumed_dead)
    forget(who, host);
  if (served)
    spawning_.ended(reason, clock_.look());
}

} // namespace libpool
