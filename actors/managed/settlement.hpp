#pragma once

#include "libpool/actors/caf/port/types.hpp"
#include "libpool/actors/managed/answers.hpp"
#include "libpool/actors/managed/batches.hpp"
#include "libpool/actors/managed/gathers.hpp"
#include "libpool/actors/managed/intake.hpp"
#include "libpool/actors/managed/managed_task.hpp"
#include "libpool/actors/managed/managed_worker.hpp"
#include "libpool/actors/managed/pool_clock.hpp"
#include "libpool/actors/managed/recycler.hpp"
#include "libpool/actors/managed/reply_interceptor.hpp"
#include "libpool/actors/managed/staff.hpp"
#include "libpool/actors/managed_setup.hpp"
#include "libpool/core/dispatcher.hpp"
#include "libpool/core/ending.hpp"
#include "libpool/core/instant.hpp"
#include "libpool/core/joint_run.hpp"

#include <caf/error.hpp>

#include <cstddef>
#include <deque>
#include <functional>
#include <vector>

namespace libpool {

/// Ends of tasks of a managed pool. When a handler has ended, its task is tried
/// again, or its answer passes, which may come after the handler has returned.
/// When a task has ended, clients, outer pools and functions of the user are
/// told, and the task is recycled. If many tasks end in one round without a
/// worker, most of these ends are told in later rounds.
///
/// Threads: the pool's.
class settlement {
public:
  using host_ptr = execution_context*;

  settlement(const managed_setup& options, dispatcher& dispatcher,
             pool_clock& clock, recycler& recycler, intake& intake,
             answers& answers, gathers& gathers, staff& staff,
             const batches& batches) noexcept
    : options_(options),
      dispatcher_(dispatcher),
      clock_(clock),
      recycler_(recycler),
      intake_(intake),
      answers_(answers),
      gathers_(gathers),
      staff_(staff),
      batches_(batches),
      is_told_(answers.tells_settled()) {
    // nop
  }

  // -- handlers ---------------------------------------------------------------

  /// Whether a function of the user is told of the ends of tasks. Constant.
  bool is_told() const noexcept {
    return is_told_;
  }

  /// Notes the worker that is about to get the task, for reports about the end
  /// of the task.
  /// @pre is_told()
  static void note_worker(managed_task& task, const managed_worker& worker);

  /// Reports that the handler of the task has ended, and its answer has come.
  void finished(managed_task& task, ending ending, instant ended,
                host_ptr host) {
    if (task.extras().awaits_answer)
      task.own_extras().awaits_answer = false;
    auto& worker = worker_of(task);
    auto is_open =
      ending == ending::completed && task.extras().interceptor != nullptr
      && (task.is != task::condition::overdue || has_joiners(task));
    if (!is_open || !tries_again(task, ended)) {
      if (is_open)
        let_answer_pass(task, host);
      if (const auto& sent = task.extras().from_outer;
          sent != nullptr && task.started < ended)
        sent->took = ended - task.started;
      dispatcher_.finished(task, ending, ended);
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
  bool awaits_answer(managed_task& task, ending ending, host_ptr host) {
    return ending == ending::completed
           && options_.busy_until == busy_until::answer
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

  // -- tasks ------------------------------------------------------------------

  /// Begins a round, in which further ends can be told.
  void round_begins() noexcept {
    told_ = 0;
  }

  /// Tells the end of a task whose handler may still run.
  void settle(managed_task& task, const decision& decision, host_ptr host) {
    if (decision.how != outcome::completed || is_told_)
      tell_end(task, decision, host); // else the handler has answered
  }

  /// Tells the end of a task, and recycles the task; in a later round if this
  /// round has told many ends.
  void end(managed_task& task, const decision& decision, host_ptr host);

  /// Recycles a task that was settled.
  void release(managed_task& task);

  /// Whether ends are left for later rounds.
  bool has_more() const noexcept {
    return !put_off_.empty();
  }

  /// Tells ends that were left for later rounds, at most `most`.
  void tell_more(std::size_t most, host_ptr host);

  /// Tells all ends that were left for later rounds.
  void tell_all(host_ptr host) {
    tell_more(put_off_.size(), host);
  }

  /// Calls `f` when the ends of the tasks that have ended until now are told.
  void when_told(std::function<void(host_ptr)> f) {
    callers_.push_back(std::move(f));
  }

  /// Calls the functions that wait until ends are told, if all are.
  void round_ends(host_ptr host) {
    if (!callers_.empty() && put_off_.empty())
      tell_callers(host);
  }

private:
  bool tries_again(managed_task& task, instant ended) {
    return options_.retry_on != nullptr && !is_asked_to_stop(task)
           && retries_error(task, ended);
  }

  bool retries_error(managed_task& task, instant ended);
  void let_held_answer_pass(managed_task& task, host_ptr host);
  void share_answer(managed_task& task, host_ptr host);
  void tell_result(managed_task& task, worker_answer result, host_ptr host);
  void ran_with(managed_task& task, const managed_task& leader,
                const decision& decision, host_ptr host);
  bool await_answer(managed_task& task, host_ptr host);
  void never_answers(managed_task& task, host_ptr host);
  void tell_end(managed_task& task, const decision& decision, host_ptr host);
  void fail(managed_task& task, const decision& decision, const caf::error& why,
            host_ptr host);
  void tell_callers(host_ptr host);

  const managed_setup& options_;
  dispatcher& dispatcher_;
  pool_clock& clock_;
  recycler& recycler_;
  intake& intake_;
  answers& answers_;
  gathers& gathers_;
  staff& staff_;
  const batches& batches_;
  const bool is_told_; // a function of the user
  std::vector<std::function<void(host_ptr)>> callers_;
  std::deque<decision> put_off_; // ends to be told in later rounds
  std::size_t told_ = 0;         // ends without a worker, in this round
};

} // namespace libpool
