#pragma once

#include "libpool/core/instant.hpp"
#include "libpool/core/worker_number.hpp"
#include "libpool/export.hpp"
#include "libpool/nodes/protocol/batches.hpp"
#include "libpool/nodes/protocol/byte_credit.hpp"
#include "libpool/nodes/protocol/link_protocol.hpp"
#include "libpool/nodes/protocol/link_rate.hpp"
#include "libpool/nodes/protocol/mean_bytes.hpp"
#include "libpool/nodes/protocol/node_sessions.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <variant>
#include <vector>

namespace libpool {

/// Parameters of a pool with nodes.
struct node_terms {
  /// Time without a message after which a node is given up; at least 1 ms.
  duration lease{std::chrono::seconds{5}};
  /// Maximum number of short tasks in one message batch; at least 1.
  std::size_t portion = 64;
  /// Maximum bytes of contents in flight to a node, and back; at least 1 KiB.
  std::size_t credit = std::size_t{1} << 20U;
  /// Maximum tasks in flight per node; at least 1.
  std::size_t most_in_flight = 1024;
  /// Whether an idle node gets tasks that wait at another node.
  bool shares = true;
};

/// The pool's end of its connections with nodes. It keeps sessions and leases,
/// records the node of each task, and decides when tasks are sent. Several
/// tasks travel in one message batch. The bytes in flight to each node are
/// limited by a credit.
///
/// The owner of this object chooses the node of each task. One `release`
/// reports how the task ended at the node: its handler ended, the task was
/// given back, or it was lost with the node. The owner keeps the contents, and
/// sends the messages of a session in a `message_stream`.
///
/// Time:    see `node_sessions`.
/// Cost:    O(log tasks + log nodes) for each task and each message batch.
///          `flush` costs as much for each node with waiting tasks, and nothing
///          for other nodes.
/// Threads: one at a time.
/// Errors:  message batches of ended sessions, and ends of tasks that the node
///          does not have, only count in `strays`.
class LIBPOOL_EXPORT node_connections {
public:
  // -- decisions --------------------------------------------------------------

  /// Send the message batch over the connection, with the contents of its
  /// tasks.
  struct deliver {
    /// Connection to send by.
    connection_number to{};
    /// Batch to send.
    batch_to_node batch;
  };

  /// The node serves. It gets no tasks before the first `resize`.
  struct admit {
    /// Session of the node.
    worker_number session{};
    /// Connection of the node.
    connection_number by{};
  };

  /// The maximum number of tasks of the node has changed.
  struct resize {
    /// Session of the node.
    worker_number session{};
    /// Maximum number of tasks that the node has at a time.
    std::size_t window = 0;
  };

  /// The node gets no more tasks.
  struct dismiss {
    /// Session of the node.
    worker_number session{};
    /// True if the node was lost; false if the node has said bye.
    bool is_lost = false;
  };

  /// How a task ended at its node.
  enum class fate : std::uint8_t {
    completed,
    /// The handler crashed.
    crashed,
    /// The node is lost. The task may have begun there, and will not begin
    /// there any more.
    lost,
    /// The task has not begun at this node, and will not begin there.
    given_back,
    /// As `given_back`, because the node cannot read the content.
    unread,
  };

  /// The node no longer has the task.
  struct release {
    /// Number of the task.
    task_number task{};
    /// How the task ended at the node.
    fate how = fate::completed;
  };

  /// The handler of the task has begun at the node.
  struct start {
    /// Number of the task.
    task_number task{};
    /// Time at which the handler began, late by the way from the node.
    instant began{};
  };

  /// A decision, which the caller carries out.
  using decision =
    std::variant<deliver, admit, resize, dismiss, release, start>;

  /// Makes the pool's end, without nodes.
  explicit node_connections(const node_terms& terms) noexcept
    : how_(terms), sessions_(terms.lease) {
    // nop
  }

  // -- facts ------------------------------------------------------------------

  /// Notes that a message batch with `bytes` bytes of contents has arrived over
  /// the connection `number`.
  void told(connection_number number, const batch_to_pool& batch,
            std::size_t bytes, instant now);

  /// Notes the current time.
  void ticked(instant now);

  /// Gives a new task with `bytes` bytes of content to the node of the session
  /// `number`. If the node is lost, a task with `may_run_again` is reported as
  /// lost when the node can begin no more tasks; any other task, as soon as the
  /// node is unreachable. Returns false if the node gets no more tasks.
  bool submitted(task_number task, worker_number number, std::size_t bytes,
                 bool may_run_again, instant now);

  /// Notes that no client waits any more for a task at the node of the session
  /// `number`. The task is given back if it has not begun. Otherwise its
  /// handler is asked to stop.
  ///
  /// Cost: O(tasks that wait to be sent to the node).
  void cancel(task_number task, worker_number number, instant now);

  /// Notes that the pool wants a task at the node of the session `number` back.
  /// The task is given back if it has not begun.
  ///
  /// Cost: O(tasks that wait to be sent to the node).
  void recalled(task_number task, worker_number number, instant now);

  /// Asks the node of the session `number` whether the handler of a task has
  /// begun. A `start` reports that it has.
  void asked_begun(task_number task, worker_number number, instant now);

  /// Asks which nodes are in their sessions, see `node_sessions`.
  std::uint64_t ask_presence() noexcept {
    return sessions_.ask_presence();
  }

  /// Notes whether the node of the session is paused. A paused node is given no
  /// tasks of other nodes.
  void paused(worker_number session, bool is) noexcept;

