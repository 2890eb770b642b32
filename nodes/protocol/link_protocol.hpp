#pragma once

#include "libpool/core/instant.hpp"
#include "libpool/core/worker_number.hpp"

#include <cstdint>
#include <variant>

namespace libpool {

// How a node becomes and stays a worker of a pool. A node that is a worker has
// a *session*, whose number is never used again. Both ends are state machines:
// `node_sessions` in the pool and `node_link` in the node.
//
//     message   from   to     effect
//     hello     node   pool   ends the older session of the same connection,
//                             and is answered by a welcome; repeated until then
//     welcome   pool   node   the session begins, unless another program has
//                             said the hello, or the node has said hello again
//                             since
//     ready     node   pool   tasks may be sent from now on
//     beat      both          the pool sends it back unchanged
//     bye       both          the session ends: the node has no tasks left, or
//                             the pool no longer uses the node
//     gone      pool   node   answer to a bye, and to a beat of a session that
//                             has ended: the node must say hello again, unless
//                             it leaves
//
// All of these messages can be lost, except `ready` and the bye of a node,
// which are part of the session's stream (message_stream.hpp). An interruption
// of the line does not end a session: after it, the stream continues where it
// stopped.
//
// Leases. A node begins tasks during three quarters of a lease, counted from
// the time at which it sent the last beat that came back. The pool gives a node
// up after a whole lease without a message from it, and only then lets other
// nodes run the tasks that the node may have begun. The pool receives a beat
// after the node has sent it, so the remaining quarter allows for clocks of
// different speeds. The pool ignores the beats of a node that has received no
// answer for two leases, since such a node begins no tasks. After the pool
// itself was suspended, it accepts all beats for one lease.

/// One run of a node's program: a random number drawn at its start.
enum class incarnation : std::uint64_t {};

/// Number of a connection of a pool.
enum class connection_number : std::uint64_t {};

/// The node wants to serve.
struct hello {
  /// Run of the node's program that says hello.
  incarnation who{};
  /// Number of the hello, from 1. An older hello that arrives later is ignored.
  std::uint64_t attempt = 1;
  /// Turn of a front that says hello to a client, if several fronts serve a
  /// pool in turn: higher for later ones; otherwise 0. The hello of a lower
  /// turn is ignored while a session of a higher one lasts.
  std::uint64_t turn = 0;
};

/// The node serves in this session, under this lease. Several programs can
/// hear the messages to one node, so the welcome says which of them it is for.
struct welcome {
  /// Run of the node's program whose hello is answered.
  incarnation who{};
  /// Number of the hello that is answered.
  std::uint64_t attempt = 1;
  /// Session in which the node serves.
  worker_number session{};
  /// Lease of the session.
  duration lease{};
};

/// The node has received the welcome.
struct ready {
  /// Session of the node.
  worker_number session{};
};

/// The node is alive. `sent` is a time of the node's clock.
struct beat {
  /// Session of the node.
  worker_number session{};
  /// Time of sending, by the clock of the node.
  instant sent{};
  /// Time from the sending of the last beat or hello that was answered to the
  /// sending of this beat.
  duration deaf{0};
};

/// The node has no tasks of the session left, and wants none; or the pool no
/// longer uses the node.
struct bye {
  /// Session of the node.
  worker_number session{};
};

/// The session has ended. The node must forget its tasks and their results.
struct gone {
  /// Session that has ended.
  worker_number session{};
};

/// Message that a node sends about its connection.
using message_of_node = std::variant<hello, ready, beat, bye>;
/// Message that a pool sends about a connection.
using message_to_node = std::variant<welcome, beat, bye, gone>;

/// Time between two beats of a node, and between two checks by the pool.
constexpr duration beat_interval(duration lease) noexcept {
  return lease / 4;
}

/// Time after the sending of a beat during which a node begins tasks.
constexpr duration beginning_time(duration lease) noexcept {
  return lease - beat_interval(lease);
}

} // namespace libpool
