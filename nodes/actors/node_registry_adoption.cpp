/// How the node registry lets nodes answer messages that they have begun for an
/// earlier front.

#include "libpool/actors/caf/handles.hpp"
#include "libpool/actors/caf/port/elements.hpp"
#include "libpool/actors/caf/port/make_message.hpp"
#include "libpool/actors/error.hpp"
#include "libpool/nodes/actors/actor_calls.hpp"
#include "libpool/nodes/actors/node_registry.hpp"

#include <caf/actor_cast.hpp>
#include <caf/system_messages.hpp>

#include <algorithm>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

namespace libpool {

void node_registry::use_queue(const std::shared_ptr<work_queue>& queue) {
  auto is_alone = ask([&] {
    if (!queue_.expired())
      return false;
    queue_ = queue;
    for (const auto& each : runs_)
      queue->node_joined(each.second, [] {}); // it is a worker already
    return true;
  });
  if (!is_alone)
    throw std::invalid_argument(
      "libpool: serve: the pool serves a durable queue already");
}

void node_registry::adopt(std::vector<std::uint64_t> takings,
                          caf::mailbox_element_ptr element, nodes_receiver none,
                          execution_context* host) {
  auto shared = std::make_shared<orphan>(
    orphan{std::move(takings), std::move(element), std::move(none), 0, {}});
  auto wants_node = [this, shared](host_ptr here) {
    has_queue_ = true;
    shared->question = end_.ask_presence();
    shared->until = later(now(), options_.lease);
    orphans_.push_back(std::move(*shared));
    try_to_adopt(std::prev(orphans_.end()), here);
  };
  act(wants_node, host);
}

void node_registry::settled(const std::vector<std::uint64_t>& takings,
                            execution_context* host) {
  auto are_settled = [this, takings](host_ptr) {
    for (auto each : takings)
      held_.settled(each);
  };
  act(are_settled, host);
}

/// Notes the messages that the node of a new session has begun.
void node_registry::note_held(worker_number session, const introduction& who) {
  held_.joined(session, who.held, who.lost);
  auto try_all = [this](host_ptr host) {
    for (auto next = orphans_.begin(); next != orphans_.end();)
      try_to_adopt(next++, host);
  };
  if (!orphans_.empty())
    tell(try_all, nullptr); // when the node gets tasks
}

/// Makes the node of a new session a worker of the pool. If the pool has a
/// durable queue, later fronts must know the node before.
void node_registry::note_joined(worker_number session, host_ptr host) {
  auto queue = queue_.lock();
  if (queue == nullptr)
    return put(session, host);
  queue->node_joined(runs_.at(session), [me = address(), session] {
    call_actor<node_registry>(me, [session](node_registry& registry) {
      registry.act(
        [&registry, session](host_ptr here) { registry.put(session, here); },
        nullptr);
    });
  });
}

void node_registry::put(worker_number session, host_ptr host) {
  auto pool = reach(pool_);
  auto proxy = proxies_.find(session);
  if (pool != nullptr && proxy != proxies_.end())
    send_to(*pool->get(),
            caf::make_message(caf::sys_atom{}, caf::put_atom{}, proxy->second),
            host);
}

void node_registry::note_left(worker_number session) {
  held_.left(session);
  auto run = runs_.find(session);
  if (auto queue = queue_.lock())
    queue->node_left(run->second);
  runs_.erase(run);
}

/// Sends the message, without its content, to the node that has begun it.
/// Returns whether there is one.
bool node_registry::try_to_adopt(orphan_list::iterator entry, host_ptr host) {
  const auto& takings = entry->takings;
  auto held = std::find_if(takings.begin(), takings.end(), [this](auto taking) {
    return held_.holder_of(taking).has_value();
  });
  if (held == takings.end())
    return false;
  auto taking = *held;
  auto session = *held_.holder_of(taking);
  auto proxy = proxies_.find(session);
  if (proxy == proxies_.end())
    return false;
  auto element = std::move(entry->element);
  orphans_.erase(entry);
  auto task = next_task_;
  next_task_ = task_number{static_cast<std::uint64_t>(task) + 1};
  if (end_.submitted(task, session, 0, false, now()))
    tasks_.emplace(
      static_cast<std::uint64_t>(task),
      open_task{caf::actor_cast<caf::strong_actor_ptr>(proxy->second),
                std::move(element), std::make_shared<std::string>(), taking});
  else
    let_down(std::move(element), host);
  return true;
}

/// Reports messages that no node which serves has begun.
void node_registry::give_orphans_up(host_ptr host) {
  if (orphans_.empty() || now() < adopts_until_)
    return;
  for (auto next = orphans_.begin(); next != orphans_.end();) {
    auto self = next++;
    auto present = present_since(self->question);
    if ((present.size() < runs_.size() && now() < self->until)
        || try_to_adopt(self, host))
      continue;
    auto none = std::move(self->none);
    orphans_.erase(self);
    none(present, host);
  }
}

/// Returns the runs of the nodes that have been in their sessions since then.
std::vector<std::uint64_t>
node_registry::present_since(std::uint64_t question) const {
  std::vector<std::uint64_t> result;
  for (const auto& [session, run] : runs_)
    if (end_.sessions().is_present(session, question))
      result.push_back(run);
  return result;
}

/// Returns the time by which the oldest orphan is given up.
instant node_registry::next_orphan() const {
  if (orphans_.empty())
    return never;
  return now() < adopts_until_ ? adopts_until_ : orphans_.front().until;
}

void node_registry::let_down(caf::mailbox_element_ptr element, host_ptr host) {
  answer(take_return_path(*element), ctrl(),
         caf::make_message(make_error(errc::front_lost)), host);
}

/// Adds to a message batch which tasks are from the durable queue, and which
/// results the node need not keep.
void node_registry::name_takings(worker_number session, tasks_sent& batch) {
  batch.settled = held_.take_settled(session);
  for (auto each : batch.tasks) {
    auto taking = tasks_.at(static_cast<std::uint64_t>(each)).taking;
    batch.takings.push_back(taking);
    if (taking != 0)
      held_.sent(taking, session);
  }
}

} // namespace libpool
