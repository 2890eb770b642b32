#include "libpool/actors/managed/tasks_in_flight.hpp"

#include "libpool/actors/caf/error_words.hpp"
#include "libpool/actors/caf/inner_pool.hpp"
#include "libpool/actors/caf/port/elements.hpp"
#include "libpool/actors/managed/leasing.hpp"
#include "libpool/actors/managed/outgoing.hpp"
#include "libpool/actors/managed/packer.hpp"
#include "libpool/core/joint_run.hpp"
#include "libpool/core/lease_size.hpp"

#include <caf/actor_system.hpp>
#include <caf/message.hpp>

#include <algorithm>
#include <atomic>
#include <iterator>
#include <optional>
#include <utility>

namespace libpool {

namespace {

/// Puts the message of the task into a tracked element for the worker.
void load(tracked_element& carrier, managed_task& task,
          const managed_worker& worker) {
  auto is_of_outer = tracked_element::from(*task.element) != nullptr;
  task.carrier = &carrier;
  carrier.load(task, std::move(task.element), worker.receiver,
               task.extras().interceptor == nullptr);
  if (task.repeatable && !is_of_outer && task.extras().single == nullptr)
    carrier.keep_message();
  if (task.extras().stand_in != nullptr)
    carrier.answer_to(std::move(task.own_extras().stand_in));
  carrier.announce(task.extras().to_inner);
  if (task.extras().outer != nullptr) // and not in what is sent
    carrier.descend_from(tracked_element::from(*task.extras().outer)->line());
  if (const auto* message = gather_of(task))
    carrier.descend_from(message->before);
}

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
         || (task.is == task::condition::overdue && !has_joiners(task)
             && !carrier.inside());
}

/// Calls `f` with the joiners of the run, which may leave it then.
template <class F>
void for_each_joiner(joint_run& run, F f) {
  for (auto i = run.joiners.begin(); i != run.joiners.end();)
    f(static_cast<managed_task&>(*i++));
}

/// Whether a joiner of the task is cancelled as soon as it is known that the
/// worker has begun with the task, or keeps it.
bool has_cancelled_joiner(const managed_task& task) {
  if (!has_joiners(task))
    return false;
  const auto& joiners = run_of(task)->joiners;
  return std::any_of(joiners.begin(), joiners.end(), [](const auto& each) {
    return each.cancel_reason != errc{};
  });
}

/// Gives the leader the content of the task that has joined last, until the
/// message comes back. A worker of this program gets the unpacked content.
errc take_latest(managed_task& leader, joint_run& run, bool is_node,
                 caf::actor_system& system) {
  auto last =
    std::find_if(run.joiners.rbegin(), run.joiners.rend(),
                 [](const auto& each) { return each.cancel_reason == errc{}; });
  if (last == run.joiners.rend())
    return errc{};
  auto& joiner = static_cast<managed_task&>(*last);
  auto& extras = leader.own_extras();
  try {
    auto content = take_content(*joiner.element);
    put_back(joiner.element, content);
    if (!is_node)
      content = unpacked(system, std::move(content));
    extras.single = std::move(leader.element);
    leader.element = make_element(take_return_path(*extras.single),
                                  std::move(content));
  } catch (...) {
    extras.crash = thrown_text();
    return errc::policy_failed;
  }
  return errc{};
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
  if (task.extras().single != nullptr) {
    batches::take_apart(task);
    task.was_handled = task.repeatable;
  } else if (left != nullptr && tracked_element::from(*left) != nullptr) {
    task.own_extras().outer = std::move(left);
  } else if (left != nullptr && task.repeatable) {
    task.was_handled = true;
    task.element = std::move(left);
  }
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
  batches::take_apart(task);
  if (auto stand_in = carrier.take_answer_to())
    task.own_extras().stand_in = std::move(stand_in);
  if (task.element == nullptr)
    return;
  if (auto* outer = tracked_element::from(*task.element))
    outer->let_go();
}

/// Notes the reason of the crash, if it is known.
void examine(managed_task& task, tracked_element& carrier, ending ending,
             caf::actor_system& system) {
  auto& extras = task.own_extras();
  extras.facts = nullptr;
  auto cause = carrier.thrown().empty() ? words_of(carrier.reason(), system)
                                        : carrier.thrown();
  extras.crash = ending == ending::lost
                   ? cause
                   : words_of(worker_of(task)) + " crashed: " + cause;
  auto client = carrier.take_client();
  if (extras.interceptor == nullptr && !task.repeatable) {
    extras.client = std::move(client.sender);
    extras.id = client.id;
  }
}

} // namespace

