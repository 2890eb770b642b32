#include "libpool/actors/managed/cancellation.hpp"

#include "libpool/actors/caf/error_words.hpp"
#include "libpool/actors/error.hpp"
#include "libpool/actors/gate/submission.hpp"
#include "libpool/actors/managed/pauses.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>

namespace libpool {

namespace {

bool is_one_of(const announced_messages& all, const managed_task& task) {
  return all.contain(task.extras().from_outer);
}

bool is_one_of(const announced_messages&, const gather&) {
  return false; // its collector has the message
}

} // namespace

void cancellation::cancel(const announced_messages& messages) {
  cancel_where([&](const auto& task) { return is_one_of(messages, task); },
               [&](managed_task& task) { return cancel(task); });
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

void cancellation::stop(const client_requests& requests, bool answers_early) {
  cancel_where([&](const auto& task) { return is_one_of(requests, task); },
               [&](managed_task& task) {
                 return answers_early ? cancel(task) : stop(task);
               });
}

namespace {

/// Whether no worker has got the task. One that waits for its next attempt has
/// begun, and a part of a message may have.
bool has_never_begun(const managed_task& task) {
  return task.on == nullptr && gather_of(task) == nullptr && !is_retry(task);
}

bool has_never_begun(const gather&) {
  return false;
}

} // namespace

void cancellation::take_back(const client_requests& requests) {
  cancel_where(
    [&](const auto& task) {
      return has_never_begun(task) && is_one_of(requests, task);
    },
    [&](managed_task& task) {
      dispatcher_.cancelled(task, errc::not_needed, clock_.now());
      return false;
    });
}

std::vector<begun_request>
cancellation::begun(const client_requests& requests) const {
  std::map<std::uint64_t, instant> first;
  for (auto* each : dispatcher_.tasks().sent()) {
    auto& task = static_cast<managed_task&>(*each);
    if (!is_one_of(requests, task))
      continue;
    auto id = asker_of(task).id;
    auto began = flight_.start_of(task);
    if (!id.is_request() || began == never)
      continue;
    auto number = id.request_id().integer_value();
    auto [found, is_new] = first.emplace(number, began);
    found->second = std::min(found->second, began);
  }
  std::vector<begun_request> result;
  for (const auto& [number, began] : first)
    result.push_back({number, began});
  return result;
}

/// A message that a worker has ends with its handler. Returns whether a worker
/// has it.
bool cancellation::stop(managed_task& task) {
  using condition = task::condition;
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
  dispatcher_.cancelled(task, errc::cancelled, clock_.now());
  if (task.recalled && task.on != nullptr)
    flight_.recall(task, worker_of(task)); // at once, as the caller counts
  return task.is != task::condition::unknown;
}

} // namespace libpool
