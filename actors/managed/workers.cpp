/// The workers of a managed pool, and how many messages they can take.

#include "libpool/actors/caf/handles.hpp"
#include "libpool/actors/caf/node_worker.hpp"
#include "libpool/actors/caf/port/make_message.hpp"
#include "libpool/actors/caf/port/scheduling.hpp"
#include "libpool/actors/caf/words.hpp"
#include "libpool/actors/error.hpp"
#include "libpool/actors/managed/managed_pool.hpp"
#include "libpool/actors/user_function.hpp"

#include <caf/actor_proxy.hpp>
#include <caf/exit_reason.hpp>
#include <caf/sec.hpp>
#include <caf/system_messages.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>

namespace libpool {

namespace {

/// Says which actor cannot be tracked, and what to do instead.
std::string why_untrackable(caf::abstract_actor& actor) {
  auto* only = " can only be a worker of a direct pool";
  if (lacks_set_up(actor))
    return name_of(actor)
           + " has a mailbox that does not report to the pool: call "
             "libpool::set_up(config) before the actor system is made";
  if (dynamic_cast<const caf::actor_proxy*>(&actor) == nullptr)
    return name_of(actor) + only;
  return name_of(actor) + " of node " + to_string(actor.node()) + only
         + ": use a policy of direct pools such as round_robin, or spawn a "
           "managed pool on that node and send messages to it";
}

/// A worker as the options want it; one that is a pool has no seats yet.
std::unique_ptr<managed_worker> make_worker(const caf::actor& handle,
                                            const tracked_element::receiver& as,
                                            const managed_setup& options) {
  auto result = std::make_unique<managed_worker>();
  result->handle = handle;
  result->name = short_words_of(*as.actor);
  result->receiver = as;
  result->takes_turns =
    as.scheduled != nullptr
    && !as.actor->getf(caf::abstract_actor::is_detached_flag);
  result->is_pool = as.pool != nullptr;
  if (result->is_pool)
    result->node = as.pool->as_node();
  result->takes_leases = as.goes_on && options.busy_until != busy_until::answer;
  auto blocks = as.actor->getf(caf::abstract_actor::is_blocking_flag);
  result->window = blocks ? 1 : options.window.value_or(1);
  result->seats = blocks ? 1 : options.seats_per_worker;
  if (result->is_pool)
    result->window = result->seats = 0;
  return result;
}

/// Gives the worker the weight that the user wants it to have. Returns an error
/// if the weight is bad.
caf::error set_weight(managed_worker& worker, const managed_setup& options) {
  if (options.weight_of == nullptr)
    return {};
  try {
    worker.weight = call_user("weight_of", options.weight_of, worker.handle);
  } catch (...) {
    return make_error(errc::policy_failed, thrown_text());
  }
  if (worker.weight.count() > 0)
    return {};
  return caf::make_error(caf::sec::invalid_argument,
                         "libpool: weight_of: must be above 0 ns, got "
                           + std::to_string(worker.weight.count()));
}

} // namespace

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
  if (roster_.size() >= options_.most_workers) {
    if (as->pool != nullptr && as->pool->as_node() != nullptr)
      stop_worker(worker, {}, nullptr); // the session of the node ends
    return invalid_argument("put: workers must be at most most_workers ("
                            + std::to_string(options_.most_workers) + "), got "
                            + std::to_string(roster_.size() + 1));
  }
  auto made = make_worker(worker, *as, options_);
  if (auto why = set_weight(*made, options_))
    return why;
  add(std::move(made));
  return {};
}

void managed_pool::add(std::unique_ptr<managed_worker> worker) {
  auto& added = roster_.add(std::move(worker));
  auto& actor = *added.receiver.actor;
  workers_may_wait_ = workers_may_wait_ || may_wait(actor);
  if (auto* pool = added.receiver.pool) {
    pool->outer().add(address(), added.number); // from now on it reports
    auto room = pool->room();
    roster_.resizes(added, room.seats);
    added.window = added.seats = room.seats;
    added.has_nobody = room.seats == 0 && !room.expects_change;
    room_.pool_joined();
  }
  if (added.node != nullptr)
    for (auto& [where, only] : intake_.nodes().joins(added.number, *added.node))
      dispatcher_.changed(*where, std::move(only));
  dispatcher_.joined(added, now());
  if (added.node != nullptr && paused_nodes_.count(added.node->node_name()) > 0)
    pause(added, true, nullptr);
  watch(actor, *this, added.number);
}

/// Takes out one worker, or all if nullptr. Answers when they have ended what
/// they have begun.
void managed_pool::remove(const caf::actor* worker,
                          caf::mailbox_element& element, host_ptr host) {
  auto pending = std::make_shared<pending_answer>();
  if (element.mid.is_request())
    pending->to = {element.sender, element.mid};
  for (auto* each : roster_.serving())
    if (worker == nullptr || *worker == each->handle) {
      retire(*each, false, pending);
      staffing_.removed(count_workers());
    }
  if (pending->missing == 0)
    answers_.confirm(element, {}, host);
}

/// Gives it nothing more; it is dismissed when it has ended what it has begun.
void managed_pool::retire(managed_worker& worker, bool stops,
                          const std::shared_ptr<pending_answer>& by) {
  worker.stops = stops;
  worker.is_taken_out = by != nullptr;
  statistics_.departed().removed += stops || worker.is_taken_out ? 1U : 0U;
  roster_.take_out(worker);
  if (by != nullptr) {
    ++by->missing;
    worker.waiting.push_back(by);
  }
  dispatcher_.retired(worker, now());
  gathers_.give_up_on(worker);
}

