#pragma once

#include "libpool/core/instant.hpp"
#include "libpool/core/worker_number.hpp"
#include "libpool/export.hpp"
#include "libpool/nodes/protocol/link_protocol.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <variant>
#include <vector>

namespace libpool {

/// The pool's end of its sessions with nodes, see link_protocol.hpp. It decides
/// which nodes get tasks, and when the tasks that a lost node may have begun
/// can run elsewhere.
///
/// Time:    a late call of `ticked` means that the pool was suspended, and
///          received no messages meanwhile. The delay does not count against
///          the leases of nodes, and no session ends at such a call, unless
///          the call before was late, too.
/// Cost:    O(log sessions) for each message and each ended session. Each
///          session is checked once in a lease, and once more after a late
///          `ticked`.
/// Threads: one at a time.
/// Errors:  messages of ended sessions, messages that came over the connection
///          of another node, and late hellos, are ignored.
class LIBPOOL_EXPORT node_sessions {
public:
  /// Send the message over the connection `to`.
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

  /// The pool has cut the node off, but the node may still begin the tasks that
  /// it has.
  struct cut {
    /// Session of the node.
    worker_number session{};
  };

  /// The node begins no more tasks of this session.
  struct end {
    /// Session of the node.
    worker_number session{};
  };

  /// A decision, which the caller carries out.
  using decision = std::variant<send, admit, cut, end>;

  /// A session that has not ended.
  struct session {
    /// Connection of the node.
    connection_number by{};
    /// Run of the node's program.
    incarnation who{};
    /// Number of the hello that began the session.
    std::uint64_t attempt = 0;
    /// Turn of the hello.
    std::uint64_t turn = 0;
    /// Time at which the node was last heard of.
    instant heard{};
    /// Whether the node has received the welcome.
    bool is_ready = false;
    /// Whether the pool has cut the node off.
    bool is_cut = false;
    /// Time at which the node has sent the beat that is marked, by its clock;
    /// unset: none. The node has heard of the mark when it says that a beat of
    /// this time or later has come back.
    std::optional<instant> mark = std::nullopt;
    /// Last question before the marked beat came, see `ask_presence`.
    std::uint64_t marked = 0;
    /// Last question after which the node was in the session.
    std::uint64_t present = 0;
  };

  /// Makes an object without sessions.
  explicit node_sessions(duration lease) noexcept : lease_(lease) {
    // nop
  }

  // -- facts ------------------------------------------------------------------

  /// Notes a message from a node over the connection `number`.
  void told(connection_number number, const message_of_node& received,
            instant now);

  /// Notes any other message of the session `worker` over the connection
  /// `number`. Returns false if the message must be ignored: the session has
  /// ended, was cut, or belongs to another connection.
  bool heard(connection_number number, worker_number worker, instant now);

  /// Cuts off a node that the pool no longer uses. The session ends with its
  /// lease.
  void expelled(worker_number number);

  /// Notes the current time.
  void ticked(instant now);

  /// Asks which nodes are in their sessions from now on: the pool may not know
  /// yet that a node has left. Returns the number of the question.
  std::uint64_t ask_presence() noexcept {
    return ++question_;
  }

  // -- questions --------------------------------------------------------------

  /// Whether the node was in the session after the question: it has sent a beat
  /// after it got an answer that the pool has sent after the question.
  bool is_present(worker_number number, std::uint64_t question) const {
    auto found = sessions_.find(number);
    return found != sessions_.end() && found->second.present >= question;
  }

  /// Time at which `ticked` must be called next; `never` if no call is needed.
  instant next_tick() const noexcept {
    if (sessions_.empty())
      return never;
    return by_silence_.empty()
             ? due_
             : std::min(due_, later(by_silence_.begin()->first, lease_));
  }

  /// Returns the sessions that have not ended, by number.
  const std::map<worker_number, session>& sessions() const noexcept {
    return sessions_;
  }

  /// Decisions to carry out, in this order. The caller clears the list.
  std::vector<decision>& decisions() noexcept {
    return decisions_;
  }

private:
  using iterator = std::map<worker_number, session>::iterator;

  void take(connection_number number, const hello& received, instant now);
  void take(connection_number number, const ready& received, instant now);
  void take(connection_number number, const beat& received, instant now);
  void take(connection_number number, const bye& received, instant now);

  bool is_deaf(const beat& received, instant now) const noexcept;
  void note_presence(session& open, const beat& received) const;
  iterator reached(connection_number number, worker_number worker);
  bool supersede(connection_number number, const hello& received);
  void end_silent(instant now);
  void forgive_lateness(instant now);
  void over(iterator entry);

  const duration lease_;
  std::map<worker_number, session> sessions_;
  std::map<connection_number, worker_number> by_connection_;
  /// Time of the last message of each session, or an earlier time. Can contain
  /// ended sessions.
  std::set<std::pair<instant, worker_number>> by_silence_;
  worker_number last_{0};
  std::uint64_t question_ = 0; // the last one
  instant due_ = never;        // next tick
  bool is_late_ = false;       // whether the last tick came late
  instant forgives_until_{};   // until then, all beats count
  std::vector<decision> decisions_;
};

} // namespace libpool
