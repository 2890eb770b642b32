#pragma once

#include "libpool/actors/caf/client_requests.hpp"
#include "libpool/actors/caf/port/errors.hpp"
#include "libpool/actors/caf/port/return_path.hpp"
#include "libpool/actors/caf/port/types.hpp"
#include "libpool/core/instant.hpp"

#include <caf/actor_addr.hpp>
#include <caf/actor_control_block.hpp>
#include <caf/error.hpp>
#include <caf/fwd.hpp>
#include <caf/mailbox_element.hpp>
#include <caf/message.hpp>
#include <caf/message_id.hpp>

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>

namespace libpool {

struct managed_task;
class reply_interceptor;

/// Answer to a request, as it has come.
struct worker_answer {
  /// The actor that has answered; nullptr: the request was dropped.
  caf::strong_actor_ptr sender;
  caf::message content;
};

/// Receiver of reports about intercepted answers.
class interceptor_owner {
public:
  /// An answer that the owner has waited for has come to the interceptor, or
  /// none will come.
  virtual void answered(const std::shared_ptr<reply_interceptor>& interceptor,
                        execution_context* host) = 0;

protected:
  interceptor_owner() = default;
  interceptor_owner(const interceptor_owner&) = default;
  interceptor_owner& operator=(const interceptor_owner&) = default;
  ~interceptor_owner() = default;
};

/// Stands between the worker and the client of one request, so that the pool
/// can answer instead. A client that was answered with an error after a
/// deadline gets no later answer, and a client whose worker has crashed gets
/// the pool's error.
///
/// An error is held back until the handler has ended, since it can be CAF's
/// error for a crash.
///
/// Threads: any, except for `task` and `due`.
class reply_interceptor
  : public std::enable_shared_from_this<reply_interceptor> {
public:
  /// State of the answer. `failed`: an error has come, or no answer will come.
  enum class state : std::uint8_t { open, failed, succeeded };

  /// Answers that are held back. `errors`: errors, until `let_pass`. `all`:
  /// also results, since the task may be retried. `shared`: all, until
  /// `take_answer`, since further clients wait for the answer; the client may
  /// be answered before.
  enum class hold : std::uint8_t { errors, all, shared };

  reply_interceptor(return_path client, hold held_answers);

  reply_interceptor(const reply_interceptor&) = delete;
  reply_interceptor& operator=(const reply_interceptor&) = delete;

  /// Handles an answer. Only the first answer is passed on.
  void arrived(caf::mailbox_element_ptr answer, execution_context* host);

  /// Notes that no answer will come. The client gets `errc::worker_failed`.
  void dropped(execution_context* host);

  /// Passes on the answer that was held back, and stops holding back answers.
  void let_pass(execution_context* host);

  /// If no answer has come, has `owner` told when one comes or none can come,
  /// provided that `told`, the actor of the owner, still exists. Returns
  /// whether no answer has come.
  bool await(caf::actor_addr told, interceptor_owner& owner);

  /// Removes and returns the answer that is held back; an error if none has
  /// come: a blocking worker has ended after it had promised to answer.
  /// @pre answers are shared
  worker_answer take_answer();

  /// Discards the answer: the worker has not handled the request, so the
  /// message that came is not an answer.
  void forget_answer();

  /// Stops all answers to the client. Returns the return path of the client,
  /// unless the client was answered.
  std::optional<return_path> close();

  /// Whether the client ended before it was answered.
  bool client_is_gone() const;

  /// Returns the client; nullptr if the client was answered.
  caf::strong_actor_ptr client() const;

  /// Whether the request is one of these, and was not answered.
  bool is_one_of(const client_requests& all) const;

  /// Returns the error that is held back; empty if no error is.
  caf::error held_error() const;

  /// Replaces the error that is held back, if one is.
  void replace_error(caf::error error);

  /// Returns the kind of the error that has come, also if no answer will come;
  /// unset if no error has come.
  std::optional<error_kind> failure() const;

  /// Returns the state of the answer.
  state is() const;

  /// The task that waits for the answer. Used only in the pool's turn.
  managed_task* task = nullptr;
  /// Deadline of a request whose handler has returned without an answer. Used
  /// only in the pool's turn.
  instant due = never;

private:
  void pass(caf::mailbox_element_ptr answer, execution_context* host);

  mutable std::mutex mutex_;
  std::optional<return_path> client_; // until the answer was sent
  caf::mailbox_element_ptr held_;
  const hold holds_;
  caf::actor_addr told_; // actor of the owner that waits for the answer
  interceptor_owner* owner_ = nullptr;
  bool lets_pass_ = false;
  state is_ = state::open;
  error_kind failure_; // if the state is `failed`
};

/// Returns the interceptor behind `sender`, an actor that
/// `make_interceptor_actor` has made.
const std::shared_ptr<reply_interceptor>&
interceptor_behind(const caf::strong_actor_ptr& sender) noexcept;

/// Returns the id of a request in place of `id`, with the same priority; `id`
/// if that is the id of a request. An interceptor handles an answer with any
/// id.
caf::message_id as_request(caf::message_id id) noexcept;

/// Makes the actor that the worker sees as the sender of the request.
caf::strong_actor_ptr
make_interceptor_actor(caf::actor_system& system,
                       std::shared_ptr<reply_interceptor> interceptor);

} // namespace libpool