/// Nothing of the worker's is open any more. One that was not taken out has
/// died, which is still to be told.
void managed_pool::dismiss(managed_worker& worker, host_ptr host) {
  if (roster_.serves(worker)) {
    roster_.presume_dead(worker);
    gathers_.give_up_on(worker);
  } else if (!worker.is_presumed_dead) {
    forget(worker, host);
  }
}

void managed_pool::forget(managed_worker& worker, host_ptr host) {
  auto owner = roster_.remove(worker);
  for (auto& [where, only] : intake_.nodes().left(worker.number))
    dispatcher_.changed(*where, std::move(only));
  while (!worker.asked.empty()) { // tasks of a pool that has ended
    worker.asked.front().asked_of = nullptr;
    worker.asked.pop_front();
  }
  unwatch(*worker.receiver.actor, *this, worker.number);
  if (worker.is_pool)
    worker.receiver.pool->outer().remove(address(), worker.number);
  if (worker.stops)
    stop_worker(worker.handle, caf::exit_reason::user_shutdown, host);
  for (auto& each : worker.waiting)
    if (--each->missing == 0)
      answers_.send(std::move(each->to), {}, host);
}

/// A worker that is a pool has another room. A pool that contains this one has
/// no seats but the seats of this one: it gets one message at a time, which
/// comes back and is refused. That stays so, also if the worker then reports a
/// change of its own: otherwise two pools that contain each other would report
/// to each other for ever.
void managed_pool::room_changed(worker_number number, const room_report& report,
                                host_ptr host) {
  auto* worker = roster_.find(number);
  if (worker == nullptr)
    return;
  auto is_own = room_.is_own(report);
  worker->contains_this = worker->contains_this || is_own;
  auto seats = is_own ? 1
               : worker->contains_this
                 ? std::min<std::size_t>(report.room.seats, 1)
                 : report.room.seats;
  auto has_nobody = seats == 0 && !report.room.expects_change;
  roster_.resizes(*worker, seats);
  dispatcher_.resized(*worker, seats, has_nobody, now());
  dispatcher_.roomy(*worker, now());
  if (is_own)
    return;
  if (auto told = room_.inner_changed(room_now(), report))
    outer().tell(*told, host);
}

void managed_pool::stop_worker(const caf::actor& worker,
                               const caf::error& reason, host_ptr host) {
  auto why = reason ? reason : caf::error{caf::exit_reason::user_shutdown};
  send_exit(worker, caf::make_message(caf::exit_msg{address(), std::move(why)}),
            host);
}

void managed_pool::died(worker_number number, const caf::error& reason,
                        host_ptr host) {
  auto* found = roster_.find(number);
  if (found == nullptr)
    return;
  auto& worker = *found;
  auto is_node = worker.node != nullptr;
  auto served = roster_.died(worker);
  fail_unanswered(worker, host);
  dispatcher_.left(worker, now());
  if (worker.receiver.actor->getf(caf::abstract_actor::is_blocking_flag))
    reclaim(worker);
  gathers_.give_up_on(worker);
  if (worker.is_presumed_dead)
    forget(worker, host);
  if (!served)
    return;
  auto& departed = statistics_.departed();
  ++(spawning::is_crash(reason) ? departed.crashed : departed.ended);
  note_end(is_node ? caf::error{} : reason);
}

/// Decides what becomes of a worker that has given something back, for this
/// reason, if it has said one.
void managed_pool::judge(managed_worker& worker, errc why) {
  using std::chrono::milliseconds;
  constexpr auto for_a_while = milliseconds{10};
  if (is_closed(worker.receiver))
    return dispatcher_.left(worker, now()); // before its death is told
  switch (why) {
    case errc::not_needed:
    case errc::unreadable:
    case errc::too_large:
    case errc::not_serializable:
    case errc::not_connected:
    case errc::policy_failed:
      return;
    case errc::queue_full:
    case errc::flow_full:
    case errc::no_workers:
      return dispatcher_.rested(worker, never, now()); // until it has room
    default:
      break;
  }
  if (why == errc{} && worker.receiver.pool != nullptr)
    dispatcher_.rested(worker, later(clock_.look(), for_a_while), now());
  else if (roster_.serves(worker)) { // has ended, or handles nothing it gets
    ++statistics_.departed().ended;
    retire(worker, false, nullptr);
    staffing_.ended(count_workers());
  }
}

/// Lets the worker, which uses the scheduler, pause if it has run for long.
void managed_pool::let_others_run(managed_worker& worker,
                                  const tracked_element& ended) {
  auto* lease = ended.lease();
  auto tasks = lease != nullptr ? lease->size() : 1;
  auto since = lease != nullptr ? lease->since() : ended.started_at();
  if (!sharing_.has_to_pause(worker, roster_.size(), tasks,
                             ended.ended_at() - since, clock_))
    return;
  dispatcher_.paused(worker, now());
  auto goes_on = [this, number = worker.number](host_ptr) {
    if (auto* paused = roster_.find(number))
      dispatcher_.resumed(*paused, now());
  };
  auto later = [self = caf::strong_actor_ptr{ctrl()}, this,
                goes_on](host_ptr host) { tell(goes_on, host); };
  call_later(home_system(), later);
}

} // namespace libpool
