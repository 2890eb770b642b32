#pragma once

#include "libpool/actors/content_function.hpp"
#include "libpool/actors/managed_options.hpp"
#include "libpool/core/instant.hpp"
#include "libpool/export.hpp"
#include "libpool/nodes/pool_address.hpp"

#include <caf/actor.hpp>
#include <caf/fwd.hpp>

#include <chrono>
#include <cstddef>
#include <string>

namespace libpool {

/// Options of a client that submits to a pool of another program.
struct connect_options {
  /// Name of the client at the servers and the pool; empty: the name of the
  /// host. The servers must permit the user of the client's certificate to use
  /// this name.
  std::string name = {};
  /// Time without a sign of life after which the program that serves the pool
  /// is given up; from 1 ms to 24 h.
  duration lease{std::chrono::seconds{5}};
  /// Time without a program that serves the pool after which messages fail with
  /// `errc::not_connected`. Until then, messages wait.
  duration patience{std::chrono::seconds{10}};
  /// Maximum number of messages of this client at the pool at the same time; at
  /// least 1. Further messages wait in this program.
  std::size_t most_in_flight = 1024;
  /// Maximum bytes of contents in flight to the pool; at least 1 KiB.
  std::size_t credit = std::size_t{1} << 20U;
  /// Whether the messages go to the durable queue of the pool, see
  /// `serve_options::durable`. The servers keep a message until its result is
  /// stored, so a request can take as long as no program serves the pool;
  /// `queue.deadline` ends it earlier. `lease` and `credit` are ignored.
  bool durable = false;
  /// Returns the id of a message to the durable queue, at most 200 bytes;
  /// nullptr: each message is a new one. A message with the id of an earlier
  /// message of this client does not run again, and gets the result of the
  /// earlier message, for the time `durable_options::keep_results`. So a client
  /// that was lost can send its messages again.
  content_function<std::string> id_of = nullptr;
  /// Options of the queue in this program. `when_empty` and `busy_until` are
  /// ignored. With `on_crash = retry{n}`, messages are sent again when the
  /// serving program is lost. Their handlers must be idempotent.
  managed_options queue = {};
};

/// Throws std::invalid_argument naming an option that is out of bounds.
LIBPOOL_EXPORT void check(const connect_options& options);

/// Returns an actor that stands for the pool at `where`: a managed pool of this
/// system whose worker is the other pool. Each request is answered once. The
/// other program and the servers may start later, and may end and come back.
///
/// The actor system waits for the end of the returned pool, as for that of any
/// actor. A pool without handles ends with its last open request, which can
/// take as long as the handler. An exit message ends the pool at once.
///
/// Bounds:  a request is answered with `errc::front_lost` at most a lease after
///          the program that served the pool was lost, unless `queue.on_crash`
///          allows the request to be sent again. A request is answered with
///          `errc::not_connected` after `patience` without a program that
///          serves the pool.
///          With `durable`, a message that the servers have not stored after
///          `patience` is answered with `errc::not_connected`.
/// Cost:    several messages to the pool, and several answers, travel in one
///          message batch.
/// Threads: messages are handled in threads of the NATS library and of their
///          senders.
/// Errors:  std::invalid_argument as `check`; std::runtime_error if the
///          certificate cannot be used.
LIBPOOL_EXPORT caf::actor connect(caf::actor_system& system,
                                  const pool_address& where,
                                  const connect_options& options = {});

} // namespace libpool
