#pragma once

#include "libpool/core/ending.hpp"
#include "libpool/core/ewma.hpp"
#include "libpool/core/instant.hpp"
#include "libpool/core/worker_number.hpp"
#include "libpool/export.hpp"
#include "libpool/nodes/protocol/batches.hpp"
#include "libpool/nodes/protocol/byte_credit.hpp"
#include "libpool/nodes/protocol/link_protocol.hpp"
#include "libpool/nodes/protocol/mean_bytes.hpp"
#include "libpool/nodes/protocol/node_link.hpp"

#include <algorithm>
#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace libpool {

/// Parameters of a node that serves a pool.
struct node_offer {
  /// Number of tasks that run at the same time; at least 1.
  std::size_t slots = 1;
  /// Maximum number of results in one message batch; at least 1.
  std::size_t portion = 64;
  /// Maximum bytes of results in flight; the same value as in the pool.
  std::size_t credit = std::size_t{1} << 20U;
  /// Turn of a front that serves a client, see `hello`; otherwise 0.
  std::uint64_t turn = 0;
};

/// The node's end of its connection with a pool. It decides which task may
/// begin, and when results are sent. It demands enough tasks that the node
/// stays busy while further tasks are in flight.
///
/// The owner of this object keeps the contents of tasks. The owner must drop
/// the content of each task in `forgotten`, and the result of each task for
/// which `finished` returns false. The owner asks the handlers of the tasks in
/// `stopping` to stop.
///
/// Time:    see `node_link`.
/// Cost:    O(log running handlers) for each task. O(tasks) for the end of a
///          session, and for a request to give tasks back.
/// Threads: one at a time.
/// Errors:  message batches of ended sessions, and ends of tasks that have not
///          begun, are ignored.
class LIBPOOL_EXPORT agent_connection {
public:
  /// Makes the end of a node that is not connected.
  agent_connection(incarnation who, const node_offer& offer) noexcept;

  // -- facts ------------------------------------------------------------------

  /// Notes that messages can reach the pool from now on.
  void came_up(instant now);

  /// Notes that messages do not reach the pool. The session and running
  /// handlers continue.
  void went_down() noexcept {
    link_.went_down();
  }

  /// Notes a message batch with `bytes` bytes of contents. Returns whether the
  /// batch belongs to the current session. If it does not, the caller must drop
  /// its contents.
  bool told(const batch_to_node& batch, std::size_t bytes, instant now);

  /// Notes the current time.
  void ticked(instant now);

  /// Notes the end of a handler whose result has `bytes` bytes. `took` is the
  /// duration of the handler; if unset, the time since `start`. Returns whether
  /// the result will be sent to the pool.
  bool finished(task_number task, ending ending, std::size_t bytes, instant now,
                std::optional<duration> took = std::nullopt);

  /// Takes a waiting task as begun, because its handler has begun under the
  /// number `older` in an older session, or has ended since; unset: it has
  /// ended. The task may exceed the slots. Returns false if the task does not
  /// wait, or if `older` is a task of this session.
  ///
  /// Cost: O(waiting tasks).
  bool adopt(task_number task, std::optional<task_number> older, instant now);

  /// Notes that the handler of a task that `start` has returned cannot begin,
  /// because the content cannot be read.
  void unreadable(task_number task, std::string why);

  /// Notes that the handler of a task that `start` has returned has not begun,
  /// and will not begin at this node.
  void never_began(task_number task);

  /// Tells the pool how long the handlers of the tasks have run. Tasks that are
  /// not running tasks of the session are left out.
  void tell_begun(std::vector<begun_task> tasks);

  /// Begins no more tasks, gives waiting tasks back, and ends the session when
  /// the pool has the results of all running tasks.
  void leave();

  // -- questions --------------------------------------------------------------

  /// Returns the next task, whose handler begins now. Unset if no task waits,
  /// if all slots are used, if the lease has run out, if a handler of an older
  /// session still runs a task of the same number, or if the results that wait
  /// for credit have at least as many bytes as the credit.
  std::optional<task_number> start(instant now);

  /// Tasks that have arrived and will not begin at this node. The caller clears
  /// the list.
  std::vector<task_number>& forgotten() noexcept {
    return forgotten_;
  }

  /// Tasks of the session that have begun, and that no client waits for any
  /// more. The caller clears the list.
  std::vector<task_number>& stopping() noexcept {
    return stopping_;
  }

  /// Tasks of the session that have left the queue of the node, and that the
  /// pool wants back if their handlers have not begun. The caller clears the
  /// list, and calls `never_began` for such tasks.
  std::vector<task_number>& taken_back() noexcept {
    return wanted_back_;
  }

