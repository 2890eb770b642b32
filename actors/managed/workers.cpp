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
  if (serving_.count(&actor) > 0)
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

void managed_pool::add(const caf::actor& worker,
                       const tracked_element::receiver& as, duration weight) {
  auto who = std::make_unique<managed_worker>();
  auto& added = *who;
  added.number = worker_number{joined_++};
  added.handle = worker;
  added.name = name_of(*as.actor);
  added.receiver = as;
  added.takes_turns = as.scheduled != nullptr
                      && !as.actor->getf(caf::abstract_actor::is_detached_flag);
  auto blocks = as.actor->getf(caf::abstract_actor::is_blocking_flag);
  added.window = blocks ? 1 : *options_.window;
  added.seats = blocks ? 1 : options_.seats_per_worker;
  if (as.pool != nullptr) {
    as.pool->outer().add(address(), added.number);
    added.is_pool = true;
    auto room = as.pool->room();
    added.window = added.seats = room.seats;
    added.has_nobody = room.seats == 0 && !room.expects_change;
    has_new_pool_ = true;
  }
  added.weight = weight;
  added.alone.only = {added.number};
  workers_.emplace(added.number, std::move(who));
  serving_.emplace(as.actor, &added);
  seats_now_ += added.seats;
  bereft_ = false;
  dispatcher_.joined(added, now());
  watch(*as.actor, *this, added.number);
}

/// Takes out one worker, or all if nullptr; always true. Answers when they have
/// ended what they have begun.
bool managed_pool::remove(const caf::actor* worker, caf::mailbox_element& what,
                          host_ptr host) {
  auto pending = std::make_shared<pending_answer>();
  if (what.mid.is_request())
    pending->to = {what.sender, what.mid, {}};
  for (auto* who : serving())
    if (worker == nullptr || *worker == who->handle)
      retire(*who, false, pending);
  return pending->missing == 0 ? confirm(what, {}, host) : true;
}

/// Those that serve, in the order in which they joined.
std::vector<managed_worker*> managed_pool::serving() const {
  std::vector<managed_worker*> result;
  for (auto& [number, who] : workers_)
    if (who->is == worker::condition::serving)
      result.push_back(who.get());
  return result;
}

/// Gives it nothing more; it is dismissed when it has ended what it has begun.
void managed_pool::retire(managed_worker& who, bool stops,
                          const std::shared_ptr<pending_answer>& by) {
  who.stops = stops;
  who.is_taken_out = by != nullptr;
  take_out_of_service(who);
  if (by != nullptr) {
    ++by->missing;
    who.waiting.push_back(by);
  }
  dispatcher_.retired(who, now());
  gathers_.give_up_on(who);
}

/// Nothing of the worker's is open any more. One that was not taken out has
/// died, which is still to be told.
void managed_pool::dismiss(managed_worker& who, host_ptr host) {
  if (serves(who)) {
    take_out_of_service(who);
    who.is_dying = true;
    ++dying_;
    gathers_.give_up_on(who);
  } else if (!who.is_dying) {
    forget(who, host);
  }
}

void managed_pool::forget(managed_worker& who, host_ptr host) {
  auto number = who.number;
  auto owner = std::move(workers_.at(number));
  workers_.erase(number);
  while (!who.asked.empty()) { // tasks of a pool that has ended
    who.asked.front().asked_of = nullptr;
    who.asked.pop_front();
  }
  unwatch(*who.receiver.actor, *this, number);
  if (who.is_pool)
    who.receiver.pool->outer().remove(address(), number);
  departed_.add(who.record);
  if (who.stops)
    stop_worker(who, caf::exit_reason::user_shutdown, host);
  for (auto& each : who.waiting)
    if (--each->missing == 0)
      answer(std::move(each->to), ctrl(), {}, host);
}

void managed_pool::take_out_of_service(managed_worker& who) {
  if (serves(who)) {
    serving_.erase(who.receiver.actor);
    seats_now_ -= who.seats;
  }
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
    if (task->way != nullptr)
      task->way->forget_answer();
    dispatcher_.unhandled(*task, now());
    gathers_.came_back(*task);
  }
}

/// How many messages it has taken out of its queue, or ended.
std::uint64_t managed_pool::progress() const noexcept {
  auto& books = dispatcher_.books();
  auto ended = books.completed + books.failed + books.cancelled;
  return ended + books.accepted - books.waiting - books.assigned;
}

/// Tells pools that have this one for a worker if there is more room than they
/// know of, or less.
void managed_pool::tell_room(host_ptr host) {
  auto had_no_room = was_full_at_ && *was_full_at_ != progress();
  if (had_no_room)
    was_full_at_ = std::nullopt;
  tell_room({}, had_no_room || std::exchange(has_new_pool_, false), host);
}

/// The same because of a change that others have `passed` on.
void managed_pool::tell_room(std::vector<std::uint64_t> passed, bool is_for_all,
                             host_ptr host) {
  auto now = room_now();
  auto before = room();
  if (before.seats == now.seats && before.expects_change == now.expects_change
      && !is_for_all)
    return;
  seats_.store(now.seats, std::memory_order_relaxed);
  expects_change_.store(now.expects_change, std::memory_order_relaxed);
  passed.push_back(serial_number());
  outer().tell({now, std::move(passed), is_for_all}, host);
}

/// What it can take, as pools are told that have it for a worker.
room managed_pool::room_now() const noexcept {
  if (drains_ || ended_)
    return {0, ended_};
  auto waits = options_.when_empty == when_empty::wait || !is_alone();
  return {seats_now_, seats_now_ == 0 && waits};
}

bool managed_pool::serves(const managed_worker& who) const {
  auto i = serving_.find(who.receiver.actor);
  return i != serving_.end() && i->second == &who;
}

void managed_pool::stop_worker(const managed_worker& who,
                               const caf::error& reason, host_ptr host) {
  auto why = reason ? reason : caf::error{caf::exit_reason::user_shutdown};
  send_exit(who.handle,
            caf::make_message(caf::exit_msg{address(), std::move(why)}), host);
}

void managed_pool::died(worker_number number, const caf::error& reason,
                        host_ptr host) {
  auto i = workers_.find(number);
  if (i == workers_.end())
    return;
  auto& who = *i->second;
  auto was_told = who.is_dying;
  auto served = was_told || serves(who);
  if (was_told)
    --dying_;
  else if (served)
    take_out_of_service(who);
  std::vector<managed_task*> unanswered;
  for (auto& each : who.mailbox)
    if (auto& task = static_cast<managed_task&>(each); task.awaits_answer)
      unanswered.push_back(&task);
  for (auto* task : unanswered)
    never_answers(*task, host);
  dispatcher_.left(who, now());
  if (who.receiver.actor->getf(caf::abstract_actor::is_blocking_flag))
    reclaim(who);
  gathers_.give_up_on(who);
  if (was_told)
    forget(who, host);
  if (served)
    ended_for(reason);
  bereft_ = bereft_ || (served && serving_.empty() && dying_ == 0);
}

/// Whether nobody serves, and nobody is about to.
bool managed_pool::is_alone() const noexcept {
  auto has_nobody = [](const auto& each) { return each.second->has_nobody; };
  return seats_now_ == 0 && dying_ == 0 && replacements_.empty()
         && std::all_of(serving_.begin(), serving_.end(), has_nobody);
}

} // namespace libpool
