#pragma once

#include "libpool/export.hpp"

#include <cstddef>
#include <cstdint>
#include <system_error>

namespace libpool {

/// Reason why a task, a request or another operation was refused, failed or was
/// cancelled.
///
/// In core, a reason is an `errc` or a `std::error_code`. In an actor system, a
/// reason is a `caf::error` of the category "libpool" (see
/// libpool/actors/error.hpp).
enum class errc : std::uint8_t {
  /// The pool has no worker that can take the message.
  no_workers = 1,
  /// The policy, or a function of the user, threw an exception.
  policy_failed,
  /// The pool contains itself: a message came back to the pool, or the pool was
  /// to be added to itself. Also: each worker that could run the task waits for
  /// the answer to a request that it has sent to its own pool.
  cycle,
  /// The actor to be added is not running, or each worker that may run the task
  /// has left before the task began.
  worker_down,
  /// The pool has ended, or accepts no more messages.
  pool_closed,
  /// A worker handled a message together with other workers, and answered its
  /// part with an error, or dropped the request.
  worker_failed,
  /// The worker of the task crashed before it answered.
  worker_crashed,
  /// A worker did not answer in time.
  timeout,
  /// The pool has the maximum number of waiting tasks already.
  queue_full,
  /// The deadline of the task has passed.
  deadline_exceeded,
  /// The task has crashed the maximum number of workers.
  poisoned,
  /// The task crashed again after the maximum number of retries.
  retries_exhausted,
  /// The client of the task, which would get the answer, has ended.
  client_gone,
  /// A managed pool cannot track the tasks of the actor, because the actor is a
  /// proxy of a remote actor or forwards its messages.
  untrackable_worker,
  /// The pool does not support CAF's streams.
  no_streams,
  /// The flow of the task, such as its tenant, has the maximum number of
  /// waiting tasks already.
  flow_full,
  /// The task needs more seats (places for tasks) than all workers of the pool
  /// have.
  too_wide,
  /// The task is not needed any more: enough other workers have answered the
  /// same message.
  not_needed,
  /// The pool has fewer workers than the number of workers that must answer the
  /// message.
  too_few_workers,
  /// Too many of the workers that were asked to handle the message have failed.
  too_few_answers,
  /// A stage of a pipeline could not handle the item.
  stage_failed,
  /// The source of a pipeline, which supplies its items, has failed or ended
  /// unexpectedly.
  source_failed,
  /// The node, a program with workers of the pool, was lost while it had the
  /// task. The task may have begun.
  node_lost,
  /// The content of the message cannot be serialized for another node.
  not_serializable,
  /// The received bytes of the message or of its answer cannot be deserialized.
  unreadable,
  /// The message would manage a pool or an actor, such as end it, but the
  /// handle accepts only messages for workers.
  not_work,
  /// The pool, or a server between the program and the pool, cannot be reached.
  not_connected,
  /// The program that has the pool, and serves it to other programs, was lost.
  /// The task may have begun.
  front_lost,
  /// The content of the message or of its answer exceeds the maximum message
  /// size of the servers between the programs.
  too_large,
  /// The task was cancelled by a user or by its client.
  cancelled,
  /// The handler of the task has run for the time limit.
  time_limit,
  /// The task was not begun, because its handler would probably end after the
  /// deadline.
  hopeless,
  /// The message has more parts, each a task of its own, than the pool can hold
  /// at a time, however few tasks wait.
  too_many_parts,
  /// The pool, or the flow of the task, is overloaded, and the task has waited
  /// for too long.
  overloaded,
};

/// Size of an array that is indexed by error codes: the number of the last
/// code, plus one.
constexpr auto errc_count = static_cast<std::size_t>(errc::overloaded) + 1;

/// Returns a short description of `code`, such as "the queue is full".
LIBPOOL_EXPORT const char* to_string(errc code) noexcept;

/// Returns the name of the enumerator `code`, such as "queue_full"; "unknown"
/// for any other value.
LIBPOOL_EXPORT const char* name_of(errc code) noexcept;

/// Returns the error category of `errc`, whose name is "libpool".
LIBPOOL_EXPORT const std::error_category& error_category() noexcept;

/// Returns `code` as a `std::error_code`. The constructor of `std::error_code`
/// calls this function.
LIBPOOL_EXPORT std::error_code make_error_code(errc code) noexcept;

} // namespace libpool

template <>
struct std::is_error_code_enum<libpool::errc> : std::true_type {};
