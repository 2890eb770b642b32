#pragma once

#include "libpool/actors/caf/port/return_path.hpp"
#include "libpool/actors/caf/port/types.hpp"
#include "libpool/actors/managed/managed_task.hpp"
#include "libpool/actors/managed/reply_interceptor.hpp"
#include "libpool/actors/managed/slow_tasks.hpp"
#include "libpool/actors/managed_options.hpp"
#include "libpool/actors/pool_options.hpp"
#include "libpool/core/dispatcher.hpp"
#include "libpool/core/errc.hpp"
#include "libpool/core/instant.hpp"

#include <caf/actor_control_block.hpp>
#include <caf/error.hpp>
#include <caf/fwd.hpp>
#include <caf/mailbox_element.hpp>
#include <caf/message.hpp>

#include <cstdint>
#include <functional>
#include <string>

namespace libpool {

/// How a managed pool answers: messages for itself, clients whose tasks were
/// not completed, outer pools, and users that want to be told.
///
/// Errors: exceptions from `on_refused` and `on_settled` are ignored.
class answers {
public:
  using host_ptr = execution_context*;

  /// `pool` answers, and is told of replies that are intercepted.
  answers(caf::actor_control_block* pool, interceptor_owner& owner,
          const managed_options& options, const pool_options& refusals);

  // -- of messages ------------------------------------------------------------

  /// Sends `content`, as an answer of the pool.
  void send(return_path to, caf::message content, host_ptr host) const;

  /// Answers the actor that asked for a change, if it waits for that: with
  /// nothing, or with an error.
  void confirm(caf::mailbox_element& element, const caf::error& result,
               host_ptr host) const;

  /// Answers with an error, or tells `on_refused` if no client waits for that.
  void refuse(caf::mailbox_element& element, caf::error why,
              host_ptr host) const;

  // -- of tasks ---------------------------------------------------------------

  /// Has the answer of the task's request pass an interceptor on its way to the
  /// client: a result as well if the interceptor `holds_all`.
  void intercept(managed_task& task, return_path client, bool holds_all) const;

  /// Tells the fate of a message that an outer pool had sent.
  enum class outer_message : std::uint8_t { settled, given_back, taken_back };

  /// Tells the outer pool that has sent the message of the task, if there is
  /// one, that the task was not completed. A message that another worker of
  /// that pool may handle is given back; its client is not answered, nor is the
  /// client of a message which the outer pool has taken back.
  static outer_message tell_outer(managed_task& task, const decision& by,
                                  const caf::error& why);

  /// Tells the client that the task was not completed, or `on_refused` if it
  /// was refused and no client waits for an answer.
  void tell_client(managed_task& task, const decision& by,
                   const caf::error& why, host_ptr host) const;

  /// A handler has answered with an error, and so completed its task.
  void note_error() noexcept {
    ++errors_;
  }

  /// How many handlers have answered with an error.
  std::uint64_t errors() const noexcept {
    return errors_;
  }

  /// Whether somebody wants to see asynchronous messages that are refused.
  bool tells_refused() const noexcept {
    return on_refused_ != nullptr;
  }

  /// Whether somebody wants to know how tasks end.
  bool tells_settled() const noexcept {
    return on_settled_ != nullptr || slow_.are_told();
  }

  /// Tells `on_settled`, and `on_slow` and CAF's log if it was slow.
  void tell_settled(const managed_task& task, const decision& by,
                    const caf::error& why, instant when);

private:
  void tell_slow(const settled_task& task);
  void answer_error(managed_task& task, const caf::error& why,
                    host_ptr host) const;

  caf::actor_control_block* pool_;
  interceptor_owner& owner_;
  std::function<void(const settled_task&)> on_settled_;
  slow_tasks slow_;
  std::function<void(const slow_task&)> on_slow_;
  std::function<void(refusal&)> on_refused_;
  std::uint64_t errors_ = 0;
};

/// The state of a pool when a task of it is not completed.
struct pool_condition {
  bool has_ended = false;
  /// Why no worker could be made lately; empty if that is not so.
  const std::string& factory_problem;
};

/// Why the task was not completed, as its client is told.
caf::error error_of(const managed_task& task, const decision& by,
                    const pool_condition& pool);

} // namespace libpool
