/// How other workers are asked in place of, or beside, the first ones.

#include "libpool/actors/gather/collector.hpp"
#include "libpool/actors/managed/gathers.hpp"
#include "libpool/actors/managed/managed_worker.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace libpool {

namespace {

/// Whether no worker has the task in its mailbox.
bool is_to_begin(const task& task) noexcept {
  return task.is == task::condition::waiting
         || task.is == task::condition::assigned;
}

/// Whether the task has neither ended nor passed a deadline.
bool is_open(const task& task) noexcept {
  return is_to_begin(task) || task.is == task::condition::sent
         || task.is == task::condition::running;
}

} // namespace

// -- workers to ask -----------------------------------------------------------

/// Serving workers with the fewest tasks first, of equals the one that was
/// chosen longest ago. Paused workers are last. Only as many as are asked at
/// once are sorted, and one more.
std::vector<managed_worker*> gathers::least_used() const {
  auto result = around_.workers.serving();
  auto sooner = [](const managed_worker* x, const managed_worker* y) {
    auto load_of = [](const managed_worker& worker) {
      return std::max(worker.in_flight, worker.asked.size());
    };
    return std::tuple{x->suspended, load_of(*x), x->chosen, x->number}
           < std::tuple{y->suspended, load_of(*y), y->chosen, y->number};
  };
  auto n = std::min(asks_.asked + 1, result.size());
  std::partial_sort(result.begin(),
                    result.begin() + static_cast<std::ptrdiff_t>(n),
                    result.end(), sooner);
  return result;
}

/// A worker that is not paused, has no task of the message, and has begun none;
/// one of `where` unless that is nullptr.
managed_worker* gathers::unasked(const gather& message,
                                 const restriction* where) const {
  auto may_be_asked = [&](const managed_worker* worker) {
    auto& asked = message.asked;
    return !worker->suspended
           && (where == nullptr || permits(*where, worker->number))
           && std::find(asked.begin(), asked.end(), worker->number)
                == asked.end();
  };
  auto workers = least_used();
  auto i = std::find_if(workers.begin(), workers.end(), may_be_asked);
  return i == workers.end() ? nullptr : *i;
}

// -- one more, as the votes want ----------------------------------------------

void gathers::wanted(gather& message, caf::strong_actor_ptr collector,
                     std::size_t more, host_ptr host) {
  auto ask_them = [this, &message, collector = std::move(collector),
                   more](host_ptr here) {
    ask_more(message, collector, more, here);
  };
  around_.tell(std::move(ask_them), host);
}

/// The collector has not told that it is decided, so it is still that of the
/// message.
void gathers::ask_more(gather& message, caf::strong_actor_ptr collector,
                       std::size_t more, host_ptr host) {
  message.collector = std::move(collector);
  auto& votes = collector_behind(message.collector);
  auto may_ask = asks_.to != libpool::scatter::target::parts
                 && !around_.end.drains() && !around_.end.has_ended()
                 && !message.is_cancelled;
  for (; may_ask && more > 0; --more) {
    auto* worker = unasked(message);
    if (worker == nullptr)
      break;
    votes.expect_another(host);
    ask(message, message.parts++, message.content, worker);
  }
  if (more > 0)
    votes.found_nobody(host);
  if (message.tasks.empty())
    message.collector = nullptr;
}

// -- one more, when patience is over ------------------------------------------

/// Patience begins when a worker has got the task, and ends once: a message
/// that was hedged is not hedged again.
void gathers::was_sent_with_patience(managed_task& task) {
  auto& of = *task.gather;
  if (task.asked_of == nullptr)
    of.asked.push_back(task.on->number);
  if (!of.is_hedged)
    hedging_.first_was_asked(of, around_.clock.now());
}

void gathers::time_passed(instant now, host_ptr host) {
  while (auto* message = hedging_.take_due(now))
    hedge(*message, host);
}

void gathers::hedge(gather& message, host_ptr host) {
  auto& first = message.tasks.front();
  if (message.is_cancelled || !hedging_.has_budget() || !is_open(first)
      || around_.end.drains() || around_.end.has_ended())
    return;
  auto* worker =
    unasked(message, first.asked_of == nullptr ? first.notes().where : nullptr);
  if (worker == nullptr)
    return;
  message.is_hedged = true;
  hedging_.asked_another();
  collector_behind(message.collector).expect_another(host);
  ask(message, message.parts++, message.content, worker);
}

