#pragma once

#include "libpool/actors/caf/port/types.hpp"
#include "libpool/actors/managed/answers.hpp"
#include "libpool/actors/managed/gathers.hpp"
#include "libpool/actors/managed/managed_task.hpp"
#include "libpool/actors/managed/managed_worker.hpp"
#include "libpool/actors/managed/pool_clock.hpp"
#include "libpool/actors/managed/reply_interceptor.hpp"
#include "libpool/actors/managed_setup.hpp"
#include "libpool/core/dispatcher.hpp"
#include "libpool/core/ending.hpp"
#include "libpool/core/instant.hpp"

namespace libpool {

/// Ends of handlers in a managed pool: a task is tried again, or its answer
/// passes. An answer may come after the handler has returned.
///
/// Threads: the pool's.
class handler_ends {
public:
  using host_ptr = execution_context*;

  handler_ends(const managed_setup& options, dispatcher& dispatcher,
               pool_clock& clock, answers& answers, gathers& gathers) noexcept
    : options_(options),
      dispatcher_(dispatcher),
      clock_(clock),
      answers_(answers),
      gathers_(gathers) {
    // nop
  }

  handler_ends(const handler_ends&) = delete;
  handler_ends& operator=(const handler_ends&) = delete;

  /// Reports that the handler of the task has ended, and its answer has come.
  void finished(managed_task& task, ending how, instant ended, host_ptr host) {
    if (task.extras().awaits_answer)
      task.own_extras().awaits_answer = false;
    auto& worker = worker_of(task);
    auto is_open = how == ending::completed
                   && task.extras().interceptor != nullptr
                   && task.is != task::condition::overdue;
    if (!is_open || !tries_again(task, ended)) {
      if (is_open)
        let_answer_pass(task, host);
      dispatcher_.finished(task, how, ended);
    }
    gathers_.came_back(task, worker); // if it is to run again
  }

  /// Lets the answer of a handler that has ended well reach the client.
  void let_answer_pass(managed_task& task, host_ptr host) {
    if (task.extras().interceptor != nullptr)
      let_held_answer_pass(task, host);
  }

  /// If the handler has returned, and the worker has yet to answer, waits for
  /// the answer. Returns whether it does.
  bool awaits_answer(managed_task& task, ending how, host_ptr host) {
    return how == ending::completed && options_.busy_until == busy_until::answer
           && task.extras().interceptor != nullptr && await_answer(task, host);
  }

  /// Notes that the worker has died: requests that it still owes are never
  /// answered.
  void fail_unanswered(managed_worker& worker, host_ptr host);

  /// Notes an answer that has come after the end of its handler, or that none
  /// will come.
  void answered(reply_interceptor& request, host_ptr host);

  /// Ends a task that was settled, and whose worker has dropped its message.
  void dropped(managed_task& task);

private:
  bool tries_again(managed_task& task, instant ended) {
    return options_.retry_on != nullptr && !is_asked_to_stop(task)
           && retries_error(task, ended);
  }

  bool retries_error(managed_task& task, instant ended);
  void let_held_answer_pass(managed_task& task, host_ptr host);
  bool await_answer(managed_task& task, host_ptr host);
  void never_answers(managed_task& task, host_ptr host);

  const managed_setup& options_;
  dispatcher& dispatcher_;
  pool_clock& clock_;
  answers& answers_;
  gathers& gathers_;
};

} // namespace libpool
