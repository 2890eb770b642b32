#pragma once

#include "libpool/core/instant.hpp"
#include "libpool/core/worker_number.hpp"
#include "libpool/nodes/link_protocol.hpp"

#include <map>
#include <set>
#include <utility>
#include <variant>
#include <vector>

namespace libpool {

/// The pool's end of its sessions with nodes (see link_protocol.hpp): says
/// which nodes get tasks, and when what a lost one may have begun can run
/// elsewhere.
///
/// Time:    a pool that is told the time late has slept, and has heard of
///          nobody meanwhile: no node pays for that with its lease.
/// Cost:    O(log sessions) for each message, for a connection that closes, and
///          for a session that ends; each session is looked at once a lease
///          when the time is told, and once more if that is told late.
/// Threads: one at a time.
/// Errors:  messages of sessions that are over, and late hellos, change
/// nothing.
class node_sessions {
public:
  /// The message is to be sent by the connection `to`.
  struct send {
    /// Connection to send by.
    connection_number to{};
    /// Message to send.
    message_to_node message;
  };

  /// The node gets tasks from now on.
  struct admit {
    /// Session of the node.
    worker_number session{};
  };

  /// The node cannot be reached, but may go on beginning what it was sent.
  struct cut {
    /// Session of the node.
    worker_number session{};
  };

  /// The node begins nothing more of this session.
  struct end {
    /// Session of the node.
    worker_number session{};
  };

  /// A decision, which the caller carries out.
  using decision = std::variant<send, admit, cut, end>;

  /// A session that is not over.
  struct session {
    /// Connection of the node.
    connection_number by{};
    /// Run of the node's program.
    incarnation who{};
    /// Number of the hello that began the session.
    std::uint64_t attempt = 0;
    /// Time at which the node was last heard of.
    instant heard{};
    /// Whether the node has got the welcome.
    bool is_ready = false;
    /// Whether the node cannot be reached.
    bool is_cut = false;
  };

  /// Makes an object without sessions.
  explicit node_sessions(duration lease) noexcept : lease_(lease) {
    // nop
  }

  // -- facts ------------------------------------------------------------------

  /// A message from a node has arrived by that connection.
  void told(connection_number by, const message_of_node& received, instant now);

  /// Another message of that session has arrived. Returns whether it counts:
  /// otherwise the session is over.
  bool heard(worker_number of, instant now);

  /// The connection is no more, and no message comes by it.
  void closed(connection_number by);

  /// The pool has no use for the node any more.
  void expelled(worker_number which);

  /// Time has passed.
  void ticked(instant now);

  // -- questions --------------------------------------------------------------

  /// When to tell the time, if ever.
  instant next_tick() const noexcept {
    return sessions_.empty() ? never : due_;
  }

  /// Returns the sessions that are not over, by number.
  const std::map<worker_number, session>& sessions() const noexcept {
    return sessions_;
  }

  /// The decisions to carry out, in this order; the caller clears them.
  std::vector<decision>& decisions() noexcept {
    return decisions_;
  }

private:
  using iterator = std::map<worker_number, session>::iterator;

  void take(connection_number by, const hello& received, instant now);
  void take(connection_number by, const ready& received, instant now);
  void take(connection_number by, const beat& received, instant now);
  void take(connection_number by, const bye& received, instant now);

  iterator reached(worker_number of);
  bool supersede(const hello& by);
  void end_silent(instant now);
  void forgive_lateness(instant now);
  void over(iterator which);

  const duration lease_;
  std::map<worker_number, session> sessions_;
  std::map<incarnation, worker_number> by_run_; // the latest session of each
  std::set<std::pair<connection_number, worker_number>> by_connection_;
  /// When each session was heard, or earlier; also those of some that are over.
  std::set<std::pair<instant, worker_number>> by_silence_;
  worker_number last_{0};
  instant due_ = never; // the next tick
  std::vector<decision> decisions_;
};

} // namespace libpool
