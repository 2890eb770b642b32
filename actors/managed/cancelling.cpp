/// How messages of a managed pool are cancelled.

#include "libpool/actors/managed/managed_pool.hpp"
#include "libpool/actors/selection.hpp"

#include <memory>

namespace libpool {

namespace {

/// The facts of the task, for its handler. They are that of one run.
task_facts& facts_of(managed_task& task) {
  if (task.facts != nullptr)
    return *task.facts;
  task.has_extras = true;
  task.facts = std::make_shared<task_facts>();
  auto& result = *task.facts;
  result.stops = task.is == task::condition::overdue;
  result.number = task.known_as;
  result.attempt = task.crashes + task.errors + 1;
  result.deadline = task.deadline;
  result.id = task.note.id;
  result.trace = task.note.trace;
  return result;
}

} // namespace

std::shared_ptr<const task_facts>
managed_pool::facts_of(const tracked_element& handled) {
  return ask([this, &handled]() -> std::shared_ptr<const task_facts> {
    auto* task = handled.task();
    if (task == nullptr)
      return nullptr;
    leasing_.look_at(*task);
    libpool::facts_of(*task);
    return task->facts;
  });
}

/// Tells the handler, and the managed pool that has the message, to stop. Any
/// other worker in place of several would give back a message that it has not
/// begun.
void managed_pool::ask_to_stop(managed_task& task, host_ptr host) {
  libpool::facts_of(task).stops.store(true, std::memory_order_release);
  auto* inner = dynamic_cast<managed_pool*>(worker_of(task).receiver.pool);
  if (inner != nullptr && task.carrier != nullptr)
    inner->unwanted(*task.carrier, host);
}

/// The message may have ended, and its element may have been used again, when
/// the command is carried out: the passage is of this message alone.
void managed_pool::unwanted(const element_record& element, host_ptr host) {
  if (element.announced() == nullptr)
    return;
  auto is_unwanted = [this, of = element.announced()](host_ptr here) {
    for (auto* each : dispatcher_.open_tasks()) {
      auto& task = static_cast<managed_task&>(*each);
      if (task.from_outer == of && task.is != task::condition::overdue)
        cancel(task, here);
    }
  };
  tell(is_unwanted, host);
}

cancel_counts managed_pool::cancel(const selection& which) {
  return ask([this, &which] { return cancel_here(which, nullptr); });
}

/// Before, the ends in all leases are told, so each task stands for the message
/// that its worker handles.
cancel_counts managed_pool::cancel_here(const selection& which, host_ptr host) {
  cancel_counts result;
  if (which.is_empty() || endings_.has_ended())
    return result;
  auto is_meant = [&](const element_line& line, const queued_element& message) {
    return intake_.is_meant(which, line.flow, message);
  };
  result.waiting = intake_.book().cancel(errc::cancelled, *this, is_meant);
  for (auto* each : dispatcher_.open_tasks()) {
    auto& task = static_cast<managed_task&>(*each);
    auto is_open = task.head_of == nullptr
                   && task.is != task::condition::unknown // by now
                   && task.is != task::condition::overdue;
    if (!is_open || !intake_.is_meant(which, task))
      continue;
    leasing_.look_at(task);
    if (task.gather != nullptr)
      task.gather->is_cancelled = true;
    ++(cancel(task, host) ? result.running : result.waiting);
  }
  return result;
}

/// Whether the pool can answer the client of a message that a worker has begun.
/// If answers are intercepted, a message without an interceptor has no client
/// that waits.
bool managed_pool::may_answer_for(const managed_task& task) const noexcept {
  return task.interceptor != nullptr || intake_.intercepts();
}

/// If only the handler can answer, the message ends with the handler. Returns
/// whether a worker has begun the message, or keeps it.
bool managed_pool::cancel(managed_task& task, host_ptr host) {
  auto is_running = task.is == task::condition::running;
  if (is_running)
    ask_to_stop(task, host);
  if (is_running && !may_answer_for(task))
    return true;
  dispatcher_.cancelled(task, errc::cancelled, now());
  if (task.recalled && task.on != nullptr)
    recall(task, worker_of(task)); // at once, as the caller counts
  return task.is != task::condition::unknown;
}

} // namespace libpool
