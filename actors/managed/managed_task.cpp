#include "libpool/actors/managed/managed_task.hpp"

#include "libpool/actors/caf/facts_source.hpp"

namespace libpool {

return_path asker_of(const managed_task& task) {
  if (const auto* message = gather_of(task))
    return {message->client, message->id};
  const auto& interceptor = task.extras().interceptor;
  return interceptor != nullptr ? interceptor->asker() : return_path{};
}

namespace {

/// Completes the facts of a task whose client knows more of it.
void ask_client(const managed_task& task, task_facts& facts) {
  auto asked = asker_of(task);
  auto* client = asked.sender != nullptr ? asked.sender->get() : nullptr;
  if (auto* source = dynamic_cast<const facts_source*>(client))
    source->complete(asked.id, facts);
}

} // namespace

task_facts& facts_for(managed_task& task) {
  auto& extras = task.own_extras();
  if (extras.facts != nullptr)
    return *extras.facts;
  extras.facts = std::make_shared<task_facts>();
  auto& result = *extras.facts;
  result.stops = task.is == task::condition::overdue;
  result.number = task.number;
  result.attempt = attempts_at(task) + 1;
  result.deadline = task.deadline;
  result.id = extras.note.id;
  result.trace = extras.note.trace;
  ask_client(task, result);
  return result;
}

} // namespace libpool
