#include "libpool/actors/managed/cancellation.hpp"

#include "libpool/actors/caf/error_words.hpp"
#include "libpool/actors/caf/handles.hpp"
#include "libpool/actors/error.hpp"
#include "libpool/actors/gate/submission.hpp"
#include "libpool/actors/managed/pauses.hpp"
#include "libpool/core/joint_run.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <memory>

namespace libpool {

namespace {

const std::shared_ptr<passage>& sent_as(const managed_gather& message) {
  return message.from_outer;
}

} // namespace

void cancellation::cancel(const announced_messages& messages,
                          bool answers_early) {
  cancel_where(
    [&](const auto& message) { return messages.contain(sent_as(message)); },
    [&](managed_task& task) {
      return answers_early ? cancel(task) : stop(task);
    });
}

void cancellation::tell_begin(const std::shared_ptr<passage>& sent,
                              execution_context* host) const {
  auto began = never;
  for (auto* each : dispatcher_.tasks().sent())
    if (auto& task = static_cast<managed_task&>(*each); sent_as(task) == sent)
      began = std::min(began, flight_.start_of(task));
  if (auto owner = began != never ? reach(sent->owner) : nullptr)
    dynamic_cast<element_owner&>(*owner->get()).began_inside(sent, began, host);
}

caf::error cancellation::objection_to(const selection& selected) const {
  if (!selected.id.empty() && options_.id_of == nullptr)
    return invalid_argument("cancel: the pool does not know the ids of its "
                            "messages: set managed_options::id_of");
  return selected.flow ? objection_to_flows(dispatcher_, "cancel")
                       : caf::error{};
}

cancel_counts cancellation::cancel(const selection& selected) {
  if (selected.is_empty())
    return {};
  return cancel_where(
    [&](const auto& task) { return intake_.is_meant(selected, task); },
    [&](managed_task& task) { return cancel(task); });
}

/// Calls `is_meant` with tasks, and with messages that are gathered. Before,
/// all tasks that workers were sent together and have not begun are taken back:
/// their clients are known then. The task that was sent last comes first: a
/// worker, a node or an inner pool that is freed begins no message of the
/// selection.
template <class F, class G>
cancel_counts cancellation::cancel_where(F is_meant, G cancel_task) {
  cancel_counts result;
  if (end_.has_ended())
    return result;
  while (gathers_.has_more())
    gathers_.make_more(std::numeric_limits<std::size_t>::max());
  dispatcher_.for_each_leased([this](worker& each) {
    flight_.take_followers_back(static_cast<managed_worker&>(each));
    return true;
  });
  const auto open = dispatcher_.tasks().all();
  for (auto i = open.rbegin(); i != open.rend(); ++i) {
    auto& task = static_cast<managed_task&>(**i);
    auto is_open = task.is != task::condition::unknown // by now
                   && task.is != task::condition::overdue;
    if (!is_open || !is_meant(task))
      continue;
    flight_.look_at(task);
    if (task.is == task::condition::unknown)
      continue; // has ended
    if (auto* message = gather_of(task))
      message->is_cancelled = true;
    ++(cancel_task(task) ? result.running : result.waiting);
  }
  result.waiting += gathers_.cancel(is_meant); // between two workers
  return result;
}

namespace {

/// Whether a message with this sender and id is one of the requests.
bool is_one_of(const client_requests& all, const caf::strong_actor_ptr& sender,
               caf::message_id id) {
  return sender != nullptr && client_behind(sender) == all.client
         && all.contain(id);
}

bool is_one_of(const client_requests& all, const managed_gather& message) {
  return is_one_of(all, message.client, message.id);
}

/// The client of a message that a worker has is known only if the pool
/// intercepts answers or describes messages.
bool is_one_of(const client_requests& all, const managed_task& task) {
  if (const auto* message = gather_of(task))
    return is_one_of(all, *message);
  if (task.extras().interceptor != nullptr)
    return task.extras().interceptor->is_one_of(all);
  if (task.extras().from_outer != nullptr)
    return false;
  return task.element != nullptr
           ? is_one_of(all, task.element->sender, task.element->mid)
           : is_one_of(all, task.extras().note.asker, task.extras().note.asked);
}

} // namespace

void cancellation::cancel(const client_requests& requests) {
  cancel_where([&](const auto& task) { return is_one_of(requests, task); },
               [&](managed_task& task) { return cancel(task); });
}

/// A message that a worker has ends with its handler, unless messages can share
/// the run. Returns whether a worker has it.
bool cancellation::stop(managed_task& task) {
  using condition = task::condition;
  if (run_of(task) != nullptr)
    return cancel(task);
  auto is_at_worker = task.is == condition::sent
                      || task.is == condition::running;
  if (is_at_worker)
    flight_.ask_to_stop(task);
  else
    dispatcher_.cancelled(task, errc::cancelled, clock_.now());
  return is_at_worker;
}

/// If only the handler can answer, the message ends with the handler. Returns
/// whether a worker has begun the message, or keeps it.
bool cancellation::cancel(managed_task& task) {
  auto is_running = task.is == task::condition::running;
  if (is_running && !flight_.may_answer_for(task)) {
    flight_.ask_to_stop(task);
    return true;
  }
  auto& sent =
    is_joiner(task) ? static_cast<managed_task&>(*run_of(task)->leader) : task;
  dispatcher_.cancelled(task, errc::cancelled, clock_.now());
  if (sent.recalled && sent.on != nullptr)
    flight_.recall(sent, worker_of(sent)); // at once, as the caller counts
  return task.is != task::condition::unknown;
}

} // namespace libpool
