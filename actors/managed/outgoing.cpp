#include "libpool/actors/managed/outgoing.hpp"

#include "libpool/actors/caf/handles.hpp"
#include "libpool/actors/caf/node_worker.hpp"
#include "libpool/actors/caf/passage.hpp"
#include "libpool/actors/caf/port/elements.hpp"
#include "libpool/actors/gate/submission.hpp"
#include "libpool/actors/user_function.hpp"
#include "libpool/core/joint_run.hpp"

#include <caf/message.hpp>

#include <memory>
#include <utility>

namespace libpool {

namespace {

/// Takes the message out of the outer pool's element, which has begun then, so
/// that it can be sent more than once.
errc open_outer(managed_task& task) {
  if (!tracked_element::from(*task.element)->open())
    return errc::not_needed;
  auto& extras = task.own_extras();
  extras.outer = std::move(task.element);
  auto& outer = *extras.outer;
  try {
    auto way = take_return_path(outer);
    if (extras.stand_in != nullptr)
      way = {std::move(extras.stand_in), way.id};
    if (run_of(task) != nullptr && !is_joiner(task))
      way.id = as_request(way.id);
    task.element = make_element(std::move(way), take_content(outer));
    return {};
  } catch (...) {
    extras.crash = thrown_text();
    return errc::policy_failed;
  }
}

/// Keeps the message of an outer pool as this pool needs it.
errc secure_outer(managed_task& task, const managed_worker& worker) {
  auto* outer = tracked_element::from(*task.element);
  if (outer == nullptr)
    return {};
  if (task.repeatable)
    return open_outer(task);
  auto is_wanted = worker.receiver.lets_recall ? !outer->is_recalled()
                                               : outer->hold();
  return is_wanted ? errc{} : errc::not_needed;
}

/// Describes a message of an outer pool, by the description of that pool. A
/// message that has begun, and was skipped, has lost its description: its
/// element has the content and the client.
void pass_on(const managed_task& task, passage& passage) {
  if (tracked_element::from(*task.element)->has_started()) {
    passage.way = return_path_of(*task.element);
    passage.content = copy_content(*task.element);
  } else {
    const auto& outer = *task.extras().from_outer;
    passage.way.id = outer.way.id;
    passage.way.sender = outer.way.sender;
    passage.content = outer.content;
  }
  if (const auto& stand_in = task.extras().stand_in)
    passage.way.sender = stand_in;
}

/// Tells of a message of a client, which needs a content of its own for that.
/// Returns false if that cannot be had.
bool describe(managed_task& task, passage& passage) {
  auto& element = *task.element;
  try {
    passage.content = call_user("copying the message",
                                [&] { return take_content(element); });
  } catch (...) {
    task.own_extras().crash = thrown_text();
    return false;
  }
  passage.way = return_path_of(element);
  task.element = make_element(take_return_path(element), passage.content);
  return true;
}

/// Lets the pool that is the worker know of the message before it begins.
errc announce(managed_task& task, const caf::abstract_actor& pool) {
  auto array = std::make_shared<passage>();
  array->owner = pool.address();
  array->task = &task;
  if (tracked_element::from(*task.element) != nullptr)
    pass_on(task, *array);
  else if (!describe(task, *array))
    return errc::policy_failed;
  task.own_extras().to_inner = std::move(array);
  return {};
}

/// Lets the node that is the worker know what the handler can know of the task.
void announce_facts(managed_task& task) {
  facts_for(task);
  auto& extras = task.own_extras();
  extras.to_inner = std::make_shared<passage>();
  extras.to_inner->task = &task;
  extras.to_inner->facts = extras.facts;
}

} // namespace

bool client_is_gone(const managed_task& task) {
  if (const auto* message = gather_of(task))
    return message->id.is_request() && is_client_gone(message->client);
  if (task.extras().interceptor != nullptr)
    return task.extras().interceptor->client_is_gone();
  return is_client_gone(task.element->sender);
}

errc open_shared(managed_task& task) {
  return tracked_element::from(*task.element) != nullptr ? open_outer(task)
                                                         : errc{};
}

errc get_nested_ready(managed_task& task, const managed_worker& worker,
                      const caf::abstract_actor& pool) {
  auto why = secure_outer(task, worker);
  if (why == errc{} && worker.is_pool && worker.node == nullptr)
    return announce(task, pool);
  if (worker.node != nullptr && worker.node->tells_facts())
    announce_facts(task);
  return why;
}

} // namespace libpool