// -- another one, in place of one that has left -------------------------------

void gathers::came_back_from_one(managed_task& task) {
  if (is_to_begin(task) && task.asked_of->is != worker::condition::serving)
    orphaned(task);
}

/// Any worker may have the task as long as it is the only one of its message;
/// then patience begins anew with the next worker.
void gathers::came_back_from_any(managed_task& task, managed_worker& from) {
  if (!is_to_begin(task) || around_.end.has_ended())
    return;
  auto& of = *task.gather;
  if (task.part == 0) {
    hedging_.forget(of);
    of.sent = never;
  }
  if (of.is_hedged)
    ask_elsewhere(task, from);
  else if (task.notes().crashes == 0)
    of.asked.clear();
}

/// The task goes to a worker that has no other task of the message, and has
/// begun none. If there is no such worker, the task goes back to `from`, which
/// has not begun it, or ends.
void gathers::ask_elsewhere(managed_task& task, managed_worker& from) {
  auto* worker = unasked(*task.gather, task.notes().where);
  auto has_crashed = task.notes().crashes > 0;
  if (worker == nullptr && !has_crashed
      && from.is == worker::condition::serving)
    worker = &from;
  if (worker != nullptr) {
    around_.intake.wait_for(task, *worker);
    give_to(task, *worker);
  } else if (!may_wait_for_any(task, from)) {
    around_.dispatcher.cancelled(
      task, has_crashed ? errc::worker_crashed : errc::worker_down,
      around_.clock.now());
  }
}

/// Whether no worker but `from` serves, and no other task of the message waits
/// for the next worker that joins.
bool gathers::may_wait_for_any(const managed_task& task,
                               const managed_worker& from) const {
  if (!asks_any_worker())
    return false;
  auto workers = around_.workers.serving();
  const auto& tasks = task.gather->tasks;
  auto is_other = [&](const auto* worker) { return worker != &from; };
  auto waits = [&](const auto& each) {
    return &each != &task && is_to_begin(each);
  };
  return std::none_of(workers.begin(), workers.end(), is_other)
         && std::none_of(tasks.begin(), tasks.end(), waits);
}

void gathers::give_up_on(managed_worker& worker) {
  for (auto i = worker.asked.begin(); i != worker.asked.end();) {
    auto& task = *i++;
    if (is_to_begin(task))
      orphaned(task);
  }
}

/// Only a worker that does not serve any more may run it. Another one is asked,
/// unless all are, or the task has crashed that worker. The last task of a
/// hedged message waits for the next worker if none serves.
void gathers::orphaned(managed_task& task) {
  if (around_.end.has_ended())
    return; // it is failed with all others
  auto& of = *task.gather;
  auto some = asks_.to == libpool::scatter::target::some;
  auto has_crashed = task.notes().crashes > 0;
  auto* other = some && !has_crashed ? unasked(of) : nullptr;
  auto& worker = *std::exchange(task.asked_of, nullptr);
  worker.asked.erase(worker.asked.iterator_to(task));
  if (has_crashed)
    return around_.dispatcher.cancelled(task, errc::worker_crashed,
                                        around_.clock.now());
  auto may_wait = other == nullptr && may_wait_for_any(task, worker);
  auto is_missing = other == nullptr && !may_wait
                    && (some || !worker.is_taken_out);
  if (is_missing)
    return around_.dispatcher.cancelled(task, errc::worker_down,
                                        around_.clock.now());
  drop(task);
  if (other != nullptr || may_wait)
    ask(of, task.part, of.content, other);
  else
    collector_behind(of.collector)
      .removed(task.part, words_of(worker), nullptr);
}

/// Cancels the task so that the collector does not hear of it.
void gathers::drop(managed_task& task) {
  auto& extras = task.own_extras();
  if (extras.interceptor != nullptr)
    extras.interceptor->close();
  extras.client = nullptr;
  extras.id = caf::message_id{};
  task.element = nullptr;
  around_.dispatcher.cancelled(task, errc::worker_down, around_.clock.now());
}

} // namespace libpool