// -- sending ------------------------------------------------------------------

void tasks_in_flight::send(managed_task& task, managed_worker& worker,
                           host_ptr host) {
  if (task.on != &worker || task.is != task::condition::sent
      || task.carrier != nullptr)
    return; // was taken back before it was sent
  if (auto why = make_ready(task, worker); why != errc{})
    return dispatcher_.cancelled(task, why, clock_.now());
  if (task.recalled && run_of(task) != nullptr)
    return; // without the messages that are not wanted any more
  if (task.is_part)
    gathers_.was_sent(static_cast<part_task&>(task));
  auto& carrier = recycler_.take_carrier([this] {
    auto counts = dispatcher_.needs().measured == measure::cpu_time;
    return std::make_unique<tracked_element>(pool_, clock_.timer(), counts);
  });
  load(carrier, task, worker);
  if (options_.busy_until == busy_until::answer && worker.receiver.has_mailbox)
    carrier.note_thread(); // the handler may ask this pool
  if (worker.followers > 0)
    send_followers(task, carrier, worker);
  if (!clock_.measures() && worker.takes_leases)
    worker.sent_at = clock_.look();
  carrier.send(host);
}

/// Adds the tasks that follow the task to a lease.
void tasks_in_flight::send_followers(managed_task& first,
                                     tracked_element& carrier,
                                     managed_worker& worker) {
  leasing::begin(first, worker, clock_.now());
  for (auto i = std::next(worker.mailbox.iterator_to(first));
       i != worker.mailbox.end() && i->follows; ++i) {
    auto& next = static_cast<managed_task&>(*i);
    if (auto behind = std::next(i); behind != worker.mailbox.end())
      __builtin_prefetch(static_cast<managed_task&>(*behind).element.get());
    if (next.recalled)
      continue;
    if (auto why = make_ready(next, worker); why != errc{})
      dispatcher_.cancelled(next, why, clock_.now());
    else
      leasing::add(next, worker);
  }
  leasing::give(carrier, worker, options_.retry_on != nullptr);
}

/// Prepares the message of the task for the worker. Returns the reason why the
/// task has to be cancelled; errc{} if it can be sent.
errc tasks_in_flight::make_ready(managed_task& task, managed_worker& worker) {
  if (task.is_request && client_is_gone(task))
    return errc::client_gone;
  intake_.intercept(task);
  if (task.extras().is_packed)
    pack_for(task, worker.node != nullptr, pool_.home_system());
  if (dispatcher_.recorded_by() != nullptr)
    set_names(task, intake_.recorded_names_of(task));
  if (run_of(task) != nullptr)
    if (auto why = make_run_ready(task, worker); why != errc{} || task.recalled)
      return why;
  auto why = get_ready(task, worker, pool_);
  if (why == errc{} && notes_workers_)
    settlement::note_worker(task, worker);
  return why;
}

/// For outer pools, the messages of all tasks that share the run begin now. If
/// messages of a batch are not wanted any more, cancels them: then the leader
/// is recalled.
errc tasks_in_flight::make_run_ready(managed_task& leader,
                                     const managed_worker& worker) {
  auto why = open_shared(leader);
  if (why != errc{})
    return why;
  if (has_joiners(leader))
    for_each_joiner(*run_of(leader), [this](auto& each) { joined(each); });
  if (batches_.has(leader))
    return leader.recalled ? errc{} : compose(leader);
  return options_.same_as.mode == join_mode::latest && has_joiners(leader)
           ? take_latest(leader, *run_of(leader), worker.node != nullptr,
                         pool_.home_system())
           : errc{};
}

