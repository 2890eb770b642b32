#include "libpool/actors/managed/settlement.hpp"

#include "libpool/actors/caf/error_words.hpp"
#include "libpool/actors/caf/node_worker.hpp"
#include "libpool/actors/caf/port/errors.hpp"
#include "libpool/actors/caf/port/front_actor.hpp"
#include "libpool/actors/error.hpp"
#include "libpool/actors/managed/round_size.hpp"

#include <optional>
#include <string>
#include <utility>

namespace libpool {

namespace {

/// Returns why the task is not tried again, in words for the client.
std::string budget_spent(const managed_task& task, bool by_flow) {
  auto of_flow = by_flow ? " of flow '" + task.flow.key().name() + "'"
                         : std::string{};
  return "not tried again: the retry budget" + of_flow + " is spent";
}

} // namespace

// -- handlers -----------------------------------------------------------------

void settlement::note_worker(managed_task& task, const managed_worker& worker) {
  auto& extras = task.own_extras();
  extras.worker = worker.handle;
  extras.last_worker = worker.number;
  if (worker.node != nullptr)
    extras.node = worker.node->node_name();
}

void settlement::let_held_answer_pass(managed_task& task, host_ptr host) {
  if (run_of(task) != nullptr)
    return share_answer(task, host);
  task.extras().interceptor->let_pass(host);
  if (answers_.handler_returned(task.extras().interceptor, task.deadline,
                                task.flow.key(), kind_name_of(task)))
    task.own_extras().answered_with_error = true;
}

/// Keeps the answer for all tasks that share the run. The client of the task
/// may have been answered before.
void settlement::share_answer(managed_task& task, host_ptr host) {
  auto& extras = task.own_extras();
  extras.answer = extras.interceptor->take_answer();
  if (batches_.has(task))
    batches_.divide(task);
  if (task.is != task::condition::overdue)
    tell_result(task, batches::result_of(task, task), host);
}

/// Answers the client of a task that shares a run.
void settlement::tell_result(managed_task& task, worker_answer result,
                             host_ptr host) {
  const auto& content = result.content;
  if (content.match_elements<caf::error>()) {
    answers_.note_error(kind_of(content.get_as<caf::error>(0)), task.flow.key(),
                        kind_name_of(task));
    task.own_extras().answered_with_error = true;
  }
  answers::tell_result(task, std::move(result), host);
}

/// Notes what is known of the run of `leader`, which has settled the task, and
/// answers the client of the task with the result.
void settlement::ran_with(managed_task& task, const managed_task& leader,
                          const decision& decision, host_ptr host) {
  auto& extras = task.own_extras();
  const auto& run = leader.extras();
  if (task.started != never)
    extras.joined = leader.number;
  extras.worker = run.worker;
  extras.last_worker = run.last_worker;
  extras.node = run.node;
  extras.crash = run.crash;
  if (extras.from_outer != nullptr && task.started < decision.at)
    extras.from_outer->took = decision.at - task.started;
  if (decision.how == outcome::completed)
    tell_result(task, batches::result_of(leader, task), host);
}

/// If the worker has answered with an error after which the user wants the
/// message to be tried again, lets the task wait for its next attempt. The
/// answer is discarded with its interceptor when the message is sent again.
bool settlement::retries_error(managed_task& task, instant ended) {
  const auto error = task.extras().interceptor->held_error();
  const auto* message = gather_of(task);
  auto is_needed = message == nullptr || !message->is_decided;
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
      with_note(error, budget_spent(task, dispatcher_.needs().may_throttle)));
  if (verdict != retry_verdict::yes)
    return false;
  forget_facts(task);
  return true;
}

bool settlement::await_answer(managed_task& task, host_ptr host) {
  if (!answers_.await(*task.extras().interceptor))
    return false;
  task.own_extras().awaits_answer = true;
  if (task.on->is == worker::condition::gone)
    never_answers(task, host); // its death was told before
  return true;
}

