/// How the node registry lets nodes answer messages that they have begun for an
/// earlier front.

#include "libpool/actors/caf/port/elements.hpp"
#include "libpool/actors/caf/port/make_message.hpp"
#include "libpool/actors/error.hpp"
#include "libpool/actors/nodes/node_registry.hpp"

#include <caf/actor_cast.hpp>

#include <memory>
#include <utility>
#include <vector>

namespace libpool {

void node_registry::adopt(std::uint64_t submission,
                          caf::mailbox_element_ptr element,
                          execution_context* host) {
  auto shared = std::make_shared<caf::mailbox_element_ptr>(std::move(element));
  auto wants_node = [this, submission, shared](host_ptr here) {
    has_queue_ = true;
    auto which = orphans_.insert_or_assign(submission, std::move(*shared));
    try_to_adopt(which.first, here);
  };
  act(wants_node, host);
}

void node_registry::settled(std::uint64_t submission, execution_context* host) {
  act([this, submission](host_ptr) { held_.settled(submission); }, host);
}

/// Notes the messages that the node of a new session has begun.
void node_registry::note_held(worker_number session,
                              const std::vector<std::uint64_t>& held) {
  held_.joined(session, held);
  auto try_all = [this](host_ptr host) {
    for (auto next = orphans_.begin(); next != orphans_.end();)
      try_to_adopt(next++, host);
  };
  if (!orphans_.empty())
    tell(try_all, nullptr); // when the node gets tasks
}

/// Sends the message, without its content, to the node that has begun it, if
/// there is one.
void node_registry::try_to_adopt(orphan_map::iterator which, host_ptr host) {
  auto submission = which->first;
  auto session = held_.holder_of(submission).value_or(worker_number{});
  auto proxy = proxies_.find(session);
  if (proxy == proxies_.end())
    return;
  auto element = std::move(which->second);
  orphans_.erase(which);
  auto task = next_task_;
  next_task_ = task_number{static_cast<std::uint64_t>(task) + 1};
  if (!end_.submitted(task, session, 0, false, now()))
    return let_down(std::move(element), host);
  tasks_.emplace(
    static_cast<std::uint64_t>(task),
    open_task{caf::actor_cast<caf::strong_actor_ptr>(proxy->second),
              std::move(element), std::make_shared<std::string>(), submission});
}

/// Answers messages that no node has begun, as far as is known.
void node_registry::give_orphans_up(host_ptr host) {
  if (orphans_.empty() || now() < adopts_until_)
    return;
  for (auto& each : std::exchange(orphans_, {}))
    let_down(std::move(each.second), host);
}

void node_registry::let_down(caf::mailbox_element_ptr element, host_ptr host) {
  answer(take_return_path(*element), ctrl(),
         caf::make_message(make_error(errc::front_lost)), host);
}

/// Adds to a message batch which tasks are from the durable queue, and which
/// results the node need not keep.
void node_registry::name_submissions(worker_number session, tasks_sent& batch) {
  batch.settled = held_.take_settled(session);
  for (auto each : batch.tasks) {
    auto submission = tasks_.at(static_cast<std::uint64_t>(each)).submission;
    batch.submissions.push_back(submission);
    if (submission != 0)
      held_.sent(submission, session);
  }
}

} // namespace libpool
