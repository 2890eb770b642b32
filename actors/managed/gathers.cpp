/// How a managed pool handles a message by several tasks.
///
/// What the pool does about them is here, in its own turn; what becomes of the
/// answers is the collector's, in whatever thread brings them.

#include "libpool/actors/caf/handles.hpp"
#include "libpool/actors/gather/collector.hpp"
#include "libpool/actors/managed/managed_pool.hpp"
#include "libpool/actors/user_function.hpp"

#include <caf/actor_cast.hpp>
#include <caf/actor_system.hpp>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>

namespace libpool {

namespace {

/// Whether no worker has the task in its mailbox.
bool is_to_begin(const task& what) noexcept {
  return what.is == task::condition::waiting
         || what.is == task::condition::assigned;
}

} // namespace

// -- asking -------------------------------------------------------------------

/// Makes tasks of the message that `task` has, which is not needed itself.
void managed_pool::scatter(managed_task& task, instant came) {
  if (auto* outer = tracked_element::from(*task.element))
    if (!outer->open())
      return recycle(task); // it was taken back
  try {
    auto join = gathers_->join->clone();
    switch (gathers_->how) {
      case gathering::scatter::parts:
        return ask_for_parts(task, std::move(join), came);
      case gathering::scatter::everybody:
        return ask_everybody(task, std::move(join), came);
      case gathering::scatter::some:
        return ask_some(task, std::move(join), came);
    }
  } catch (...) {
    task.has_extras = true;
    task.crash = what_is_thrown();
    dispatcher_.refused(task, errc::policy_failed);
  }
}

void managed_pool::ask_for_parts(managed_task& task,
                                 std::unique_ptr<joiner> join, instant came) {
  auto parts = split(task);
  auto& what = begin_gather(task, std::move(join), parts.size(), parts.size(),
                            came);
  for (std::size_t i = 0; i < parts.size(); ++i)
    ask(what, i, std::move(parts[i]), nullptr);
}

/// The parts of the message, of which there is at least one. If this throws,
/// the message is as the user has left it.
message_parts managed_pool::split(managed_task& task) const {
  auto is_empty = [](const caf::message& part) { return part.empty(); };
  auto content = task.element->move_content_to_message();
  try {
    auto parts = call_user("split", gathers_->split, content);
    parts.erase(std::remove_if(parts.begin(), parts.end(), is_empty),
                parts.end());
    if (parts.empty())
      throw std::invalid_argument{"split: there is nothing to do"};
    return parts;
  } catch (...) {
    task.element =
      caf::make_mailbox_element(task.element->sender, task.element->mid,
                                task.element->stages, std::move(content));
    throw;
  }
}

void managed_pool::ask_everybody(managed_task& task,
                                 std::unique_ptr<joiner> join, instant came) {
  auto workers = roster_.serving();
  if (workers.empty())
    return dispatcher_.refused(task, errc::no_workers);
  auto content = task.element->move_content_to_message();
  auto& what = begin_gather(task, std::move(join), workers.size(),
                            workers.size(), came);
  for (std::size_t i = 0; i < workers.size(); ++i)
    ask(what, i, content, workers[i]);
}

/// A single one need not be a particular one.
void managed_pool::ask_some(managed_task& task, std::unique_ptr<joiner> join,
                            instant came) {
  auto workers = least_used();
  auto n = gathers_->asked > 1 ? std::min(gathers_->asked, workers.size()) : 1;
  if (n < gathers_->needed) {
    task.has_extras = true;
    task.crash = std::to_string(gathers_->needed) + " of "
                 + std::to_string(gathers_->asked) + " have to answer, "
                 + std::to_string(n) + " workers are there";
    return dispatcher_.refused(task, errc::too_few_workers);
  }
  auto content = task.element->move_content_to_message();
  auto& what = begin_gather(task, std::move(join), n, gathers_->needed, came);
  what.content = content;
  for (std::size_t i = 0; i < n; ++i)
    ask(what, i, content, gathers_->asked > 1 ? workers[i] : nullptr);
}

/// Has a collector wait for answers on behalf of the client.
gather& managed_pool::begin_gather(managed_task& task,
                                   std::unique_ptr<joiner> join,
                                   std::size_t parts, std::size_t needed,
                                   instant came) {
  auto& what = free_gathers_.take();
  what.collector = collectors_->take(home_system());
  what.client = task.element->sender;
  what.id = task.element->mid;
  what.came = came;
  if (auto* tracked = tracked_element::from(*task.element))
    what.before = tracked->line();
  hedging_.message_came();
  collector_behind(what.collector)
    .expect(what, gathers_->hedge_after.has_value(), parts, needed,
            std::move(join), gathers_->options, std::move(task.element));
  recycle(task);
  return what;
}

/// Makes a task of a part, for `who` alone, if anybody.
void managed_pool::ask(gather& what, std::size_t part, caf::message content,
                       managed_worker* who) {
  auto& task = recycler_.take_task();
  task.gather = &what;
  task.part = part;
  what.tasks.push_back(task);
  if (who != nullptr) {
    task.where = &who->alone;
    task.is_for_one = true;
    task.asked_of = who;
    who->asked.push_back(task);
    what.asked.push_back(who->number);
  }
  task.urgent = what.id.is_urgent_message();
  task.is_request = true;
  task.has_extras = intake_.needs_extras();
  if (answers_.tells_settled()) {
    if (what.id.is_request())
      task.asker = what.client;
    task.asked = what.id;
  }
  task.element = caf::make_mailbox_element(
    what.collector,
    collector_behind(what.collector).request_id(part, task.urgent), {},
    std::move(content));
  take_in(task, what.came);
}

/// Workers that serve, those with the fewest tasks first, of these the one that
/// was chosen longest ago.
std::vector<managed_worker*> managed_pool::least_used() const {
  auto result = roster_.serving();
  auto sooner = [](const managed_worker* x, const managed_worker* y) {
    auto load_of = [](const managed_worker& who) {
      return std::max(who.in_flight, who.asked.size());
    };
    return std::tuple{load_of(*x), x->chosen, x->number}
           < std::tuple{load_of(*y), y->chosen, y->number};
  };
  auto n = std::min(gathers_->asked + 1, result.size());
  std::partial_sort(result.begin(),
                    result.begin() + static_cast<std::ptrdiff_t>(n),
                    result.end(), sooner);
  return result;
}

// -- asking one more ----------------------------------------------------------

void managed_pool::hedge_due(host_ptr host) {
  while (auto* message = hedging_.take_due(clock_.look()))
    hedge(*message, host);
}

void managed_pool::hedge(gather& what, host_ptr host) {
  auto& first = what.tasks.front();
  auto is_open =
    is_to_begin(first) || first.is == task::condition::sent
    || first.is == task::condition::running; // and has not passed a deadline
  if (!hedging_.has_budget() || !is_open || !endings_.accepts())
    return;
  if (first.on != nullptr)
    what.asked.push_back(first.on->number);
  auto* who = unasked(what);
  if (who == nullptr)
    return;
  hedging_.asked_another();
  collector_behind(what.collector).expect_another(host);
  ask(what, 1, what.content, who);
}

/// Somebody who has not been asked.
managed_worker* managed_pool::unasked(const gather& what) const {
  auto was_asked = [&](const managed_worker* who) {
    return std::find(what.asked.begin(), what.asked.end(), who->number)
           != what.asked.end();
  };
  auto workers = least_used();
  auto i = std::find_if_not(workers.begin(), workers.end(), was_asked);
  return i == workers.end() ? nullptr : *i;
}

// -- the end ------------------------------------------------------------------

void managed_pool::decided(gather& what, caf::strong_actor_ptr collector,
                           host_ptr host) {
  auto is_over = [this, &what, collector = std::move(collector)](host_ptr) {
    if (what.collector == collector) // and not that of another message by now
      cancel_rest(what);
  };
  tell(is_over, host);
}

/// Nobody needs what has not begun.
void managed_pool::cancel_rest(gather& what) {
  hedging_.forget(what);
  if (!gathers_->stops_rest)
    return;
  for (auto& task : what.tasks) {
    auto has_begun = task.awaits_answer
                     || (task.carrier != nullptr
                         && task.carrier->has_started());
    if (!has_begun)
      dispatcher_.cancelled(task, errc::not_needed, now());
  }
}

/// Its worker does not have the task any more.
void managed_pool::came_back(managed_task& what) {
  if (what.asked_of != nullptr && is_to_begin(what)
      && what.asked_of->is != worker::condition::serving)
    orphaned(what);
}

/// The worker takes nothing more.
void managed_pool::give_up_on(managed_worker& who) {
  for (auto i = who.asked.begin(); i != who.asked.end();) {
    auto& task = *i++;
    if (is_to_begin(task))
      orphaned(task);
  }
}

/// Only a worker that does not serve any more may run it. Somebody else is
/// asked, unless all are, or it has crashed that worker.
void managed_pool::orphaned(managed_task& what) {
  if (endings_.has_ended())
    return; // it is failed with all others
  auto& of = *what.gather;
  auto some = gathers_->how == gathering::scatter::some;
  auto has_crashed = what.crashes > 0;
  auto* other = some && !has_crashed ? unasked(of) : nullptr;
  auto was_taken_out = what.asked_of->is_taken_out;
  what.asked_of->asked.erase(what.asked_of->asked.iterator_to(what));
  what.asked_of = nullptr;
  if (other == nullptr) {
    auto why = has_crashed              ? errc::worker_crashed
               : was_taken_out && !some ? errc::not_needed
                                        : errc::worker_down;
    return dispatcher_.cancelled(what, why, now());
  }
  if (what.interceptor != nullptr)
    what.interceptor->close(); // so that the collector does not hear of it
  what.client = nullptr;
  what.id = caf::message_id{};
  what.element = nullptr;
  dispatcher_.cancelled(what, errc::worker_down, now());
  ask(of, what.part, of.content, other);
}

void managed_pool::end_gather(gather& what) {
  hedging_.forget(what);
  auto collector = std::move(what.collector); // let go of at the very end
  what.client = nullptr;
  what.before = nullptr;
  what.content = caf::message{};
  what.asked.clear();
  what.sent = never;
  free_gathers_.keep(what); // a fact may still refer to it
}

/// The task is over; perhaps the last one of its message.
void managed_pool::left_gather(managed_task& what) {
  auto& of = *std::exchange(what.gather, nullptr);
  of.tasks.erase(of.tasks.iterator_to(what));
  if (what.asked_of != nullptr)
    what.asked_of->asked.erase(what.asked_of->asked.iterator_to(what));
  what.asked_of = nullptr;
  if (std::exchange(what.is_for_one, false))
    what.where = nullptr; // others are shared
  if (of.sent != never && what.part == 0)
    hedging_.first_has_answered(now() - of.sent);
  if (of.tasks.empty())
    end_gather(of);
}

} // namespace libpool
