#include "libpool/actors/managed/outgoing.hpp"

#include "libpool/actors/caf/handles.hpp"
#include "libpool/actors/caf/node_worker.hpp"
#include "libpool/actors/caf/passage.hpp"
#include "libpool/actors/caf/port/elements.hpp"
#include "libpool/actors/gate/submission.hpp"
#include "libpool/actors/managed/intake.hpp"

#include <caf/message.hpp>

#include <memory>
#include <utility>

namespace libpool {

namespace {

/// Makes the message anew of the content that was kept, on behalf of `client`.
/// Where the reply is intercepted, nothing else refers to the client then:
/// whether the worker drops the request must show.
void make_message_again(managed_task& task) {
  task.element = make_element(task.client, task.id, task.content);
  if (task.interceptor != nullptr)
    task.client = nullptr;
}

/// Takes the message out of the outer pool's element, which has begun then, so
/// that it can be sent more than once.
errc open_outer(managed_task& task) {
  if (!tracked_element::from(*task.element)->open())
    return errc::not_needed;
  task.outer = std::move(task.element);
  auto& outer = *task.outer;
  task.id = outer.mid;
  task.client = task.stand_in != nullptr ? std::move(task.stand_in)
                                         : std::move(outer.sender);
  try {
    task.content = take_content(outer);
  } catch (...) {
    task.crash = thrown_text();
    return errc::policy_failed;
  }
  make_message_again(task);
  return {};
}

/// Keeps the message of an outer pool as this pool needs it.
errc secure_outer(managed_task& task, const managed_worker& to) {
  auto* outer = tracked_element::from(*task.element);
  if (outer == nullptr)
    return {};
  if (task.repeatable)
    return open_outer(task);
  auto is_wanted = to.receiver.lets_recall ? !outer->is_recalled()
                                           : outer->hold();
  return is_wanted ? errc{} : errc::not_needed;
}

/// Describes a message of an outer pool, by the description of that pool. A
/// message that has begun, and was skipped, has lost its description: its
/// element has the content and the client.
void pass_on(const managed_task& task, passage& by) {
  if (tracked_element::from(*task.element)->has_started()) {
    by.way = return_path_of(*task.element);
    by.content = copy_content(*task.element);
  } else {
    by.way.id = task.from_outer->way.id;
    by.way.sender = task.from_outer->way.sender;
    by.content = task.from_outer->content;
  }
  if (task.stand_in != nullptr)
    by.way.sender = task.stand_in;
}

/// Tells of a message of a client, which needs a content of its own for that.
/// Returns false if that cannot be had.
bool describe(managed_task& task, passage& by) {
  if (!keep_content(task))
    return false;
  by.way = return_path_of(*task.element);
  by.content = task.content;
  task.element = make_element(take_return_path(*task.element), task.content);
  if (!task.repeatable)
    task.content = caf::message{};
  return true;
}

/// Lets the pool that is the worker know of the message before it begins.
errc announce(managed_task& task, const caf::abstract_actor& pool) {
  task.has_extras = true;
  auto by = std::make_shared<passage>();
  by->owner = pool.address();
  by->task = &task;
  if (tracked_element::from(*task.element) != nullptr)
    pass_on(task, *by);
  else if (!describe(task, *by))
    return errc::policy_failed;
  task.to_inner = std::move(by);
  return {};
}

/// Lets the node that is the worker know what the handler can know of the task.
void announce_facts(managed_task& task) {
  facts_for(task); // has extras from now on
  task.to_inner = std::make_shared<passage>();
  task.to_inner->task = &task;
  task.to_inner->facts = task.facts;
}

} // namespace

bool client_is_gone(const managed_task& task) {
  if (task.gather != nullptr)
    return gather_of(task).id.is_request()
           && is_client_gone(gather_of(task).client);
  if (task.interceptor != nullptr)
    return task.interceptor->client_is_gone();
  return is_client_gone(task.element->sender);
}

void renew_message(managed_task& task, const answers& by) {
  if (task.interceptor != nullptr)
    if (auto client = task.interceptor->close()) {
      task.interceptor->task = nullptr;
      by.intercept(task, *std::move(client), true);
    }
  make_message_again(task);
}

errc get_nested_ready(managed_task& task, const managed_worker& to,
                      const caf::abstract_actor& pool) {
  auto why = secure_outer(task, to);
  if (why == errc{} && to.is_pool && to.node == nullptr)
    return announce(task, pool);
  if (to.node != nullptr && to.node->tells_facts())
    announce_facts(task);
  return why;
}

} // namespace libpool