/// The worker has died, and still owes the answer.
void settlement::never_answers(managed_task& task, host_ptr host) {
  task.own_extras().crash = words_of(worker_of(task))
                            + " ended before it answered";
  finished(task, ending::crashed, clock_.now(), host);
}

void settlement::fail_unanswered(managed_worker& worker, host_ptr host) {
  std::vector<managed_task*> unanswered;
  for (auto& each : worker.mailbox)
    if (auto& task = static_cast<managed_task&>(each);
        task.extras().awaits_answer)
      unanswered.push_back(&task);
  for (auto* task : unanswered)
    never_answers(*task, host);
}

void settlement::answered(reply_interceptor& request, host_ptr host) {
  auto* task = request.task;
  if (task != nullptr && task->extras().awaits_answer)
    finished(*task, ending::completed, clock_.now(), host);
  else
    answers_.came_late(request);
}

void settlement::dropped(managed_task& task) {
  if (task.is_request && task.extras().interceptor == nullptr)
    answers_.refuse(*task.element, make_error(task.cancel_reason), nullptr);
  if (has_joiners(task))
    dispatcher_.unhandled(task, clock_.now()); // it runs for them
  else
    dispatcher_.finished(task, ending::crashed, clock_.now());
}

// -- tasks --------------------------------------------------------------------

void settlement::end(managed_task& task, const decision& decision,
                     host_ptr host) {
  if (const auto* leader = task.notes().ran_with)
    ran_with(task, static_cast<const managed_task&>(*leader), decision, host);
  auto may_wait = decision.how != outcome::completed
                  && decision.how != outcome::refused && !is_asked_of_one(task);
  if (may_wait && told_++ >= most_in_round)
    return put_off_.push_back(decision);
  settle(task, decision, host);
  release(task);
}

void settlement::tell_more(std::size_t most, host_ptr host) {
  for (; most > 0 && !put_off_.empty(); --most) {
    const auto end = put_off_.front();
    put_off_.pop_front();
    auto& task = static_cast<managed_task&>(*end.task);
    settle(task, end, host);
    release(task);
  }
}

/// Reports the end of the task to its client and to the functions of the user.
void settlement::tell_end(managed_task& task, const decision& decision,
                          host_ptr host) {
  intake_.describe_late(task);
  caf::error why;
  if (decision.how != outcome::completed) {
    why = error_of(task, decision, staff_.condition());
    if (why == errc::queue_full || why == errc::flow_full)
      why = refusal_of(task, decision.why, dispatcher_,
                       staff_.workers().seats());
    fail(task, decision, why, host);
  }
  if (!is_told_)
    return;
  answers_.note_settled(task, task.extras().note, decision, why,
                        decision.how == outcome::refused ? clock_.now()
                                                         : decision.at);
  answers_.report_settled();
}

/// The task was not completed: tells its client, and an outer pool.
void settlement::fail(managed_task& task, const decision& decision,
                      const caf::error& why, host_ptr host) {
  using outer_message = answers::outer_message;
  auto outer = answers::tell_outer(task, decision, why);
  if (outer == outer_message::given_back && decision.why != errc::pool_closed)
    staff_.was_full();
  if (outer != outer_message::settled)
    return;
  auto handler_still_runs = task.is == task::condition::overdue;
  if (task.extras().from_outer != nullptr && handler_still_runs)
    if (auto pool = reach(task.extras().from_outer->owner))
      dynamic_cast<element_owner&>(*pool->get())
        .settled_inside(task.extras().from_outer, decision.why, host);
  answers_.tell_client(task, decision, why, host);
}

void settlement::release(managed_task& task) {
  if (task.is_part)
    gathers_.left(static_cast<part_task&>(task));
  intake_.forget(task);
  recycler_.give_back(task);
}

void settlement::tell_callers(host_ptr host) {
  for (auto& each : std::exchange(callers_, {}))
    each(host);
}

} // namespace libpool
