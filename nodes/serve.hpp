#pragma once

#include "libpool/core/instant.hpp"
#include "libpool/export.hpp"
#include "libpool/nodes/durable_options.hpp"
#include "libpool/nodes/pool_address.hpp"

#include <caf/fwd.hpp>

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

namespace libpool {

/// Options of a pool that is served to other programs.
struct serve_options {
  /// Maximum number of messages of one client that are in the pool at the same
  /// time; at least 1. Further messages wait at the client.
  std::size_t messages_of_client = 1024;
  /// Maximum bytes of answers in flight to one client, the same value as
  /// `connect_options::credit`; at least 1 KiB.
  std::size_t credit = std::size_t{1} << 20U;
  /// Time without a sign of life after which another program can serve the name
  /// of the pool, from 1 s to 1 h; unset: only one program may serve it. While
  /// another program serves the name, this program waits (*standby*). All
  /// programs that serve the name must set this option. The servers must have
  /// JetStream. The first program decides about the time for all pools of the
  /// servers.
  std::optional<duration> standby = std::nullopt;
  /// Whether the pool also handles the messages of a *durable queue*, which the
  /// servers keep until they are settled, also while no program serves the
  /// pool; unset: no. Clients use it with `connect_options::durable`. The
  /// servers must have JetStream.
  std::optional<durable_options> durable = std::nullopt;
  /// Called when the program begins to serve the pool, in any thread. Must not
  /// throw.
  std::function<void()> on_serving = nullptr;
  /// Called with the reason why a program with `standby` does not serve the
  /// pool yet, or why a durable queue cannot be used, each time that the reason
  /// changes, in any thread. Must not throw.
  std::function<void(const std::string& why)> on_waiting = nullptr;
};

/// Throws std::invalid_argument naming an option that is out of bounds.
LIBPOOL_EXPORT void check(const serve_options& options);

/// Serves a pool to other programs through NATS servers, until the pool ends:
/// clients submit to the pool, and nodes join it if it is distributed. They
/// find the pool by its name in `where`. Only one program at a time may serve a
/// pool of that name.
///
/// With `standby`, further programs wait until the program that serves the pool
/// ends or cannot be reached, and then one of them serves its own pool under
/// the name. Messages are not handed over: a client gets `errc::front_lost` for
/// each open message, or sends the message again if it uses `retry`. A program
/// that finds that another program has taken over ends its pool with
/// `errc::front_lost`. When a pool with `standby` ends, its nodes stay, and
/// join the pool that is served next.
///
/// Returns at once. If no server can be reached, the program tries again until
/// a server can be reached. A served pool stays alive without handles, until it
/// is drained or gets an exit message.
///
/// Each client is one sender of messages to the pool, so `flow_by` and fair
/// queuing distinguish clients of other programs.
///
/// Threads: messages are handled in threads of the NATS library, so no node is
///          lost while handlers keep all threads of the scheduler busy.
/// Errors:  std::invalid_argument as `check`, and if `pool` is empty;
///          std::runtime_error if the certificate cannot be used.
LIBPOOL_EXPORT void serve(const caf::actor& pool, const pool_address& where,
                          const serve_options& options = {});

} // namespace libpool