/// If messages of the batch cannot be copied, cancels them: others are not to
/// blame.
errc tasks_in_flight::compose(managed_task& leader) {
  const auto why = batches_.compose(leader);
  if (why != errc{} && has_joiners(leader))
    for_each_joiner(*run_of(leader), [&](auto& each) {
      if (!batches_.can_copy(each))
        dispatcher_.cancelled(each, why, clock_.now());
    });
  if (!leader.recalled)
    return why;
  leader.own_extras().crash.clear();
  return errc{};
}

void tasks_in_flight::joined(managed_task& task) {
  auto is_for_nobody = batches_.has(task) && task.is_request
                       && client_is_gone(task);
  if (auto why = is_for_nobody ? errc::client_gone : open_shared(task);
      why != errc{})
    dispatcher_.cancelled(task, why, clock_.now());
}

// -- elements -----------------------------------------------------------------

void tasks_in_flight::element_ended(tracked_element& carrier, host_ptr host) {
  auto* task = static_cast<managed_task*>(carrier.task());
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
  auto ending = ending_of(*task, carrier);
  auto ended = carrier.ended_at();
  auto stops = is_asked_to_stop(*task) && ending != ending::completed;
  if (ending == ending::crashed || ending == ending::lost)
    examine(*task, carrier, ending, pool_.home_system());
  auto was_empty = carrier.used() == tracked_element::use::empty;
  if (was_empty
      && task->extras().interceptor != nullptr) { // the outer pool answers
    task->extras().interceptor->close();
    carrier.take_answer_to();
  }
  if (auto why = needless(carrier))
    cancel_run(*task, *why);
  else if (stops && task->is != task::condition::overdue)
    dispatcher_.cancelled(*task, errc::cancelled,
                          clock_.now()); // never tried again
  if (auto& worker = worker_of(*task); host != nullptr) {
    if (worker.takes_turns)
      staff_.let_others_run(worker, carrier);
  }
  keep_message(*task, carrier);
  recycler_.give_back(carrier);
  if (was_empty || !settlement_.awaits_answer(*task, ending, host))
    settlement_.finished(*task, ending, ended, host);
}

/// An inner pool has cancelled the message of the task.
void tasks_in_flight::cancel_run(managed_task& task, errc why) {
  if (has_joiners(task))
    for_each_joiner(*run_of(task), [&](auto& each) {
      dispatcher_.cancelled(each, why, clock_.now());
    });
  dispatcher_.cancelled(task, why, clock_.now());
}

/// The worker has not even looked at the message, or had skipped it when it
/// ended.
void tasks_in_flight::came_unhandled(managed_task& task,
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
  if (!was_opened && task.is == task::condition::overdue) // it blocked
    return settlement_.dropped(task);
  if (was_opened && task.extras().interceptor != nullptr)
    task.extras().interceptor->forget_answer();
  auto& worker = worker_of(task);
  auto number = worker.number;
  staff_.judge(worker, why);
  unhandled(task);
  if (was_cancelled)
    dispatcher_.cancelled(task, errc::cancelled, clock_.now());
  else if (is_refused && why != errc::unreadable)
    dispatcher_.failed(task, why, clock_.now()); // as at any other node
  else if (is_refused)
    keep_from(task, number);
}

/// The worker, a node, cannot read the task's message: others may.
void tasks_in_flight::keep_from(managed_task& task, worker_number worker) {
  std::vector<worker_number> others;
  if (!may_run_anywhere(task))
    others = task.notes().where->only;
  else
    for (auto* each : staff_.workers().serving())
      others.push_back(each->number);
  others.erase(std::remove(others.begin(), others.end(), worker), others.end());
  const auto* part = part_in(task);
  auto is_for_one = part != nullptr && part->is_for_one;
  if (others.empty())
    dispatcher_.failed(task, errc::unreadable, clock_.now());
  else if (task.is == task::condition::waiting && !is_for_one)
    dispatcher_.restricted(task, intake_.only_on(task, std::move(others)));
}