  /// Tasks of the session that have left the queue of the node, and of which
  /// the pool asks whether their handlers have begun. The caller clears the
  /// list, and calls `tell_begun`.
  std::vector<task_number>& asked_begun() noexcept {
    return asked_begun_;
  }

  /// Whether the node has left: after `leave`, the pool has ended the session,
  /// or no session had begun.
  bool has_left() const noexcept {
    return has_left_;
  }

  /// Whether the pool has dismissed the node.
  bool is_dismissed() const noexcept {
    return is_dismissed_;
  }

  /// Whether results wait to be sent together. If so, the caller must call
  /// `flush` no later than `flush_at`.
  bool has_to_flush() const noexcept {
    return has_to_flush_;
  }

  /// Latest time for `flush`; `never` if no result waits. Results are due at
  /// once unless the last ones have just been sent, see travelling.hpp: then
  /// they wait for further results, for at most 1 ms.
  instant flush_at() const noexcept;

  /// Sends the waiting results, as far as credit allows.
  void flush(instant now);

  /// Returns the link to the pool.
  const node_link& link() const noexcept {
    return link_;
  }

  /// Number of running handlers, including those of older sessions.
  std::size_t running() const noexcept {
    return began_.size();
  }

  /// Returns the number of tasks that have not begun.
  std::size_t waiting() const noexcept {
    return queue_.size();
  }

  /// Mean service time of a task; zero if unknown.
  duration service() const noexcept {
    return service_.empty() ? duration{0}
                            : std::max(service_.value(), duration{1});
  }

  /// Time at which `ticked` must be called next; `never` if no call is needed.
  instant next_tick() const noexcept {
    return link_.next_tick();
  }

  /// Message batches to send to the pool, in this order. The caller clears the
  /// list.
  std::vector<batch_to_pool>& batches() noexcept {
    return batches_;
  }

private:
  /// Adds a message. The message is made in place, because gcc 12 warns that a
  /// temporary variant may be uninitialized if it is moved.
  template <class Content>
  void send(worker_number session, Content content) {
    auto& added = batches_.emplace_back();
    added.session = session;
    added.content.template emplace<Content>(std::move(content));
  }

  struct result {
    task_done end;
    std::size_t bytes = 0;
  };

  struct run {
    instant began{};
    bool is_of_session = true;
  };

  void measure(const beat& back, instant now);
  void take(const tasks_sent& sent);
  void take(const ask_back& request);
  void take(const receipt& confirmed, instant now);
  void take(const take_back_tasks& taken_back);
  void take(const cancel_tasks& cancelled);
  void take(const ask_begun& asked);
  /// Whether the task is a task of the session that has left the queue.
  bool has_begun(task_number task) const noexcept {
    auto found = began_.find(task);
    return found != began_.end() && found->second.is_of_session;
  }
  void collect_link();
  void send_link_messages();
  void session_changed();
  template <class Content>
  void return_unbegun(task_number task, Content told);
  void give_back(std::vector<task_number> tasks, bool was_asked);
  void give_back_waiting_of(std::vector<task_number> tasks);
  void give_back_waiting();
  void ship_if_due(instant now);
  void ship(instant now);
  void leave_if_done();
  void state_demand();
  std::size_t window() const noexcept;
  std::size_t free_slots() const noexcept;
  bool has_to_wait_for_credit() const noexcept;

  node_offer how_;
  node_link link_;
  std::optional<worker_number> session_; // of `queue_` and `results_`
  byte_credit credit_;
  byte_receipts receipts_;
  std::deque<task_number> queue_;
  std::map<task_number, run> began_;
  std::size_t running_ = 0;    // handlers of the session
  std::deque<result> results_; // not sent yet
  std::vector<task_number> forgotten_;
  std::vector<task_number> stopping_;
  std::vector<task_number> wanted_back_;
  std::vector<task_number> asked_begun_;
  std::vector<batch_to_pool> batches_;
  ewma service_;
  mean_bytes bytes_;                   // of tasks in the session
  std::optional<duration> round_trip_; // shortest in the session
  demand told_;                        // last demand of the session
  std::size_t unsent_ = 0;             // bytes of `results_`
  bool has_to_flush_ = false;
  std::size_t supply_ = 0; // tasks, and results to send, when tasks came last
  instant waits_since_{};  // time of the first waiting result
  instant shipped_{};      // time of the last results
  bool is_leaving_ = false;
  bool says_bye_ = false;
  bool has_left_ = false;
  bool is_dismissed_ = false;
};

} // namespace libpool
