/// Tasks that come back to a managed pool from its workers.

#include "libpool/actors/caf/port/errors.hpp"
#include "libpool/actors/caf/words.hpp"
#include "libpool/actors/error.hpp"
#include "libpool/actors/gate/submission.hpp"
#include "libpool/actors/managed/managed_pool.hpp"
#include "libpool/core/lease_size.hpp"

#include <caf/actor_system.hpp>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace libpool {

namespace {

/// Whether the worker has handled the message, or it may not run elsewhere. A
/// pool or node that gives a message back has not handled it.
bool was_handled(const managed_task& task, const tracked_element& carrier) {
  using use = tracked_element::use;
  if (carrier.used() == use::unopened)
    return false;
  auto may_run_elsewhere = carrier.used() == use::skipped
                           || (carrier.used() == use::bounced
                               && task.extras().interceptor != nullptr);
  return !may_run_elsewhere
         || (task.is == task::condition::overdue && !carrier.inside());
}

/// Whether the worker has not answered the request yet, which the pool would
/// see.
bool owes_answer(const managed_task& task) {
  return task.extras().interceptor != nullptr
         && task.extras().interceptor->is() == reply_interceptor::state::open;
}

/// How the task has ended. A worker that has promised to answer, and has ended
/// for a reason, never will.
ending ending_of(const managed_task& task, const tracked_element& carrier) {
  auto& inside = carrier.inside();
  if (inside && inside->how == outcome::failed
      && (inside->why == errc::node_lost || inside->why == errc::front_lost))
    return ending::lost;
  return carrier.reason() && owes_answer(task) ? ending::crashed
                                               : carrier.how();
}

/// Why the task is not waited for any more, if that has shown.
std::optional<errc> needless(const tracked_element& carrier) {
  if (carrier.used() == tracked_element::use::empty)
    return errc::not_needed;
  auto& inside = carrier.inside();
  if (inside && inside->how != outcome::failed)
    return inside->why;
  return std::nullopt;
}

/// Whether a worker in place of another program cannot pass the message on for
/// this reason.
bool is_refused_for_good(errc why) noexcept {
  return why == errc::unreadable || why == errc::too_large
         || why == errc::not_serializable || why == errc::not_connected
         || why == errc::policy_failed;
}

/// Keeps the message, which may be sent again, or the element of an outer pool,
/// which ends with the task.
void keep_message(managed_task& task, tracked_element& carrier) {
  auto left = carrier.unload();
  if (left != nullptr && tracked_element::from(*left) != nullptr) {
    task.own_extras().outer = std::move(left);
  } else if (left != nullptr && task.repeatable) {
    task.was_handled = true;
    task.element = std::move(left);
  }
}

/// The handler that could ask for them has ended.
void forget_facts(managed_task& task) {
  if (task.extras().facts != nullptr)
    task.own_extras().facts = nullptr;
}

/// The pool that was the worker has the message no more.
void leave_inner(managed_task& task) {
  if (task.extras().to_inner != nullptr)
    std::exchange(task.own_extras().to_inner, nullptr)->task = nullptr;
}

/// Takes the message out of the element that has carried it, so that it can be
/// sent again.
void take_back(managed_task& task, tracked_element& carrier) {
  forget_facts(task);
  task.element = carrier.unload();
  if (auto stand_in = carrier.take_answer_to())
    task.own_extras().stand_in = std::move(stand_in);
  if (task.element == nullptr)
    return;
  if (auto* outer = tracked_element::from(*task.element))
    outer->let_go();
}

/// Notes the reason of the crash, if it is known.
void examine(managed_task& task, tracked_element& carrier, ending how,
             caf::actor_system& system) {
  auto& extras = task.own_extras();
  extras.facts = nullptr;
  auto cause = carrier.thrown().empty() ? words_of(carrier.reason(), system)
                                        : carrier.thrown();
  extras.crash = how == ending::lost
                   ? cause
                   : words_of(worker_of(task)) + " crashed: " + cause;
  auto client = carrier.take_client();
  if (extras.interceptor == nullptr && !task.repeatable) {
    extras.client = std::move(client.sender);
    extras.id = client.id;
  }
}

} // namespace

// -- elements -----------------------------------------------------------------

/// It pays to wait for a moment: if the worker gets its next task before this
/// returns, it goes on with that, and need not be scheduled again.
void managed_pool::ended(tracked_element& carrier, host_ptr host) noexcept {
  constexpr auto patience = 50;
  loop_.tell({fact_inbox::kind::ended, &carrier}, host,
             loop_.is_handling() ? 0 : patience);
}

void managed_pool::went_on(const caf::strong_actor_ptr& sender,
                           host_ptr host) noexcept {
  interceptor_behind(sender)->let_pass(host);
}