void tasks_in_flight::recall(managed_task& task, managed_worker& worker) {
  if (task.on != &worker || !task.recalled || task.is != task::condition::sent)
    return; // has come back by itself
  if (task.carrier == nullptr)
    return take_back_follower(task, worker) ? void() : returned(task);
  take_followers_back(worker);
  tell_ends(worker, nullptr);
  if (task.is != task::condition::sent)
    return; // has ended
  using result = tracked_element::recall_result;
  // A blocking worker would stumble over the element that a recall leaves
  // behind.
  auto came = worker.receiver.lets_recall ? task.carrier->recall()
                                          : result::is_held;
  if (came == result::done) {
    if (worker.has_lease())
      worker.lease->tasks.clear();
    take_back(task, *std::exchange(task.carrier, nullptr));
    leave_inner(task);
    returned(task);
  } else if (task.cancel_reason == errc::cancelled && !may_answer_for(task)) {
    dispatcher_.spared(task);
    ask_to_stop(task);
    if (came == result::has_started)
      dispatcher_.started(task, clock_.now());
  } else if (came == result::has_started || task.cancel_reason != errc{}
             || has_cancelled_joiner(task)) {
    dispatcher_.started(task, clock_.now());
  } else {
    dispatcher_.kept(task);
  }
}

// -- tasks that were sent together --------------------------------------------

/// Takes the task, and those behind it, back from a lease. Returns false if no
/// lease has the task. If the worker has begun it, all ends before it are told.
bool tasks_in_flight::take_back_follower(managed_task& task,
                                         managed_worker& worker) {
  if (!leasing::take_back_from(task, worker,
                               [this](auto& each) { came_back(each); }))
    return false;
  if (task.on != &worker || task.is != task::condition::sent)
    return true;
  tell_ends(worker, nullptr);
  if (task.carrier != nullptr)
    recall(task, worker); // the worker may not have begun it
  return true;
}

void tasks_in_flight::take_followers_back(managed_worker& worker) {
  leasing::take_back(worker, lease_size::most,
                     [this](auto& each) { came_back(each); });
}

/// The task, which had followed others, has not begun.
void tasks_in_flight::came_back(managed_task& task) {
  if (task.recalled)
    returned(task);
  else
    unhandled(task);
}

/// Reports the ends of tasks that the worker was sent together.
void tasks_in_flight::tell_ends(managed_worker& worker, host_ptr host) {
  leasing::tell_ends(worker, clock_, [&](auto& task, const auto& times) {
    if (task.is != task::condition::overdue)
      settlement_.let_answer_pass(task, host);
    dispatcher_.completed(task, times.started, times.ended);
  });
}

void tasks_in_flight::tell_ends() {
  if (!dispatcher_.leases().empty())
    dispatcher_.for_each_leased([this](worker& each) {
      tell_ends(static_cast<managed_worker&>(each), nullptr);
      return true;
    });
}

