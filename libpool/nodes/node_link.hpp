#pragma once

#include "libpool/core/instant.hpp"
#include "libpool/core/worker_number.hpp"
#include "libpool/nodes/link_protocol.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace libpool {

/// A node's end of its session with a pool (see link_protocol.hpp): says
/// whether the node may begin a task now.
///
/// When a session ends, what the node has not begun is to be forgotten, and the
/// results of what it has begun are nobody's: the pool has disposed of them, or
/// will. Then the node says hello again, if it is connected.
///
/// Time:    by a clock that goes on while the machine sleeps. `may_begin` is to
///          be asked before each task, with the time of that moment.
/// Cost:    O(1).
/// Threads: one at a time.
/// Errors:  messages of another session, or to an older hello, change nothing.
class node_link {
public:
  /// Makes a link without a session.
  explicit node_link(incarnation who) noexcept : who_(who) {
    // nop
  }

  // -- facts ------------------------------------------------------------------

  /// There is a connection to the pool, a new one.
  void connected(instant now);

  /// There is none any more.
  void disconnected() noexcept;

  /// A message from the pool has arrived.
  void told(const message_to_node& received, instant now);

  /// Time has passed.
  void ticked(instant now);

  /// Ends the session: the node has nothing left to do or to tell.
  void leave();

  // -- questions --------------------------------------------------------------

  /// The session that the node serves in, if any.
  std::optional<worker_number> session() const noexcept {
    return session_;
  }

  /// Tasks of this session may begin before that.
  instant begins_until() const noexcept {
    return session_ ? begins_until_ : instant{};
  }

  /// Whether a task of this session may begin now.
  bool may_begin(instant now) const noexcept {
    return now < begins_until();
  }

  /// When to tell the time, if ever.
  instant next_tick() const noexcept;

  /// The messages to send to the pool, in this order; the caller clears them.
  std::vector<message_of_node>& messages() noexcept {
    return messages_;
  }

private:
  void take(const welcome& received, instant now);
  void take(const beat& returned, instant now);
  void say_hello(instant now);
  void end_session() noexcept;

  incarnation who_;
  bool is_connected_ = false;
  std::uint64_t attempt_ = 0;
  instant hello_sent_{};
  std::optional<worker_number> session_;
  duration lease_{};
  instant begins_until_{};
  instant next_beat_ = never;
  std::vector<message_of_node> messages_;
};

} // namespace libpool