/// Where answers are intercepted, the sender of each request in a lease is an
/// interceptor.
bool managed_pool::has_lost_client(const caf::strong_actor_ptr& sender) const {
  return intake_.intercepts() ? interceptor_behind(sender)->client_is_gone()
                              : is_client_gone(sender);
}

/// Called only where answers are intercepted.
bool managed_pool::has_result(const caf::strong_actor_ptr& sender) const {
  return interceptor_behind(sender)->is()
         == reply_interceptor::state::succeeded;
}

/// A worker is done with a tracked element.
void managed_pool::element_ended(tracked_element& carrier, host_ptr host) {
  auto* task = carrier.task();
  if (task == nullptr)
    return recycler_.give_back(carrier); // it was recalled
  auto tasks = std::size_t{1};
  if (carrier.lease() != nullptr) {
    auto& worker = leasing::holder_of(carrier);
    take_followers_back(worker);
    tell_ends(worker, host);
    task = &leasing::present(carrier);
    tasks = worker.lease->size();
    worker.lease->tasks.clear();
  }
  if (!clock_.measures() && task->on->takes_leases)
    note_service(worker_of(*task), tasks);
  task->carrier = nullptr;
  leave_inner(*task);
  if (!was_handled(*task, carrier))
    return came_unhandled(*task, carrier);
  if (clock_.measures()) {
    clock_.task_ended(carrier.started_at(), carrier.ended_at());
    task->own_attempt().cpu_time = carrier.cpu_time();
  }
  dispatcher_.started(*task, carrier.started_at());
  auto how = ending_of(*task, carrier);
  auto ended = carrier.ended_at();
  auto stops = is_asked_to_stop(*task) && how != ending::completed;
  if (how == ending::crashed || how == ending::lost)
    examine(*task, carrier, how, home_system());
  auto was_empty = carrier.used() == tracked_element::use::empty;
  if (was_empty
      && task->extras().interceptor != nullptr) { // the outer pool answers
    task->extras().interceptor->close();
    carrier.take_answer_to();
  }
  if (auto why = needless(carrier))
    dispatcher_.cancelled(*task, *why, now());
  else if (stops && task->is != task::condition::overdue)
    dispatcher_.cancelled(*task, errc::cancelled, now()); // never tried again
  if (auto& worker = worker_of(*task); host != nullptr) {
    if (worker.takes_turns)
      staff_.let_others_run(worker, carrier);
  }
  keep_message(*task, carrier);
  recycler_.give_back(carrier);
  if (how == ending::completed && options_.busy_until == busy_until::answer
      && !was_empty && task->extras().interceptor != nullptr
      && answers_.await(*task->extras().interceptor))
    await_answer(*task, host);
  else
    finished(*task, how, ended, host);
}

/// The worker has not even looked at the message, or had skipped it when it
/// ended.
void managed_pool::came_unhandled(managed_task& task,
                                  tracked_element& carrier) {
  auto was_opened = carrier.used() != tracked_element::use::unopened;
  auto why = carrier.given_back();
  auto is_refused = is_refused_for_good(why);
  if (is_refused) {
    task.own_extras().crash = carrier.thrown();
  }
  auto was_cancelled = is_asked_to_stop(task);
  if (was_opened && task.is == task::condition::overdue)
    keep_message(task, carrier); // its client was answered
  else
    take_back(task, carrier);
  recycler_.give_back(carrier);
  if (!was_opened && task.is == task::condition::overdue) { // it blocked
    if (task.is_request && task.extras().interceptor == nullptr)
      answers_.refuse(*task.element, make_error(task.unwanted), nullptr);
    return dispatcher_.finished(task, ending::crashed, now());
  }
  if (was_opened && task.extras().interceptor != nullptr)
    task.extras().interceptor->forget_answer();
  auto& worker = worker_of(task);
  auto number = worker.number;
  staff_.judge(worker, why);
  unhandled(task);
  if (was_cancelled)
    dispatcher_.cancelled(task, errc::cancelled, now());
  else if (is_refused && why != errc::unreadable)
    dispatcher_.failed(task, why, now()); // as at any other node
  else if (is_refused)
    keep_from(task, number);
}

/// The worker, a node, cannot read the task's message: others may.
void managed_pool::keep_from(managed_task& task, worker_number worker) {
  std::vector<worker_number> others;
  if (!may_run_anywhere(task))
    others = task.notes().where->only;
  else
    for (auto* each : staff_.workers().serving())
      others.push_back(each->number);
  others.erase(std::remove(others.begin(), others.end(), worker), others.end());
  if (others.empty())
    dispatcher_.failed(task, errc::unreadable, now());
  else if (task.is == task::condition::waiting && !task.is_for_one)
    dispatcher_.restricted(task, intake_.only_on(task, std::move(others)));
}

