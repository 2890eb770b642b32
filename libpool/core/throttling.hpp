#pragma once

#include "libpool/core/flow.hpp"
#include "libpool/core/instant.hpp"
#include "libpool/core/order.hpp"
#include "libpool/core/task.hpp"
#include "libpool/core/task_line.hpp"
#include "libpool/core/throttle.hpp"
#include "libpool/core/token_bucket.hpp"
#include "libpool/export.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace libpool {

/// Limits and counts of one flow, or of all tasks of a pool. A gate is open if
/// one more task may go to a worker.
struct LIBPOOL_EXPORT flow_gate {
  /// Limits that apply.
  throttle within;
  /// Whether no task may go until the flow, or the pool, is resumed.
  bool is_paused = false;
  /// Number of tasks that are at workers, including tasks that were cancelled
  /// and whose handlers still run.
  std::size_t running = 0;
  /// Number of tasks that were accepted and not released.
  std::size_t tasks = 0;
  /// Tokens for the rate of starts.
  token_bucket tokens{};
  /// Waiting tasks of the flow that the order must not choose, because the gate
  /// is closed for them: tasks before their first attempt, and retries.
  task_line parked;
  task_line parked_retries;
  /// The task that was last returned to the order while it waits there;
  /// nullptr: none.
  task* next = nullptr;
  /// Name of the flow.
  std::string name;
  /// Time at which the gate opens by itself; `never`: not noted.
  instant opens_at = never;

  /// Whether one more task may go at the time `now`, if it is not a retry.
  bool is_open(instant now) const noexcept {
    return has_place() && tokens.opens_at() <= now;
  }

  /// Whether the task may go at the time `now`.
  bool is_open(const task& task, instant now) const noexcept {
    return has_place() && token_for(task) <= now;
  }

  /// Whether the task takes a token when it goes to a worker.
  bool takes_token(const task& task) const noexcept {
    return within.most_begun
           && (within.most_begun->counts_retries || !is_retry(task));
  }

  /// Returns the time from which on the task can have the token that it takes;
  /// `instant::min()` if the task takes none.
  instant token_for(const task& task) const noexcept {
    return takes_token(task) ? tokens.opens_at() : instant::min();
  }

  /// Returns the parked tasks among which the task is, or would be.
  task_line& parked_with(const task& task) noexcept {
    return is_retry(task) ? parked_retries : parked;
  }

  /// Returns the parked task that goes next; nullptr if none is parked. A retry
  /// that takes no token goes before tasks that wait for one.
  const task* first_parked(instant now) const noexcept;

  /// Whether the parked task is to go before the task that the order has.
  bool goes_before_next(const task& task) const noexcept {
    return next == nullptr || goes_before{}(task, *next);
  }

  /// Returns the time from which on a parked task that is to go before the task
  /// that the order has can have its token; `never` if there is none.
  instant next_token() const noexcept;

  /// Whether as many tasks are at workers as may be. False if none may be,
  /// which is a pause.
  bool is_full() const noexcept {
    return within.most_running && *within.most_running > 0
           && running >= *within.most_running;
  }

  /// Returns the limits that close the gate at the time `now`; none if it is
  /// open, or closed by a pause.
  throttle reached(instant now) const noexcept {
    auto result = within;
    if (within.most_running && running < *within.most_running)
      result.most_running = std::nullopt;
    if (tokens.opens_at() <= now)
      result.most_begun = std::nullopt;
    return result;
  }

  /// Number of waiting tasks that must wait for the gate at the time `now`.
  std::size_t held_back(instant now) const noexcept {
    return is_open(now) ? 0 : tasks - running;
  }

  /// Whether more tasks are at workers than may be.
  bool is_exceeded() const noexcept {
    return within.most_running && running > *within.most_running;
  }

  /// Whether one more task may go as soon as there is a token for it.
  bool has_place() const noexcept {
    return !is_paused
           && (!within.most_running || running < *within.most_running);
  }
};

