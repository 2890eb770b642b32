#pragma once

#include "libpool/actors/submissions.hpp"
#include "libpool/remote/gate_options.hpp"

#include <caf/actor.hpp>
#include <caf/expected.hpp>
#include <caf/fwd.hpp>

#include <cstdint>

namespace libpool {

/// Makes a pool available at a port, to programs of this machine or of others.
/// A gate is open until it is closed or this object ends. There are two kinds
/// of gates, each with a port of its own.
///
/// A gate for submitters passes only work to the pool, see
/// `actor_pool::submit_only`: a connected program cannot end the pool, and
/// cannot see its workers. A gate for agents passes only the messages of nodes,
/// see `join_pool`, and only of nodes that have the pool's token.
///
/// Only programs with a certificate that the CA has signed can connect. These
/// programs are trusted not to attack CAF itself, which reads all that they
/// send: an attack can end the process. For gates without TLS, see
/// `gate_options::insecure_loopback`.
///
/// Threads: one at a time.
class gate {
public:
  /// Opens a gate for submitters to a pool or pipeline of this actor system.
  /// Blocks until the gate is open, at most 10 s.
  ///
  /// Errors: `errc::insecure` names what is missing for TLS on both sides, or
  ///         says that `insecure_loopback` is not allowed for that address;
  ///         `errc::not_connected` if `load_network` was not called, or if the
  ///         gate cannot listen at the port. std::invalid_argument if `pool` is
  ///         not a pool or pipeline of this node.
  static caf::expected<gate> for_submitters(caf::actor_system& system,
                                            const caf::actor& pool,
                                            gate_options options = {});

  /// Opens a gate for nodes to a distributed pool of this actor system. Blocks
  /// until the gate is open, at most 10 s.
  ///
  /// Errors: those of `for_submitters`, and `errc::insecure` if the pool
  ///         requires no token. std::invalid_argument if `pool` is not a
  ///         distributed pool.
  static caf::expected<gate> for_agents(caf::actor_system& system,
                                        const caf::actor& pool,
                                        gate_options options = {});

  /// Moves the gate; `other` then publishes nothing.
  gate(gate&& other) noexcept;
  gate(const gate&) = delete;
  gate& operator=(const gate&) = delete;
  ~gate();

  /// Returns the port at which the gate listens.
  std::uint16_t port() const noexcept {
    return port_;
  }

  /// Returns the numbers of messages that passed the gate and that were
  /// rejected. A gate for agents counts the message batches from all nodes of
  /// its pool, including batches that did not come through this gate.
  submissions counts() const;

  /// Closes the gate. Open requests of submitters are answered with
  /// `errc::pool_closed`. The pool and the nodes that serve the pool continue.
  /// Blocks until the port is closed, at most 10 s.
  void close();

private:
  gate(caf::actor_system& system, caf::actor pool, caf::actor published,
       gate_options options);

  static caf::expected<gate> opened(gate result);
  void close_to_submitters();

  caf::actor_system* system_;
  caf::actor pool_;
  caf::actor published_; // kept after closing, for the counts
  gate_options options_;
  std::uint16_t port_ = 0;
  bool is_for_agents_ = false;
  bool is_open_ = false;
};

} // namespace libpool
