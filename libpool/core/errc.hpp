#pragma once

#include <cstddef>
#include <cstdint>
#include <system_error>

namespace libpool {

/// The reason why a pool has refused or failed a task or a request.
///
/// Each refusal and each failure that a pool reports has one of these codes: as
/// a `std::error_code` here, as a `caf::error` of the category "libpool" in an
/// actor system (see libpool/actors/error.hpp).
enum class errc : std::uint8_t {
  /// The pool has no worker that could take the message.
  no_workers = 1,
  /// The policy, or a function that the user gave to the pool, threw.
  policy_failed,
  /// The message came back to a pool that contains itself; or the pool was to
  /// be added to itself.
  cycle,
  /// The actor to add is not running; or each worker that could have run the
  /// task has left before the task began.
  worker_down,
  /// The pool has ended, or takes no more messages.
  pool_closed,
  /// A worker answered its part of a gathered message with an error, or dropped
  /// the request.
  worker_failed,
  /// A worker crashed before it answered.
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
  /// A managed pool cannot track the tasks of the actor: it is a proxy of a
  /// remote actor, or hands messages on.
  untrackable_worker,
  /// The pool does not support CAF's streams.
  no_streams,
  /// The flow of the task has no room for another waiting task.
  flow_full,
  /// The task takes more seats than the pool has.
  too_wide,
  /// Enough other workers have answered.
  not_needed,
  /// The pool has fewer workers than the required number of answers.
  too_few_workers,
  /// Too many of the asked workers have failed.
  too_few_answers,
  /// A stage of a pipeline could not handle the item.
  stage_failed,
  /// The source of a pipeline has failed or ended unexpectedly.
  source_failed,
  /// The node that had the task was lost; the task may have begun.
  node_lost,
  /// The content of the message cannot be written as bytes for another node.
  not_serializable,
  /// The content of the message or of its answer cannot be read from the
  /// received bytes.
  unreadable,
  /// The message manages a pool or an actor, but came through a handle that
  /// takes only work.
  not_work,
  /// Each program that can reach the port could use the pool: files for TLS or
  /// the token are missing.
  insecure,
  /// The other node cannot be reached, or does not answer as expected; or a
  /// port cannot be opened.
  not_connected,
};

/// The number of the last code, plus one.
constexpr auto errc_count = static_cast<std::size_t>(errc::not_connected) + 1;

/// Returns the meaning of `code` in a few words.
const char* to_string(errc code) noexcept;

/// Returns the name of `code` as written above, such as "queue_full", for
/// queries and labels; "unknown" for any other value.
const char* name_of(errc code) noexcept;

/// Returns the category of `errc`, named "libpool".
const std::error_category& error_category() noexcept;

/// Returns `code` as a `std::error_code`. Found by the constructor of
/// `std::error_code`.
std::error_code make_error_code(errc code) noexcept;

} // namespace libpool

template <>
struct std::is_error_code_enum<libpool::errc> : std::true_type {};
