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

/// The pool's end of the protocol by which tasks move between nodes (see
/// stealing_protocol.hpp). A policy says which node gets a task and which one
/// steals from which; this keeps track of the node of each task, so that a task
/// is settled exactly once, even if messages are late or lost, and runs again
/// only if that was asked for.
///
/// Time:    deadlines pass when the time is told, not before.
/// Cost:    O(log tasks + log nodes) per task of a message; a lost node costs
///          O(log tasks) for each task that it had, and O(open requests), as
///          does telling the time. A thief has one open request at most.
/// Threads: one at a time.
/// Errors:  messages from nodes that are lost or unknown, and facts about tasks
///          that are elsewhere, change nothing; a decision that cannot be
///          carried out is not, and the result says so.
class pool_side {
public:
  /// The message is to be sent to the node `to`.
  struct send {
    /// Session of the node.
    worker_number to{};
    /// Message to send.
    node_message message;
  };

  /// The task is in the pool's hands again: it goes wherever the policy says.
  struct place {
    /// Number of the task.
    task_number task{};
  };

  /// The task has come to its end, a good one unless there is a reason.
  struct settle {
    /// Number of the task.
    task_number task{};
    /// Reason, if the task did not complete.
    errc why{};
  };

  /// A decision, which the caller carries out.
  using decision = std::variant<send, place, settle>;

  /// A task that is not settled, and the node that has it, as far as the pool
  /// knows; without a node, the task is in the pool's hands.
  struct open_task {
    /// Node that has the task; unset: the pool.
    std::optional<worker_number> on;
    /// Maximum number of retries.
    unsigned retries = 0;
    /// How often it was lost with its node, or crashed.
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
    /// The tasks that the node was sent, and has neither done nor given away.
    std::set<task_number> tasks;
    /// The open request that it is the thief of.
    std::optional<request_number> awaits;
    /// Whether messages reach the node.
    bool is_reachable = true;
  };

  // -- facts ------------------------------------------------------------------

  /// Serves from now on.
  void joined(worker_number worker);

  /// Is out of reach, and stays so, but may go on beginning what it was sent
  /// until it is `lost`: only then does that run elsewhere. What may not run
  /// again fails at once.
  void unreachable(worker_number worker);

  /// Begins nothing any more.
  void lost(worker_number worker);

  /// Is in the pool's hands, and may run again so many times if it is lost with
  /// its node or crashes.
  void submitted(task_number task, unsigned retries = 0);

  /// A message from a node has arrived.
  void told(worker_number from, const pool_message& received);

  /// Time has passed.
  void ticked(instant now);

  // -- decisions of the policy ------------------------------------------------

  /// Sends a task that is in the pool's hands to a node, unless that is
  /// reserved. Returns whether it does.
  bool assign(task_number task, worker_number to);

  /// Gives up a task that is in the pool's hands. Returns whether it was.
  bool drop(task_number task, errc why);

  /// Asks `victim` for at most so many tasks, and reserves `thief` for them
  /// until then. None if there is no such node, or the thief is reserved.
  std::optional<request_number> request(worker_number thief,
                                        worker_number victim, std::size_t max,
                                        instant deadline);

  /// Asks `from` for at most so many tasks, which are in the pool's hands when
  /// it has given them away: as an answer to a request that is over. Returns
  /// whether there is such a node.
  bool ask_back(worker_number from, std::size_t max);

  // -- questions --------------------------------------------------------------

  /// Whether a node serves.
  bool is_reachable(worker_number worker) const noexcept;

  /// Whether a node waits for tasks that it steals.
  bool is_reserved(worker_number worker) const noexcept;

  /// When to tell the time, if ever. Costs O(open requests).
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

  /// The decisions to carry out, in this order; the caller clears them.
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
