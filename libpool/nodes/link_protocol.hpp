#pragma once

#include "libpool/core/instant.hpp"
#include "libpool/core/worker_number.hpp"

#include <cstdint>
#include <variant>

namespace libpool {

// How a node becomes a worker of a pool and stays one. While it is one there is
// a *session*, whose number is never given again, and a connection whose
// messages arrive in their order or not at all. Both ends are state machines:
// `node_sessions` in the pool and `node_link` in the node.
//
//     message   from   to     when it arrives
//     hello     node   pool   ends older sessions of the same run of the node,
//                             and is answered by
//     welcome   pool   node   the session begins, unless the node has said
//                             hello again since
//     ready     node   pool   tasks may be sent from now on
//     beat      both          the pool sends it back as it came
//     bye       node   pool   the session ends: the node has nothing left
//
// Leases. A node begins tasks for three quarters of a lease from when it has
// sent the last beat that came back. The pool gives a node up when it has not
// heard of it for a whole lease, and only then has others run what the node may
// have begun. The pool hears of a beat after the node has sent it, so the
// quarter between is more than clocks differ in their speed. A connection that
// closes ends the session, but not the lease: the node may not have noticed.

/// One run of a node's program: drawn at random when it begins.
enum class incarnation : std::uint64_t {};

/// Numbers the connections of a pool.
enum class connection_number : std::uint64_t {};

/// Wants to serve.
struct hello {
  /// Run of the node's program that says hello.
  incarnation who{};
  /// Which of its hellos, from 1: one that comes late counts for nothing.
  std::uint64_t attempt = 1;
};

/// Serves in that session, under that lease.
struct welcome {
  /// Number of the hello that is answered.
  std::uint64_t attempt = 1;
  /// Session in which the node serves.
  worker_number session{};
  /// Lease of the session.
  duration lease{};
};

/// Has got the welcome.
struct ready {
  /// Session of the node.
  worker_number session{};
};

/// Lives. `sent` is by the clock of the node.
struct beat {
  /// Session of the node.
  worker_number session{};
  /// Time of sending, by the clock of the node.
  instant sent{};
};

/// Has nothing more of the session, and wants nothing.
struct bye {
  /// Session of the node.
  worker_number session{};
};

/// Message that a node sends about its connection.
using message_of_node = std::variant<hello, ready, beat, bye>;
/// Message that a pool sends about a connection.
using message_to_node = std::variant<welcome, beat>;

/// How often a node beats, and the pool looks for nodes that do not.
constexpr duration beat_interval(duration lease) noexcept {
  return lease / 4;
}

/// How long a node begins tasks after it has sent a beat.
constexpr duration beginning_time(duration lease) noexcept {
  return lease - beat_interval(lease);
}

} // namespace libpool