/// Holds back the waiting tasks of flows that have reached their limits or are
/// paused. The order (the part of the policy that chooses the next task) still
/// knows these tasks, but does not choose them until they are returned to it.
/// So these tasks hold up no other flow. If the limits of a flow allow one more
/// task, the order has the first task of the flow.
///
/// A task counts from the time when it is assigned to a worker until it has
/// left the worker. A task that takes a token and comes back before its handler
/// began gives the token back. A retry takes a token only of rates with
/// `counts_retries`.
///
/// Cost:    O(1) per task without limits; otherwise one hash of the flow, and
///          O(log parked tasks of the flow). A change of limits or a pause
///          costs O(tasks) for a flow without limits before.
/// Threads: one at a time.
class LIBPOOL_EXPORT throttling {
public:
  /// Makes the throttling of a pool whose tasks are in `order`.
  /// @pre `order` outlives the throttling
  throttling(libpool::order& order, const throttles& within);

  throttling(const throttling&) = delete;
  throttling& operator=(const throttling&) = delete;

  /// Destroys the throttling, which may still have parked tasks.
  ~throttling() = default;

  /// Whether a flow may have a gate, so that the functions below must be
  /// called.
  bool is_on() const noexcept {
    return is_on_;
  }

  // -- facts about tasks ------------------------------------------------------

  /// Records that the task was accepted. Finds the gate of its flow.
  void accepted(task& task, instant now) {
    sweep(now);
    join(task, now);
  }

  /// Records that the task is forgotten.
  static void released(task& task) noexcept {
    if (task.notes().gate != nullptr)
      --std::exchange(task.own_notes().gate, nullptr)->tasks;
  }

  /// Records that the task is assigned to a worker.
  void began(task& task, instant now);

  /// Records that the task has left its worker. `is_unused`: whether its
  /// handler did not begin, so that its tokens are given back.
  void ended(task& task, bool is_unused, instant now);

  /// Removes the task, which waits, from the order to the parked tasks.
  void park(task& task, instant now);

  /// Records that the order no longer has the task although it still waits.
  void set_aside(task& task, instant now) {
    if (task.notes().gate != nullptr)
      leaves_order(task, now);
  }

  /// Removes a waiting task that is settled from the parked tasks and the
  /// order. Returns false if the task was not parked: then the caller removes
  /// it from the order.
  bool remove(task& task, instant now);

  /// Returns all parked tasks to the order.
  void free_all(instant now);

  // -- changes ----------------------------------------------------------------

  /// Replaces all limits. Tasks at workers stay there. `tasks`: all tasks of
  /// the pool.
  void change(const throttles& within, const std::vector<task*>& tasks,
              instant now);

  /// Pauses the flow with the name `name`. `tasks`: all tasks of the pool.
  void pause(const std::string& name, const std::vector<task*>& tasks,
             instant now);

  /// Ends the pause of the flow with the name `name`.
  void resume(const std::string& name, instant now) {
    paused_.erase(name);
    update_all(now);
  }

  /// Ends the pauses of all flows, and lifts limits of zero tasks.
  void resume_all(instant now);

  /// Returns parked tasks to the order if gates have opened by time.
  void ticked(instant now);

  // -- questions --------------------------------------------------------------

  /// Whether one more task of any flow may go to a worker.
  bool pool_is_open(instant now) const noexcept {
    return pool_.is_open(now);
  }

  /// Whether the task, which is the next one of the order, may go as far as the
  /// pool is concerned; nullptr stands for a new task. If only a token is
  /// missing, notes the time of the next token for `next_tick`.
  bool lets_go(const task* task, instant now) noexcept {
    auto is_open = task != nullptr ? pool_.is_open(*task, now)
                                   : pool_.is_open(now);
    auto waits_for_token = !is_open && pool_.has_place();
    pool_.opens_at = waits_for_token ? pool_.tokens.opens_at() : never;
    return is_open;
  }

