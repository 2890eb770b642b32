#pragma once

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
  /// to be added to itself.
  cycle,
  /// The actor to be added is not running, or each worker that may run the task
  /// has left before the task began.
  worker_down,
  /// The pool has ended, or accepts no more messages.
  pool_closed,
  /// A worker answered its part of a gathered message with an error, or dropped
  /// the request.
  worker_failed,
  /// The worker of the task crashed before it answered.
  worker_crashed,
  /// A worker did not answer in time.
  timeout,
  /// The pool has no room for another waiting task.
  queue_full,
  /// The deadline of the task has passed.
  deadline_exceeded,
  /// The task has crashed the maximum number of workers.
  poisoned,
  /// The task crashed again after the maximum number of retries.
  retries_exhausted,
  /// The client of the task has ended.
  client_gone,
  /// A managed pool cannot track the tasks of the actor, because the actor is a
  /// proxy of a remote actor or forwards its messages.
  untrackable_worker,
  /// The pool does not support CAF's streams.
  no_streams,
  /// The flow of the task has no room for another waiting task.
  flow_full,
  /// The task takes more seats than the pool has.
  too_wide,
  /// Enough other workers have answered the gathered message.
  not_needed,
  /// The pool has fewer workers than the required number of answers.
  too_few_workers,
  /// Too many of the workers that were asked have failed.
  too_few_answers,
  /// A stage of a pipeline could not handle the item.
  stage_failed,
  /// The source of a pipeline has failed or ended unexpectedly.
  source_failed,
  /// The node that had the task was lost; the task may have begun.
  node_lost,
  /// The content of the message cannot be serialized for another node.
  not_serializable,
  /// The received bytes of the message or of its answer cannot be deserialized.
  unreadable,
  /// The message manages a pool or an actor, but the handle accepts only work.
  not_work,
  /// The pool, or a server between the program and the pool, cannot be reached.
  not_connected,
  /// The program that served the pool was lost; the task may have begun.
  front_lost,
  /// The content of the message or of its answer exceeds the maximum message
  /// size of the servers between the programs.
  too_large,
};

/// Number of the last error code, plus one.
constexpr auto errc_count = static_cast<std::size_t>(errc::too_large) + 1;

/// Returns a short description of `code`, such as "the queue is full".
const char* to_string(errc code) noexcept;

/// Returns the name of the enumerator `code`, such as "queue_full"; "unknown"
/// for any other value.
const char* name_of(errc code) noexcept;

/// Returns the category of `errc`, named "libpool".
const std::error_category& error_category() noexcept;

/// Returns `code` as a `std::error_code`. The constructor of `std::error_code`
/// calls this function.
std::error_code make_error_code(errc code) noexcept;

} // namespace libpool

template <>
struct std::is_error_code_enum<libpool::errc> : std::true_type {};
