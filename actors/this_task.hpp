#pragma once

#include "libpool/core/instant.hpp"
#include "libpool/export.hpp"

#include <caf/fwd.hpp>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

namespace libpool {

/// What a pool knows of a message while a worker handles it.
struct task_facts {
  /// Whether the handler is asked to stop. Other threads may set it.
  std::atomic<bool> stops{false};
  /// Number of the task, as in `settled_task::number`.
  std::uint64_t number = 0;
  /// Number of attempts at the message, this one included.
  unsigned attempt = 1;
  /// Deadline of the message; `never`: none.
  instant deadline = never;
  /// Name of the id of the message; empty if `managed_options::id_of` is not
  /// set.
  std::string id;
  /// Trace of the message; empty if `managed_options::trace_of` is not set.
  std::string trace;
};

/// The message that a worker of a managed pool handles, as its handler can see
/// it, see `this_task`. Empty if the message has come from elsewhere. Can be
/// copied, and kept after the handler has returned, for example until a promise
/// is kept.
///
/// Cost:    `stop_requested` reads one atomic variable.
/// Threads: any.
class running_task {
public:
  /// Makes an empty object.
  running_task() = default;

  /// Makes an object with the facts; nullptr: empty.
  explicit running_task(std::shared_ptr<const task_facts> facts) noexcept
    : facts_(std::move(facts)) {
    // nop
  }

  /// Whether the message has come from a managed pool.
  explicit operator bool() const noexcept {
    return facts_ != nullptr;
  }

  /// Whether the handler is asked to stop, because the message was cancelled,
  /// or its deadline or time limit has passed. What the handler does then is
  /// its own choice: it can return, answer with an error, or go on. Always
  /// false if the object is empty.
  bool stop_requested() const noexcept {
    return facts_ != nullptr && facts_->stops.load(std::memory_order_acquire);
  }

  /// Number of the task in the order of acceptance, as in
  /// `settled_task::number`; 0 if the object is empty.
  std::uint64_t number() const noexcept {
    return facts_ != nullptr ? facts_->number : 0;
  }

  /// Number of attempts at the message, this one included; 0 if the object is
  /// empty.
  unsigned attempt() const noexcept {
    return facts_ != nullptr ? facts_->attempt : 0;
  }

  /// Time at which the deadline of the message passes; `never` if it has none.
  instant deadline() const noexcept {
    return facts_ != nullptr ? facts_->deadline : never;
  }

  /// Name of the id of the message, which `managed_options::id_of` returns;
  /// empty if it has none.
  std::string id() const {
    return facts_ != nullptr ? facts_->id : std::string{};
  }

  /// Trace of the message, which `managed_options::trace_of` returns; empty if
  /// it has none.
  std::string trace() const {
    return facts_ != nullptr ? facts_->trace : std::string{};
  }

private:
  std::shared_ptr<const task_facts> facts_;
};

/// Returns the message that the worker `self` handles. The result is empty if
/// the message has not come from a managed pool, if another thread has answered
/// it, or if `self` is a blocking actor of CAF 1 whose handler has made a
/// promise or delegated the message.
///
/// Cost: a call to the pool, about a microsecond; may wait for a function of
///       the user that the pool calls in another thread.
/// @pre the caller is a handler of `self`
LIBPOOL_EXPORT running_task this_task(caf::local_actor* self);

} // namespace libpool
