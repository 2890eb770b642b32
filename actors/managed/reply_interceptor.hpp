#pragma once

#include "libpool/actors/caf/port/return_path.hpp"
#include "libpool/actors/caf/port/types.hpp"

#include <caf/actor_addr.hpp>
#include <caf/fwd.hpp>
#include <caf/mailbox_element.hpp>

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>

namespace libpool {

struct managed_task;
class reply_interceptor;

/// Whoever waits for intercepted answers.
class interceptor_owner {
public:
  /// An answer has come to the interceptor, or none ever will.
  virtual void answered(const std::shared_ptr<reply_interceptor>& interceptor,
                        execution_context* host) = 0;

protected:
  interceptor_owner() = default;
  interceptor_owner(const interceptor_owner&) = default;
  interceptor_owner& operator=(const interceptor_owner&) = default;
  ~interceptor_owner() = default;
};

/// Stands between the worker and the client of one request, so that the pool
/// can step in: a client that has had an error in time gets no answer later,
/// and one whose worker has crashed hears that from the pool.
///
/// An error is held back until the handler has ended: it may be what CAF says
/// of a crash.
///
/// Threads: any, but for `task`.
class reply_interceptor {
public:
  /// With `holds_all`, a result is held back as well until `let_pass`, since
  /// the task may run again.
  reply_interceptor(return_path client, bool holds_all);

  reply_interceptor(const reply_interceptor&) = delete;
  reply_interceptor& operator=(const reply_interceptor&) = delete;

  /// An answer has come. Only the first one passes.
  void arrived(caf::mailbox_element_ptr answer, execution_context* host);

  /// No answer will ever come: the client gets `errc::worker_failed`.
  void dropped(execution_context* host);

  /// Passes on the answer that was held back, and from now on every one.
  /// Returns whether that was an error.
  bool let_pass(execution_context* host);

  /// The worker has not handled the request: the message that has come is no
  /// answer.
  void forget_answer();

  /// From now on nothing passes. Returns the way to the client, unless that has
  /// its answer.
  std::optional<return_path> close();

  /// Whether the client has died before it was answered.
  bool client_is_gone() const;

  /// Whether an answer has come, or never will.
  bool is_done() const;

  /// That waits for it; the pool's own, and no one else's to look at.
  managed_task* task = nullptr;

private:
  enum class state : std::uint8_t { open, failed, succeeded };

  void pass(caf::mailbox_element_ptr answer, execution_context* host);

  mutable std::mutex mutex_;
  std::optional<return_path> client_; // until something was sent there
  caf::mailbox_element_ptr held_;
  const bool holds_all_;
  bool lets_pass_ = false;
  state is_ = state::open;
};

/// Makes the actor that the worker sees as the sender of the request. When an
/// answer has come to it, or nothing refers to it any more, `owner` is told, if
/// `told`, which is the same, is still there.
caf::strong_actor_ptr
make_interceptor_actor(caf::actor_system& system,
                       std::shared_ptr<reply_interceptor> interceptor,
                       caf::actor_addr told, interceptor_owner& owner);

} // namespace libpool
