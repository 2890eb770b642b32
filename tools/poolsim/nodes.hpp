#pragma once

#include "job.hpp"
#include "node.hpp"
#include "result.hpp"
#include "scenario.hpp"

#include "libpool/nodes/protocol/node_connections.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

namespace poolsim {

/// Interface of the simulation for its nodes. Each session of a node is a
/// separate worker, whose `id` is the number of the node.
class node_owner {
public:
  virtual void admitted(server& session) = 0;
  virtual void resized(server& session, std::size_t window) = 0;
  virtual void dismissed(server& session) = 0;

  /// Records that a node has begun a task, if the node still has the task as
  /// far as the pool knows.
  virtual void began(job& task, std::size_t node) = 0;

  /// Records that the task is not at a node any more. Returns whether the task
  /// has completed.
  virtual bool released(job& task, libpool::node_connections::fate fate) = 0;

  /// Records that a handler has ended, or that the pool does not wait for it
  /// any more.
  virtual void ran(const task_run& run) = 0;

protected:
  node_owner() = default;
  node_owner(const node_owner&) = default;
  node_owner& operator=(const node_owner&) = default;
  ~node_owner() = default;
};

/// The nodes on which the workers of a pool live, and the pool's end of the
/// links to them: a `node_connections`, and an `agent_connection` for each
/// node, as in a pool of actors.
///
/// Order: at one instant: the nodes by number, each with the message batches
///        from it, its losses, the batches to it, ends and beginnings of runs;
///        then the leases.
/// Cost:  O(log nodes + log tasks) for each message batch, run and loss. Each
///        node sends a beat four times in a lease, and gets it back.
class nodes final : private node_watcher {
public:
  nodes(const scenario& scenario, node_owner& owner);

  // -- facts ------------------------------------------------------------------

  /// Records that `waiting` tasks, which have not begun, have waited until
  /// `now`.
  void time_passes(duration now, std::uint64_t waiting);

  /// Executes all events that are due.
  void happen(duration now);

  /// Sends the task to the session.
  void send(job& task, server& server, duration now);

  /// Sends the tasks that are collected for a message batch.
  void flush(duration now);

  /// Takes a task back from the session, unless the node has begun it.
  void cancel(const job& task, const server& server, duration now);

  /// Returns the sessions of the node, with sessions that have ended and still
  /// have tasks.
  std::vector<server*> sessions_of(std::size_t node) const;

  /// Forgets a session without open tasks.
  void forget(const server& session);

  // -- questions --------------------------------------------------------------

  /// Returns the time of the next event; `duration::max()` if there is none.
  duration next() const;

  /// Whether the only events have been beats for so long that no other event is
  /// expected.
  bool is_stuck(duration now) const;

  /// Reports the runs that have not ended.
  void close(duration now);

  std::vector<worker_row> rows() const;
  node_books books() const;

private:
  struct open_task {
    job* of = nullptr;
    std::size_t node = 0;
  };

  libpool::connection_number connected(std::size_t node) override;
  void began(const content& task, std::size_t node, duration now) override;
  void ran(const task_run& run) override;

  void look_at(std::size_t node, duration now);
  void schedule(std::size_t node);
  void carry_out(duration now);
  void carry_out(const libpool::node_connections::deliver& what, duration now);
  void admit(const libpool::node_connections::admit& what);
  void release(const libpool::node_connections::release& what, duration now);
  bool may_run_again(const job& task) const;
  duration patience() const;

  const scenario& scenario_;
  node_owner& owner_;
  libpool::node_connections pool_;
  std::deque<node> all_;
  std::vector<std::size_t> node_of_; // by connection
  std::map<libpool::worker_number, std::unique_ptr<server>> sessions_;
  std::unordered_map<std::uint64_t, open_task> tasks_; // at nodes
  std::uint64_t last_task_ = 0;

  std::set<std::pair<duration, std::size_t>> due_;
  std::vector<duration> due_of_; // by node, as in `due_`
  std::vector<std::size_t> free_of_;
  std::size_t free_ = 0; // slots of all nodes
  std::size_t runs_ = 0;
  duration now_{0};
  duration progress_{0}; // time of the last progress
  const duration patience_;

  std::vector<std::uint64_t> completed_; // by node
  node_books books_;
};

} // namespace poolsim
