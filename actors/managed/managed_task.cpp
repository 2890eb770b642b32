#include "libpool/actors/managed/managed_task.hpp"

#include "libpool/core/joint_run.hpp"

#include <algorithm>

namespace libpool {

const std::shared_ptr<passage>& sent_as(const managed_task& task) {
  const auto* message = gather_of(task);
  return message != nullptr ? message->from_outer : task.extras().from_outer;
}

namespace {

/// Adds what the pool of the node knows of the task. A node may run a message
/// more than once for one attempt of the pool.
void add_facts(task_facts& facts, const task_facts& of_pool) {
  facts.number = of_pool.number;
  facts.attempt += of_pool.attempt - 1;
  facts.deadline = std::min(facts.deadline, of_pool.deadline);
  if (!of_pool.id.empty())
    facts.id = of_pool.id;
  if (!of_pool.trace.empty())
    facts.trace = of_pool.trace;
}

} // namespace

task_facts& facts_for(managed_task& task) {
  auto& extras = task.own_extras();
  if (extras.facts != nullptr)
    return *extras.facts;
  extras.facts = std::make_shared<task_facts>();
  auto& result = *extras.facts;
  result.stops = task.is == task::condition::overdue && !has_joiners(task);
  result.number = task.number;
  result.attempt = attempts_at(task) + 1;
  result.deadline = last_deadline(task);
  result.id = extras.note.id;
  result.trace = extras.note.trace;
  if (const auto& sent = sent_as(task);
      sent != nullptr && sent->facts != nullptr)
    add_facts(result, *sent->facts);
  return result;
}

} // namespace libpool
