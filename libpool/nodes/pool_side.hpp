#pragma once

#include "libpool/core/errc.hpp"
#include "libpool/core/instant.hpp"
#include "libpool/core/worker_number.hpp"
#include "libpool/nodes/stealing_protocol.hpp"

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <variant>
#include <vector>

namespace libpool {

/// The pool's end of the protocol for moving tasks between nodes, see
/// stealing_protocol.hpp. A policy chooses the node of each task and the nodes
/// that steal. This class tracks the node of each task, so that each task is
/// settled exactly once even if messages are late or lost, and is retried only
/// if retries are allowed.
///
/// Time:    deadlines pass when the time is noted.
/// Cost:    O(log tasks + log nodes) for each task of a message. A lost node
///          costs O(log tasks) for each task that it had, and O(open requests).
///          Noting the time costs O(open requests). Each thief has at most one
///          open request.
/// Threads: one at a time.
/// Errors:  messages from lost or unknown nodes, and facts about tasks that are
///          elsewhere, are ignored. A decision that cannot be carried out has
///          no effect, and the result says so.
class pool_side {
public:
  /// Send the message to the node `to`.
  struct send {
    /// Session of the node.
    worker_number to{};
    /// Message to send.
    node_message message;
  };

  /// The pool has the task again, and the policy chooses a node.
  struct place {
    /// Number of the task.
    task_number task{};
  };

  /// The task has ended: completed if `why` is errc{}, otherwise failed.
  struct settle {
    /// Number of the task.
    task_number task{};
    /// Reason, if the task did not complete.
    errc why{};
  };

  /// A decision, which the caller carries out.
  using decision = std::variant<send, place, settle>;

  /// A task that is not settled, and the node that has it as far as the pool
  /// knows; unset if the pool has it.
  struct open_task {
    /// Node that has the task; unset: the pool.
    std::optional<worker_number> on;
    /// Maximum number of retries.
    unsigned retries = 0;
    /// Number of times that the task was lost with its node, or crashed.
    unsigned crashes = 0;
  };

  /// A request to give tasks away, which has no answer yet.
  struct open_request {
    /// Node that gets the tasks.
    worker_number thief{};
    /// Node that gives tasks away.
    worker_number victim{};
    /// Time after which the request counts as refused.
    instant deadline = never;
  };

  /// A node, as the pool knows it.
  struct member {
    /// Tasks that the node was sent, and has neither done nor given away.
    std::set<task_number> tasks;
    /// The open request in which the node is the thief.
    std::optional<request_number> awaits;
    /// Whether messages reach the node.
    bool is_reachable = true;
  };

  // -- facts ------------------------------------------------------------------

  /// Adds a node that serves.
  void joined(worker_number worker);

  /// Notes that the node is unreachable for good. It may still begin the tasks
  /// that it has until it is `lost`, and only then these run elsewhere. Tasks
  /// that may not be retried fail immediately.
  void unreachable(worker_number worker);

  /// Notes that the node begins no more tasks.
  void lost(worker_number worker);

  /// Adds a task, which the pool has. It is retried up to `retries` times if it
  /// is lost with its node or crashes.
  void submitted(task_number task, unsigned retries = 0);

  /// Notes a message from a node.
  void told(worker_number from, const pool_message& received);

  /// Notes the current time.
  void ticked(instant now);

  // -- decisions of the policy ------------------------------------------------

  /// Sends a task that the pool has to a node, unless the node is reserved.
  /// Returns whether the task was sent.
  bool assign(task_number task, worker_number to);

  /// Gives up a task that the pool has. Returns whether the pool had it.
  bool drop(task_number task, errc why);

  /// Asks `victim` for at most `max` tasks, and reserves `thief` for them until
  /// `deadline`. Returns nothing if one of the nodes does not exist, or the
  /// thief is already reserved.
  std::optional<request_number> request(worker_number thief,
                                        worker_number victim, std::size_t max,
                                        instant deadline);

  /// Asks `from` for at most `max` tasks. The pool has the tasks when the node
  /// has given them away, as for a request that is over. Returns whether the
  /// node exists.
  bool ask_back(worker_number from, std::size_t max);

  // -- questions --------------------------------------------------------------

  /// Whether the node serves and is reachable.
  bool is_reachable(worker_number worker) const noexcept;

  /// Whether the node waits for tasks that it steals.
  bool is_reserved(worker_number worker) const noexcept;

  /// Time of the next `ticked`; `never` if none is needed. Costs O(open
  /// requests).
  instant next_tick() const noexcept;

  /// Returns the tasks that are not settled, by number.
  const std::map<task_number, open_task>& tasks() const noexcept {
    return tasks_;
  }

  /// Returns the nodes, by number.
  const std::map<worker_number, member>& members() const noexcept {
    return members_;
  }

  /// Returns the open requests, by number.
  const std::map<request_number, open_request>& requests() const noexcept {
    return requests_;
  }

  /// Decisions to carry out, in this order. The caller clears the list.
  std::vector<decision>& decisions() noexcept {
    return decisions_;
  }

private:
  void take(worker_number from, const steal_granted& granted);
  void take(worker_number from, const steal_refused& refused);
  void take(worker_number from, const task_done& done);

  std::optional<worker_number> answered(worker_number from, request_number id);
  bool take_back(worker_number from, task_number task);
  void hand_out(const std::vector<task_number>& tasks, worker_number to);
  void run_again_or_fail(task_number number, errc why);
  void end(task_number task, errc why);
  void end_requests_of(worker_number worker);
  template <class Predicate>
  void end_requests(Predicate is_over);

  std::map<task_number, open_task> tasks_;
  std::map<worker_number, member> members_;
  std::map<request_number, open_request> requests_;
  request_number last_request_{0};
  std::vector<decision> decisions_;
};

} // namespace libpool