/// Takes the message back from a worker that has not begun with it.
void managed_pool::recall(managed_task& task, managed_worker& from) {
  if (task.on != &from || !task.recalled || task.is != task::condition::sent)
    return; // has come back by itself
  if (task.carrier == nullptr)
    return take_back_follower(task, from) ? void() : returned(task);
  take_followers_back(from);
  tell_ends(from, nullptr);
  if (task.is != task::condition::sent)
    return; // has ended
  using result = tracked_element::recall_result;
  // A blocking worker would stumble over the element that a recall leaves
  // behind.
  auto came = from.receiver.lets_recall ? task.carrier->recall()
                                        : result::is_held;
  if (came == result::done) {
    if (from.has_lease())
      from.lease->tasks.clear();
    take_back(task, *std::exchange(task.carrier, nullptr));
    leave_inner(task);
    returned(task);
  } else if (task.unwanted == errc::cancelled && !may_answer_for(task)) {
    dispatcher_.spared(task);
    ask_to_stop(task);
    if (came == result::has_started)
      dispatcher_.started(task, now());
  } else if (came == result::has_started || task.unwanted != errc{}) {
    dispatcher_.started(task, now());
  } else {
    dispatcher_.kept(task);
  }
}

// -- tasks that were sent together --------------------------------------------

/// Takes the task, and those behind it, back from a lease. Returns false if no
/// lease has the task. If the worker has begun it, all ends before it are told.
bool managed_pool::take_back_follower(managed_task& task,
                                      managed_worker& from) {
  if (!leasing::take_back_from(task, from,
                               [this](auto& each) { came_back(each); }))
    return false;
  if (task.on != &from || task.is != task::condition::sent)
    return true;
  tell_ends(from, nullptr);
  if (task.carrier != nullptr)
    recall(task, from); // the worker may not have begun it
  return true;
}

/// Takes all tasks back that the worker has not begun.
void managed_pool::take_followers_back(managed_worker& from) {
  leasing::take_back(from, lease_size::most,
                     [this](auto& each) { came_back(each); });
}

/// The task, which had followed others, has not begun.
void managed_pool::came_back(managed_task& task) {
  if (task.recalled)
    returned(task);
  else
    unhandled(task);
}

/// Reports the ends of tasks that the worker was sent together.
void managed_pool::tell_ends(managed_worker& worker, host_ptr host) {
  leasing_.tell_ends(worker, [&](auto& task, const auto& times) {
    if (task.is != task::condition::overdue)
      let_answer_pass(task, host);
    dispatcher_.completed(task, times.started, times.ended);
  });
}

/// Reports the ends of all tasks that were sent together.
void managed_pool::tell_ends() {
  if (dispatcher_.has_leases())
    dispatcher_.for_each_leased([this](worker& each) {
      tell_ends(static_cast<managed_worker&>(each), nullptr);
      return true;
    });
}

/// Takes back tasks that wait behind one that takes long, where times are not
/// measured: the dispatcher does it elsewhere.
void managed_pool::take_overdue_back() {
  const auto time = clock_.look();
  dispatcher_.for_each_leased([&](worker& each) {
    auto& worker = static_cast<managed_worker&>(each);
    if (later(worker.sent_at, lease_size::overdue) > time)
      return false;
    take_followers_back(worker);
    return true;
  });
}

/// Notes how long the worker took for the tasks that it was sent together,
/// where times are not measured one by one.
void managed_pool::note_service(const managed_worker& of, std::size_t tasks) {
  auto service = (clock_.look() - of.sent_at)
                 / static_cast<duration::rep>(tasks);
  clock_.task_took(service);
  dispatcher_.task_took(service);
}

/// Reports the start of the task, and the ends of tasks that were sent together
/// with it, if no fact has told them. Returns the time at which the handler of
/// the task began, if times are measured; `never`: it has not begun.
instant managed_pool::look_at(managed_task& task) {
  if (task.on == nullptr)
    return never;
  auto& worker = worker_of(task);
  tell_ends(worker, nullptr);
  auto* carrier = task.carrier;
  if (carrier == nullptr)
    return never;
  // A worker that goes on may still show the start of its last message.
  auto since = worker.has_lease() ? worker.lease->told_until() : instant::min();
  auto started = carrier->started_at();
  if (!carrier->has_started() || started < since)
    return never;
  if (task.is == task::condition::sent)
    dispatcher_.started(task, now());
  return started;
}

/// Looks at tasks that workers have, as far as they still have them then.
void managed_pool::look_at(const std::vector<task*>& some) {
  for (auto* each : some)
    look_at(static_cast<managed_task&>(*each));
}

// -- tasks --------------------------------------------------------------------

