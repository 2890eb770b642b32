#pragma once

#include "libpool/core/instant.hpp"
#include "libpool/core/worker_number.hpp"
#include "libpool/export.hpp"
#include "libpool/nodes/protocol/backoff.hpp"
#include "libpool/nodes/protocol/link_protocol.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace libpool {

/// A node's end of its session with a pool, see link_protocol.hpp. It decides
/// whether the node may begin a task now.
///
/// A session continues when the line is interrupted, and also when the lease
/// has run out: then the node begins no task until a beat comes back. A session
/// ends when the pool sends `gone`. Then the node must forget the tasks that
/// have not begun. The results of tasks that have begun are discarded, because
/// the pool has settled or retried these tasks. The node says hello again, with
/// the pauses of `backoff`, until the pool answers.
///
/// Time:    a clock that also runs while the machine is suspended. `may_begin`
///          must be called before each task, with the current time.
/// Cost:    O(1).
/// Threads: one at a time.
/// Errors:  messages of another session, and answers to an older hello, are
///          ignored.
class LIBPOOL_EXPORT node_link {
public:
  /// Makes a link without a session. `turn` is that of each hello.
  explicit node_link(incarnation who, std::uint64_t turn = 0) noexcept
    : who_(who), turn_(turn), pauses_(static_cast<std::uint64_t>(who)) {
    // nop
  }

  // -- facts ------------------------------------------------------------------

  /// Notes that messages can reach the pool from now on. Says hello, or
  /// continues the session.
  void came_up(instant now);

  /// Notes that messages do not reach the pool.
  void went_down() noexcept {
    is_up_ = false;
  }

  /// Notes a message from the pool.
  void told(const message_to_node& received, instant now);

  /// Notes the current time.
  void ticked(instant now);

  /// Says bye. The node must have no tasks and no results left. The session
  /// ends when the pool has confirmed the bye.
  void leave();

  /// Ends the session for good, without a message to the pool.
  void give_up() noexcept;

  // -- questions --------------------------------------------------------------

  /// The session in which the node serves; unset if none.
  std::optional<worker_number> session() const noexcept {
    return session_;
  }

  /// Lease of the latest session; zero if there was none.
  duration lease() const noexcept {
    return lease_;
  }

  /// Time until which tasks of this session may begin.
  instant begins_until() const noexcept {
    return session_ && !is_leaving_ ? begins_until_ : instant{};
  }

  /// Whether a task of this session may begin now.
  bool may_begin(instant now) const noexcept {
    return now < begins_until();
  }

  /// Whether the pool has answered the node recently enough that tasks could
  /// begin, also if the node leaves.
  bool has_lease(instant now) const noexcept {
    return session_ && now < begins_until_;
  }

  /// Time at which `ticked` must be called next; `never` if no call is needed.
  instant next_tick() const noexcept;

  /// Messages for the pool, in this order. The caller clears the list.
  std::vector<message_of_node>& messages() noexcept {
    return messages_;
  }

private:
  void take(const welcome& received, instant now);
  void take(const beat& returned, instant now);
  void take(const gone& told, instant now);
  void take(const bye&, instant) noexcept {
    give_up();
  }
  void say_hello(instant now);

  incarnation who_;
  std::uint64_t turn_;
  backoff pauses_;
  bool is_up_ = false;
  bool is_leaving_ = false;
  bool has_given_up_ = false;
  std::uint64_t attempt_ = 0;
  instant hello_sent_{};
  instant next_hello_{};
  std::optional<worker_number> session_;
  duration lease_{};
  instant begins_until_{};
  instant answered_{}; // when the last answered beat or hello was sent
  instant next_beat_ = never;
  std::vector<message_of_node> messages_;
};

} // namespace libpool