void tasks_in_flight::take_overdue_back() {
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
void tasks_in_flight::note_service(const managed_worker& worker,
                                   std::size_t tasks) {
  auto service = (clock_.look() - worker.sent_at)
                 / static_cast<duration::rep>(tasks);
  clock_.task_took(service);
  dispatcher_.task_took(service);
}

instant tasks_in_flight::look_at(managed_task& task) {
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
    dispatcher_.started(task, clock_.now());
  return started;
}

void tasks_in_flight::look_at(const std::vector<task*>& some) {
  for (auto* each : some)
    look_at(static_cast<managed_task&>(*each));
}

/// A node is asked: it opens a message before the handler begins.
void tasks_in_flight::look(managed_task& task, managed_worker& worker,
                           host_ptr host) {
  if (task.on != &worker)
    return; // has come back
  tell_ends(worker, nullptr);
  if (task.on != &worker)
    return; // has ended
  auto started = start_of(task);
  if (worker.node != nullptr && started != never && task.carrier != nullptr
      && task.extras().to_inner != nullptr) {
    if (task.extras().to_inner->began != never)
      started = std::max(started, task.extras().to_inner->began);
    else if (worker.receiver.pool->tells_begin(*task.carrier, host))
      return dispatcher_.looked_at(task, never, clock_.now());
  }
  auto is_over = started != never
                 && later(started, *options_.time_limit) <= clock_.now();
  if (is_over && task.carrier != nullptr) {
    take_followers_back(worker);
    started = look_at(task); // the worker may have gone on meanwhile
    if (task.on != &worker)
      return;
  }
  dispatcher_.looked_at(task, started, clock_.now());
}

/// The passage is of one run of the task.
void tasks_in_flight::began_inside(passage& sent, instant began,
                                   host_ptr host) {
  sent.began = began;
  auto* task = static_cast<managed_task*>(sent.task);
  if (task != nullptr && task->on != nullptr && options_.time_limit)
    look(*task, worker_of(*task), host);
}

std::shared_ptr<const task_facts>
tasks_in_flight::facts_of(const tracked_element& handled) {
  auto* task = static_cast<managed_task*>(handled.task());
  if (task == nullptr)
    return nullptr;
  if (handled.lease() != nullptr) {
    tell_ends(leasing::holder_of(handled), nullptr);
    task = &leasing::present(handled);
  }
  look_at(*task);
  facts_for(*task);
  return task->extras().facts;
}

// -- cancelled messages
// --------------------------------------------------------

void tasks_in_flight::ask_to_stop(managed_task& task) {
  facts_for(task).stops.store(true, std::memory_order_release);
  cancelled_.add(task, worker_of(task));
}

void tasks_in_flight::give_up(managed_task& task) {
  if (task.extras().facts != nullptr)
    task.extras().facts->stops = true;
  if (task.carrier != nullptr) // the handler has not returned
    cancelled_.add(task, worker_of(task));
}

/// Inner pools are told of all messages of a round together, so that they begin
/// none of them when another one has freed a worker.
void tasks_in_flight::tell_pools(host_ptr host) {
  const auto cancelled = std::exchange(cancelled_, {});
  cancelled.tell([host](inner_pool& pool, const inner_messages& messages) {
    pool.cancel_messages(messages, true, host);
  });
}

// -- tasks --------------------------------------------------------------------

void tasks_in_flight::returned(managed_task& task) {
  auto& worker = worker_of(task);
  dispatcher_.returned(task, clock_.now());
  gathers_.came_back(task, worker);
}

void tasks_in_flight::unhandled(managed_task& task) {
  auto& worker = worker_of(task);
  dispatcher_.unhandled(task, clock_.now());
  gathers_.came_back(task, worker);
}

// -- dead workers -------------------------------------------------------------

void tasks_in_flight::worker_died(worker_number number,
                                  const caf::error& reason, host_ptr host) {
  auto* worker = staff_.workers().find(number);
  if (worker == nullptr)
    return;
  auto served = staff_.has_died(*worker);
  settlement_.fail_unanswered(*worker, host);
  dispatcher_.left(*worker, clock_.now());
  if (worker->receiver.actor->getf(caf::abstract_actor::is_blocking_flag))
    reclaim(*worker);
  staff_.has_left(*worker, served, reason, host);
}

/// Takes what the worker, a dead one that blocks, still has: that is destroyed
/// with it, and it is not destroyed as long as something of it is open.
void tasks_in_flight::reclaim(managed_worker& worker) {
  std::vector<managed_task*> held;
  for (auto& each : worker.mailbox)
    if (auto& task = static_cast<managed_task&>(each); task.carrier != nullptr)
      held.push_back(&task);
  for (auto* task : held) {
    auto& carrier = *task->carrier;
    if (!carrier.abandon())
      continue;
    task->carrier = nullptr;
    dispatcher_.started(*task, clock_.now());
    if (carrier.used() == tracked_element::use::handled) {
      settlement_.finished(*task, ending::completed, clock_.now(), nullptr);
      continue;
    }
    take_back(*task, carrier);
    if (task->extras().interceptor != nullptr)
      task->extras().interceptor->forget_answer();
    unhandled(*task);
  }
}

} // namespace libpool
