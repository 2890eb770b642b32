#pragma once

#include <caf/exit_reason.hpp>

namespace test {

/// Whether CAF answers a request whose response promise is dropped.
constexpr bool dropped_promises_answer = false;

/// Whether CAF answers a request that its receiver had skipped when it ended.
/// Otherwise the request can run on another worker.
constexpr bool skipped_requests_bounce = true;

/// Whether a message that is kept is a copy, and not shared.
constexpr bool kept_messages_are_copies = true;

/// Whether managed pools take companions for workers.
constexpr bool companions_are_tracked = true;

/// Whether a crashed worker gives back what was in its mailbox before it tells
/// of the message that has crashed it.
constexpr bool mailboxes_close_first = true;

/// Whether a managed pool learns what becomes of a message that a functor of a
/// direct pool, its worker, has sent on or destroyed.
constexpr bool functors_tell_ends = false;

/// Why an actor has ended whose handler has thrown.
constexpr auto crash_reason = caf::exit_reason::unhandled_exception;

} // namespace test