  /// Dismisses a node that the pool no longer uses, and sends it a bye. The
  /// tasks that the node has are lost.
  void expelled(worker_number session);

  // -- questions --------------------------------------------------------------

  /// Whether tasks wait to be sent together.
  bool has_to_flush() const noexcept {
    return !to_flush_.empty();
  }

  /// Latest time for `flush`; `never` if nothing waits. Tasks are due at once
  /// unless the node is busy and the last ones have just been sent, see
  /// travelling.hpp: then they wait for further tasks until the node reports
  /// results, for at most 1 ms.
  instant flush_at() const noexcept {
    return flush_at_;
  }

  /// Sends the waiting tasks, as far as credit allows.
  void flush(instant now);

  /// Time at which `ticked` must be called next; `never` if no call is needed.
  instant next_tick() const noexcept {
    return sessions_.next_tick();
  }

  /// Number of message batches, and of ends of tasks, that were ignored.
  std::uint64_t strays() const noexcept {
    return strays_;
  }

  /// Number of bytes of contents in flight to the node.
  std::uint64_t under_way(worker_number session) const noexcept;

  /// Rate at which contents reach the node, in bytes per second; 0 if unknown.
  double bandwidth(worker_number session) const noexcept;

  /// Number of tasks at the node or in flight to it.
  std::size_t in_flight(worker_number session) const noexcept;

  /// Demand of the node, within the limits of the pool; unset if the node gets
  /// no tasks.
  std::optional<demand> wants(worker_number session) const noexcept;

  /// Returns the sessions of the nodes.
  const node_sessions& sessions() const noexcept {
    return sessions_;
  }

  /// Decisions to carry out, in this order. The caller clears the list.
  std::vector<decision>& decisions() noexcept {
    return decisions_;
  }

private:
  struct parcel {
    task_number task{};
    std::size_t bytes = 0;
    bool may_run_again = false;
  };

  /// Tasks that were sent to a node and have not come back, and whether each
  /// may be retried.
  using sent_tasks = std::map<task_number, bool>;

  struct node {
    explicit node(connection_number connection, std::size_t limit) noexcept
      : by(connection), credit(limit), receipts(limit) {
      // nop
    }

    connection_number by;
    byte_credit credit;
    byte_receipts receipts;
    demand wants;
    std::deque<parcel> out;             // waiting to be sent
    std::size_t bytes_out = 0;          // of their contents
    std::vector<task_number> cancelled; // to be reported to the node
    std::vector<task_number> recalled;  // to be reported to the node
    std::vector<task_number> asked;     // whether their handlers have begun
    bool has_told = true;   // whether results came after the last tasks
    instant shipped{};      // time of the last tasks
    instant silent_since{}; // time of the last results, or of the first tasks
    link_rate rate;
    mean_bytes bytes;
    bool was_asked = false; // to give tasks back
    bool is_paused = false;
    unsigned pause = 0; // in beats, after it has asked in vain
    unsigned beats_to_wait = 0;
    duration ahead{0}; // key in `by_work_`; 0: not there
  };

  using node_iterator = std::map<worker_number, node>::iterator;

  /// Waiting time of the last task of a node.
  struct work_ahead {
    duration time;
    worker_number session;
  };

  /// Order in which nodes are asked to share tasks: the most work first, and
  /// for equal work the oldest session first.
  struct has_more_work {
    bool operator()(const work_ahead& x, const work_ahead& y) const noexcept {
      return x.time != y.time ? x.time > y.time : x.session < y.session;
    }
  };

  void take(worker_number number, const tasks_done& done, instant now);
  void take(worker_number number, const given_back& given, instant now);
  void take(worker_number number, const demand& wanted, instant now);
  void take(worker_number number, const receipt& confirmed, instant now);
  void take(worker_number number, const unread& refused, instant now);
  void take(worker_number number, const begun& told, instant now);
  static void take(worker_number, const resend&, instant) {
    // the mark of the message has been handled
  }

  void carry_out_sessions(fate at_end = fate::lost);
  void let_in(worker_number session);
  void let_out(worker_number session, bool is_lost);
  bool take_back(worker_number number, task_number task, fate outcome);
  void lose_tasks(worker_number session, bool all, fate outcome);
  void receive(worker_number number, std::size_t bytes);

  instant ready_at(worker_number session, const node& peer) const noexcept;
  void flush_later(node_iterator entry, instant time);
  void ship_if_due(node_iterator entry, instant now);
  void ship(node_iterator entry, instant now);
  bool take_back_unsent(node& peer, task_number task);
  void tell_cancelled(node_iterator entry);
  static duration service_of(const node& node, instant now) noexcept;
  duration work_to_share(worker_number session, const node& peer,
                         instant now) const noexcept;
  void rank(node_iterator entry, instant now);
  std::size_t share_for(const node& thief, worker_number victim,
                        const node& place, instant now) const noexcept;
  bool have_shared(worker_number thief, instant now);
  void look_at(connection_number number, worker_number session, instant now);

  const node_terms how_;
  node_sessions sessions_;
  std::map<worker_number, node> nodes_;      // that get tasks
  std::map<worker_number, sent_tasks> sent_; // of sessions that have not ended
  std::set<worker_number> to_flush_;         // can contain nodes that have left
  instant flush_at_ = never;
  std::set<work_ahead, has_more_work> by_work_; // nodes that could share
  std::uint64_t strays_ = 0;
  std::vector<decision> decisions_;
};

} // namespace libpool
