#pragma once

#include <caf/sec.hpp>

namespace test {

/// Whether CAF answers a request whose response promise is dropped.
constexpr bool dropped_promises_answer = true;

/// Whether CAF answers a request that its receiver had skipped when it ended.
/// Otherwise the request can run on another worker.
constexpr bool skipped_requests_bounce = false;

/// Whether a message that is kept is a copy, and not shared.
constexpr bool kept_messages_are_copies = false;

/// Whether managed pools take companions for workers.
constexpr bool companions_are_tracked = false;

/// Whether a crashed worker gives back what was in its mailbox before it tells
/// of the message that has crashed it.
constexpr bool mailboxes_close_first = false;

/// Whether a managed pool learns what becomes of a message that a functor of a
/// direct pool, its worker, has sent on or destroyed.
constexpr bool functors_tell_ends = true;

/// Why an actor has ended whose handler has thrown.
constexpr auto crash_reason = caf::sec::runtime_error;

} // namespace test
