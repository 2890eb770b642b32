#include "libpool/actors/managed/handler_ends.hpp"

#include "libpool/actors/caf/port/errors.hpp"
#include "libpool/actors/error.hpp"

#include <optional>
#include <string>
#include <vector>

namespace libpool {

namespace {

/// Returns why the task is not tried again, in words for the client.
std::string budget_spent(const managed_task& task, bool by_flow) {
  auto of_flow = by_flow ? " of flow '" + task.notes().flow.name() + "'"
                         : std::string{};
  return "not tried again: the retry budget" + of_flow + " is spent";
}

} // namespace

void handler_ends::let_held_answer_pass(managed_task& task, host_ptr host) {
  task.extras().interceptor->let_pass(host);
  if (answers_.handler_returned(task.extras().interceptor, task.deadline,
                                task.notes().flow, kind_name_of(task)))
    task.own_extras().answered_with_error = true;
}

/// If the worker has answered with an error after which the user wants the
/// message to be tried again, lets the task wait for its next attempt. The
/// answer is discarded with its interceptor when the message is sent again.
bool handler_ends::retries_error(managed_task& task, instant ended) {
  const auto error = task.extras().interceptor->held_error();
  auto is_needed = task.gather == nullptr || !task.gather->is_decided;
  if (!error || !is_needed)
    return false;
  auto attempts = attempts_at(task) + 1;
  std::optional<duration> wait;
  try {
    wait = options_.retry_on(error, attempts);
  } catch (...) { // NOLINT(bugprone-empty-catch): not tried again
  }
  if (!wait)
    return false;
  auto verdict = dispatcher_.answered_with_error(task, *wait, ended,
                                                 clock_.now());
  if (verdict == retry_verdict::over_budget)
    task.extras().interceptor->replace_error(
      with_note(error, budget_spent(task, dispatcher_.may_throttle())));
  if (verdict != retry_verdict::yes)
    return false;
  forget_facts(task);
  return true;
}

bool handler_ends::await_answer(managed_task& task, host_ptr host) {
  if (!answers_.await(*task.extras().interceptor))
    return false;
  task.own_extras().awaits_answer = true;
  if (task.on->is == worker::condition::gone)
    never_answers(task, host); // its death was told before
  return true;
}

/// The worker has died, and still owes the answer.
void handler_ends::never_answers(managed_task& task, host_ptr host) {
  task.own_extras().crash = words_of(worker_of(task))
                            + " ended before it answered";
  finished(task, ending::crashed, clock_.now(), host);
}

void handler_ends::fail_unanswered(managed_worker& worker, host_ptr host) {
  std::vector<managed_task*> unanswered;
  for (auto& each : worker.mailbox)
    if (auto& task = static_cast<managed_task&>(each);
        task.extras().awaits_answer)
      unanswered.push_back(&task);
  for (auto* task : unanswered)
    never_answers(*task, host);
}

void handler_ends::answered(reply_interceptor& request, host_ptr host) {
  auto* task = request.task;
  if (task != nullptr && task->extras().awaits_answer)
    finished(*task, ending::completed, clock_.now(), host);
  else
    answers_.came_late(request);
}

void handler_ends::dropped(managed_task& task) {
  if (task.is_request && task.extras().interceptor == nullptr)
    answers_.refuse(*task.element, make_error(task.unwanted), nullptr);
  dispatcher_.finished(task, ending::crashed, clock_.now());
}

} // namespace libpool