  /// Whether the task may go, as far as its flow is concerned.
  bool is_open(const task& task, instant now) const noexcept {
    const auto* gate = task.notes().gate;
    return gate == nullptr || gate->is_open(task, now);
  }

  /// Whether the accepted task may go.
  bool may_go(const task& task, instant now) const noexcept {
    return pool_.is_open(task, now) && is_open(task, now);
  }

  /// Whether the flow may have one more task at a worker, as far as its own
  /// limits and its pause are concerned.
  bool is_open(const flow_key& flow, instant now) const;

  /// Whether a new task of the flow could go at once.
  bool would_open(const flow_key& flow, instant now) const;

  /// Whether more tasks are at workers than the flow of the task, or the pool,
  /// may have.
  bool is_exceeded(const task& task) const noexcept {
    const auto* gate = task.notes().gate;
    return pool_.is_exceeded() || (gate != nullptr && gate->is_exceeded());
  }

  /// Whether the flow of the task is paused.
  static bool is_paused(const task& task) noexcept {
    const auto* gate = task.notes().gate;
    return gate != nullptr && gate->is_paused;
  }

  /// Whether the flow with this name is paused.
  bool is_paused(const std::string& name) const {
    return paused_.count(name) > 0;
  }

  /// Returns the limits of the flow with this name.
  const throttle& limits_for(const std::string& name) const;

  /// Whether a flow is paused, or a limit is 0 tasks.
  bool holds_back() const noexcept {
    return !paused_.empty() || has_zero_;
  }

  /// Returns the number of tasks of the flow that are at workers. 0 if the flow
  /// has neither limits nor a pause.
  std::size_t running(const std::string& name) const;

  /// Time at which `ticked` must be called; `never` if no call is needed.
  /// `has_waiting`: whether tasks wait.
  instant next_tick(bool has_waiting) const noexcept;

  /// Number of waiting tasks that are held back: their flows are paused or have
  /// reached their limits, whether or not a worker has room.
  ///
  /// Cost: O(flows with gates).
  std::size_t held_back(instant now) const noexcept;

  /// Calls `f` with each gate of a flow that holds back tasks, and with their
  /// number.
  ///
  /// Cost: O(flows with gates).
  template <class F>
  void for_each_closed(instant now, F f) const {
    for (const auto& [hash, gate] : gates_)
      if (auto held = gate.held_back(now); held > 0)
        f(gate, held);
  }

  /// Number of waiting tasks of the flow that are held back.
  std::size_t held_back(const flow_key& flow, instant now) const {
    auto i = gates_.find(flow.hash());
    return i == gates_.end() ? 0 : i->second.held_back(now);
  }

  /// Sets the field `waiting_since` of the flow with the hash `flow` if all of
  /// its waiting tasks are parked.
  void add_wait(std::uint64_t flow, flow_stats& stats) const;

  /// Limits and counts of all tasks.
  const flow_gate& pool() const noexcept {
    return pool_;
  }

private:
  void apply(const std::vector<task*>& tasks, instant now);
  void count(task& task) noexcept;
  void join(task& task, instant now);
  void update_all(instant now);
  void configure(flow_gate& gate, instant now);
  void update(flow_gate& gate, instant now);
  void note_time(flow_gate& gate, instant opens_at);
  void leaves_order(task& task, instant now);
  void free_first(flow_gate& gate, instant now);
  void take_out(task& task);
  void sweep(instant now);

  libpool::order& order_;
  throttles within_;
  std::set<std::string> paused_; // names of flows
  bool is_on_;
  bool has_zero_ = false; // whether a limit is 0 tasks
  flow_gate pool_;
  std::unordered_map<std::uint64_t, flow_gate> gates_; // by hash of the flow
  std::set<std::pair<instant, flow_gate*>> by_time_;
  std::size_t sweep_at_ = 64;
};

} // namespace libpool
