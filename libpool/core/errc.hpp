#pragma once

#include <cstddef>
#include <cstdint>
#include <system_error>

namespace libpool {

/// Why a pool has refused or failed a task or a request.
///
/// Every refusal and every failure that a pool reports carries one of these
/// codes: as a `std::error_code` here, as a `caf::error` of the category
/// "libpool" in an actor system (see libpool/actors/error.hpp).
enum class errc : std::uint8_t {
  /// The pool has no worker that could take the message.
  no_workers = 1,
  /// The policy threw while it dispatched the message.
  policy_failed,
  /// The message came back to a pool that contains itself.
  cycle,
  /// The actor to add is not running; or the worker that was to run the task
  /// has left before it began.
  worker_down,
  /// The pool has ended.
  pool_closed,
  /// A worker answered its part of a split task with an error.
  worker_failed,
  /// A worker died before it answered.
  worker_crashed,
  /// A worker did not answer in time.
  timeout,
  /// The pool has no room for another waiting task.
  queue_full,
  /// The deadline of the task has passed.
  deadline_exceeded,
  /// The task has crashed as many workers as it may.
  poisoned,
  /// The task was run again after a crash, as often as it may, and crashed.
  retries_exhausted,
  /// The client of the task is gone.
  client_gone,
  /// The actor cannot tell when it has ended a task, so a managed pool has no
  /// use for it: a proxy of a remote actor, or one that hands messages on.
  untrackable_worker,
  /// The pool does not take part in CAF's streams.
  no_streams,
  /// The flow of the task has no room for another waiting task.
  flow_full,
  /// The task takes more seats than the pool has.
  too_wide,
  /// Enough others have answered.
  not_needed,
  /// There are fewer workers than have to answer.
  too_few_workers,
  /// More of the asked workers have failed than may fail.
  too_few_answers,
  /// A stage of a pipeline could not do with the item.
  stage_failed,
  /// The source of a pipeline has failed or died.
  source_failed,
  /// The node that had the task was lost with it; the task may have begun.
  node_lost,
  /// The content of the message cannot be written as bytes, for another node.
  not_serializable,
  /// The content of the message cannot be read from the bytes that came.
  unreadable,
  /// The message manages a pool, and came through a handle that is for work.
  not_work,
  /// The pool would be open to everybody who can reach the port.
  insecure,
  /// The other node does not answer, or not with what was asked for.
  not_connected,
};

/// One more than the number of the last code.
constexpr auto errc_count = static_cast<std::size_t>(errc::not_connected) + 1;

/// The meaning of `code` in a few words.
const char* to_string(errc code) noexcept;

/// The name of `code` as it is written here, for queries and labels:
/// "queue_full" and so on; "unknown" if it is none of these.
const char* name_of(errc code) noexcept;

/// The category of `errc`, named "libpool".
const std::error_category& error_category() noexcept;

/// Found by the constructor of `std::error_code`.
std::error_code make_error_code(errc code) noexcept;

} // namespace libpool

template <>
struct std::is_error_code_enum<libpool::errc> : std::true_type {};