void managed_pool::returned(managed_task& task) {
  auto& worker = worker_of(task);
  dispatcher_.returned(task, now());
  gathers_.came_back(task, worker);
}

void managed_pool::unhandled(managed_task& task) {
  auto& worker = worker_of(task);
  dispatcher_.unhandled(task, now());
  gathers_.came_back(task, worker);
}

/// The handler has ended well: its answer may reach the client.
void managed_pool::let_held_answer_pass(managed_task& task, host_ptr host) {
  task.extras().interceptor->let_pass(host);
  if (answers_.handler_returned(task.extras().interceptor, task.deadline,
                                task.notes().flow, kind_name_of(task)))
    task.own_extras().answered_with_error = true;
}

/// If the worker has answered with an error after which the user wants the
/// message to be tried again, lets the task wait for its next attempt. The
/// answer is discarded with its interceptor when the message is sent again.
bool managed_pool::retries_error(managed_task& task, instant ended) {
  const auto error = task.extras().interceptor->held_error();
  auto is_needed = task.gather == nullptr || !task.gather->is_decided;
  if (!error || !is_needed)
    return false;
  auto attempts = attempts_at(task) + 1;
  std::optional<duration> wait;
  try {
    wait = options_.retry_on(error, attempts);
  } catch (...) { // NOLINT(bugprone-empty-catch): not tried again
  }
  if (!wait)
    return false;
  auto verdict = dispatcher_.answered_with_error(task, *wait, ended, now());
  if (verdict == retry_verdict::over_budget)
    task.extras().interceptor->replace_error(
      with_note(error, budget_spent(task)));
  if (verdict != retry_verdict::yes)
    return false;
  forget_facts(task);
  return true;
}

/// Returns why the task is not tried again, in words for the client.
std::string managed_pool::budget_spent(const managed_task& task) const {
  auto of_flow = dispatcher_.may_throttle()
                   ? " of flow '" + task.notes().flow.name() + "'"
                   : std::string{};
  return "not tried again: the retry budget" + of_flow + " is spent";
}

/// The handler has returned, and only the answer is missing.
void managed_pool::await_answer(managed_task& task, host_ptr host) {
  task.own_extras().awaits_answer = true;
  if (task.on->is == worker::condition::gone)
    never_answers(task, host); // its death was told before
}

/// The worker has died, and still owes the answer.
void managed_pool::never_answers(managed_task& task, host_ptr host) {
  task.own_extras().crash = words_of(worker_of(task))
                            + " ended before it answered";
  finished(task, ending::crashed, now(), host);
}

void managed_pool::answered(const std::shared_ptr<reply_interceptor>& by,
                            host_ptr host) {
  auto has_come = [this, by](host_ptr here) {
    if (by->task != nullptr && by->task->extras().awaits_answer)
      finished(*by->task, ending::completed, now(), here);
    else
      answers_.came_late(*by);
  };
  tell(has_come, host);
}

// -- dead workers -------------------------------------------------------------

/// The worker has died: requests that it still owes are never answered.
void managed_pool::fail_unanswered(managed_worker& worker, host_ptr host) {
  std::vector<managed_task*> unanswered;
  for (auto& each : worker.mailbox)
    if (auto& task = static_cast<managed_task&>(each);
        task.extras().awaits_answer)
      unanswered.push_back(&task);
  for (auto* task : unanswered)
    never_answers(*task, host);
}

void managed_pool::died(worker_number number, const caf::error& reason,
                        host_ptr host) {
  auto* worker = staff_.workers().find(number);
  if (worker == nullptr)
    return;
  auto served = staff_.has_died(*worker);
  fail_unanswered(*worker, host);
  dispatcher_.left(*worker, now());
  if (worker->receiver.actor->getf(caf::abstract_actor::is_blocking_flag))
    reclaim(*worker);
  staff_.has_left(*worker, served, reason, host);
}

/// Takes what the worker, a dead one that blocks, still has: that is destroyed
/// with it, and it is not destroyed as long as something of it is open.
void managed_pool::reclaim(managed_worker& from) {
  std::vector<managed_task*> held;
  for (auto& each : from.mailbox)
    if (auto& task = static_cast<managed_task&>(each); task.carrier != nullptr)
      held.push_back(&task);
  for (auto* task : held) {
    auto& carrier = *task->carrier;
    if (!carrier.abandon())
      continue;
    task->carrier = nullptr;
    dispatcher_.started(*task, now());
    if (carrier.used() == tracked_element::use::handled) {
      finished(*task, ending::completed, now(), nullptr);
      continue;
    }
    take_back(*task, carrier);
    if (task->extras().interceptor != nullptr)
      task->extras().interceptor->forget_answer();
    unhandled(*task);
  }
}

} // namespace libpool
