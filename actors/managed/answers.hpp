#pragma once

#include "libpool/actors/caf/port/errors.hpp"
#include "libpool/actors/caf/port/return_path.hpp"
#include "libpool/actors/caf/port/types.hpp"
#include "libpool/actors/managed/managed_task.hpp"
#include "libpool/actors/managed/owed_answers.hpp"
#include "libpool/actors/managed/recycler.hpp"
#include "libpool/actors/managed/reply_interceptor.hpp"
#include "libpool/actors/managed/slow_tasks.hpp"
#include "libpool/actors/managed_options.hpp"
#include "libpool/actors/pool_options.hpp"
#include "libpool/core/dispatcher.hpp"
#include "libpool/core/errc.hpp"
#include "libpool/core/error_answers.hpp"
#include "libpool/core/flow.hpp"
#include "libpool/core/instant.hpp"

#include <caf/actor_control_block.hpp>
#include <caf/error.hpp>
#include <caf/fwd.hpp>
#include <caf/mailbox_element.hpp>
#include <caf/message.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>

namespace libpool {

/// Answers of a managed pool: to messages for the pool itself, to clients whose
/// tasks were not completed, to outer pools, and to functions of the user.
///
/// Errors: exceptions from `on_refused` and `on_settled` are ignored.
class answers {
public:
  using host_ptr = execution_context*;

  /// `pool` is the sender of the answers. `owner` is told of answers that come
  /// after the ends of their handlers. `used` keeps the pool alive while the
  /// pool may have to answer a request whose task has ended.
  answers(caf::actor_control_block* pool, interceptor_owner& owner,
          recycler& used, const managed_options& options,
          const pool_options& refusals);

  // -- of messages ------------------------------------------------------------

  /// Sends `content` as an answer of the pool.
  void send(return_path path, caf::message content, host_ptr host) const;

  /// Answers the actor that asked for a change: with an empty message, or with
  /// an error. Does nothing if the actor did not send a request.
  void confirm(caf::mailbox_element& element, const caf::error& result,
               host_ptr host) const;

  /// Answers a request with an error. Passes any other message to `on_refused`.
  void refuse(caf::mailbox_element& element, caf::error why,
              host_ptr host) const;

  // -- of tasks ---------------------------------------------------------------

  /// Makes the answer to the task's message pass an interceptor on its way to
  /// the client. If the answer is shared, the worker gets a request, whatever
  /// the client has sent.
  void intercept(managed_task& task, return_path client,
                 reply_interceptor::hold held_answers) const;

  /// What was done with a message that an outer pool had sent.
  enum class outer_message : std::uint8_t { settled, given_back, taken_back };

  /// Tells the outer pool that sent the message of the task that the task was
  /// not completed. Gives the message back if another worker of the outer pool
  /// may handle it. Returns `settled` if the client must be answered, which is
  /// not the case for messages that were given back or that the outer pool had
  /// taken back.
  static outer_message tell_outer(managed_task& task, const decision& decision,
                                  const caf::error& why);

  /// Tells the client that the task was not completed. Passes a refused message
  /// that is not a request to `on_refused`.
  void tell_client(managed_task& task, const decision& decision,
                   const caf::error& why, host_ptr host) const;

  /// Answers the client of a task that shares a run, unless the client was
  /// answered, did not send a request, or has an outer pool that has taken the
  /// message back.
  static void tell_result(managed_task& task, worker_answer result,
                          host_ptr host);

  /// Counts a task that was completed, and whose request was answered with an
  /// error. `kind`: name of the kind of the message; nullptr or empty: unknown.
  void note_error(const error_kind& error, const flow_key& flow,
                  const std::string* kind);

  // -- of handlers ------------------------------------------------------------

  /// Notes the answer of a handler that has returned. If it has not answered
  /// the request yet, the pool answers at the deadline. `flow`, `kind`: as for
  /// `note_error`. Returns whether the answer is an error.
  bool handler_returned(const std::shared_ptr<reply_interceptor>& request,
                        instant deadline, const flow_key& flow,
                        const std::string* kind);

  /// Has the owner told when the request is answered, or never will be. Returns
  /// false, and does nothing, if that is so already.
  bool await(reply_interceptor& request) const;

  /// Notes an answer that has come after the end of its handler.
  void came_late(reply_interceptor& request);

  /// Answers the requests whose handlers have returned without an answer, and
  /// whose deadlines have passed at `now`.
  void answer_due(instant now, host_ptr host);

  /// Returns the time at which `answer_due` must be called; `never`: not.
  instant next_tick() const noexcept {
    return owed_.next_tick();
  }

  /// Leaves all requests whose handlers have returned to the workers.
  void forget_owed() noexcept;

  /// Completed tasks whose requests were answered with an error, by the worker,
  /// or by the pool at the deadline.
  const error_answers& errors() const noexcept {
    return errors_;
  }

  /// Whether `on_refused` is set.
  bool tells_refused() const noexcept {
    return on_refused_ != nullptr;
  }

  /// Whether a function of the user is told of the ends of tasks, or of slow
  /// tasks.
  bool tells_settled() const noexcept {
    return on_settled_ != nullptr || slow_.are_told();
  }

  /// Notes the outcome of the message that the task stands for, for
  /// `report_settled`. `note`: description of the message.
  /// @pre tells_settled()
  void note_settled(const managed_task& task, const message_note& note,
                    const decision& decision, const caf::error& why,
                    instant when);

  /// Calls `on_settled` for each noted outcome, in the order in which the
  /// outcomes were noted. For a slow task, also calls `on_slow` and writes to
  /// CAF's log.
  void report_settled();

  /// Whether `report_settled` has outcomes to report.
  bool has_noted() const noexcept {
    return noted_ > 0 && !is_telling_;
  }

private:
  caf::strong_actor_ptr
  actor_for(const std::shared_ptr<reply_interceptor>& interceptor) const;
  void tell_slow(const settled_task& task);
  void answer_error(managed_task& task, const caf::error& why,
                    host_ptr host) const;

  caf::actor_control_block* pool_;
  interceptor_owner& owner_;
  recycler& recycler_;
  owed_answers owed_;
  std::function<void(const settled_task&)> on_settled_;
  slow_tasks slow_;
  std::function<void(const slow_task&)> on_slow_;
  std::function<void(refusal&)> on_refused_;
  std::deque<settled_task> untold_; // reused; the first ones are in use
  std::size_t noted_ = 0;
  bool is_telling_ = false;
  error_answers errors_;
};

/// State of a pool at the time when one of its tasks is not completed.
struct pool_condition {
  bool has_ended = false;
  /// Why the factory could not make a worker lately; empty if it could.
  const std::string& factory_problem;
  /// Whether the workers are pools elsewhere.
  bool is_client = false;
};

/// Returns the error with which the client of a task is answered that was not
/// completed.
caf::error error_of(const managed_task& task, const decision& decision,
                    const pool_condition& pool);

/// Returns the error for the client of a task that was refused because the pool
/// or its flow is full, with the time after which another try makes sense, if
/// that time is known. `seats`: seats of the workers.
caf::error refusal_of(const managed_task& task, errc why,
                      const dispatcher& dispatcher, std::size_t seats);

} // namespace libpool
