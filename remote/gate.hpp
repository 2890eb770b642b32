#pragma once

#include "libpool/actors/submissions.hpp"
#include "libpool/remote/gate_options.hpp"

#include <caf/actor.hpp>
#include <caf/expected.hpp>
#include <caf/fwd.hpp>

#include <cstdint>

namespace libpool {

/// A pool at a port, for programs of this machine or others. It is open for as
/// long as this object lives. There are two kinds, each at a port of its own.
///
/// For submitters only work goes through, see `actor_pool::submit_only`:
/// whoever is connected can neither end the pool nor see its workers. For
/// agents only what nodes have to tell goes through, see `join_pool`, and only
/// from those that know the pool's token.
///
/// Only those who show a certificate of the CA can connect. These are trusted
/// not to attack CAF itself, which reads what they send: one that does can end
/// the process.
///
/// Threads: one at a time.
class gate {
public:
  /// Opens a gate to the pool, or pipeline, of this actor system. Blocks until
  /// it is open.
  ///
  /// Errors: `errc::insecure` names what is missing for TLS on both sides, or
  ///         why `insecure_loopback` is not for that address;
  ///         `errc::not_connected` if the port cannot be had.
  ///         std::invalid_argument if `pool` is none.
  static caf::expected<gate> for_submitters(caf::actor_system& system,
                                            const caf::actor& pool,
                                            gate_options options = {});

  /// Opens a gate to the distributed pool of this actor system, for nodes.
  /// Blocks until it is open.
  ///
  /// Errors: those of `for_submitters`, and `errc::insecure` for a pool that
  ///         wants no token. std::invalid_argument if `pool` is no distributed
  ///         pool.
  static caf::expected<gate> for_agents(caf::actor_system& system,
                                        const caf::actor& pool,
                                        gate_options options = {});

  gate(gate&& other) noexcept;
  gate(const gate&) = delete;
  gate& operator=(const gate&) = delete;
  ~gate();

  /// Where it listens.
  std::uint16_t port() const noexcept {
    return port_;
  }

  /// How many messages have come through, and how many have not. A gate for
  /// agents counts the letters of its pool's nodes, whichever way they came.
  submissions counts() const;

  /// Stops listening. Submitters are answered `errc::pool_closed`, what is
  /// under way included; nodes that serve go on, as does the pool. Blocks until
  /// the port is closed, 10 s at most.
  void close();

private:
  gate(caf::actor_system& system, caf::actor pool, caf::actor published,
       gate_options options);

  static caf::expected<gate> opened(gate result);
  void close_to_submitters();

  caf::actor_system* system_;
  caf::actor pool_;
  caf::actor published_; // also when closed, for its counts
  gate_options options_;
  std::uint16_t port_ = 0;
  bool is_for_agents_ = false;
  bool is_open_ = false;
};

} // namespace libpool
