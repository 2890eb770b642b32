#pragma once

#include "libpool/core/joint_rule.hpp"
#include "libpool/core/joint_run.hpp"
#include "libpool/core/task.hpp"
#include "libpool/export.hpp"

#include <cstddef>
#include <list>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace libpool {

/// The runs that several tasks may share. The tasks of a run are one leader and
/// its joiners (`joint_run`). A task that comes joins the open run of its key.
/// If the leader is settled before the others, the first joiner takes its
/// place.
///
/// Cost:    O(1) for a task that comes or goes.
/// Threads: one at a time.
/// Source:  joined requests are those of Go's package singleflight; batches
///          that are closed by number and age are those of Ray Serve.
class LIBPOOL_EXPORT joint_runs {
public:
  /// Makes an object without runs. `rule`: unset: each task runs alone.
  explicit joint_runs(const std::optional<joint_rule>& rule) noexcept
    : is_on_(rule.has_value()), rule_(rule.value_or(joint_rule{})) {
    // nop
  }

  joint_runs(const joint_runs&) = delete;
  joint_runs& operator=(const joint_runs&) = delete;

  /// Forgets all runs.
  /// @pre their tasks outlive the object
  ~joint_runs();

  /// Whether tasks may share runs.
  bool is_on() const noexcept {
    return is_on_;
  }

  /// Returns the rule by which tasks share runs.
  const joint_rule& rule() const noexcept {
    return rule_;
  }

  /// Returns the open run of the key of the task; nullptr if there is none, or
  /// if the task is too large for any.
  joint_run* open_for(const task& task);

  /// Whether the open run has room for the task.
  bool has_room(const task& task, const joint_run& run) const noexcept {
    return task.notes().bytes <= rule_.bytes - run.bytes;
  }

  /// Makes an open run that the task leads. The run may have to wait for its
  /// turn.
  /// @pre the task has a run key, and no run of its key is open
  joint_run& lead(task& task);

  /// Makes the task a joiner of the run. Closes the run if it is full.
  void join(task& task, joint_run& run);

  /// Lets no further task join.
  void close(joint_run& run) noexcept;

  /// Lets tasks join again, unless another run of the key is open, or the run
  /// is full.
  void open_again(joint_run& run);

  /// Notes whether the leader waits for others to join.
  void hold(joint_run& run, bool is_held) noexcept {
    if (std::exchange(run.is_held, is_held) != is_held)
      is_held ? ++held_ : --held_;
  }

  /// Returns the run whose turn has come since the last call; nullptr if there
  /// is none.
  joint_run* take_next_in_turn() noexcept {
    return std::exchange(next_in_turn_, nullptr);
  }

  /// Returns the number of leaders that wait for others to join.
  std::size_t held() const noexcept {
    return held_;
  }

  /// Returns the runs whose leaders wait for others to join.
  std::vector<joint_run*> held_runs();

  /// Returns the runs that wait for their turns.
  std::vector<joint_run*> waiting_for_turn();

  /// Returns the number of joiners of leaders that were not sent to workers.
  ///
  /// Cost: O(runs).
  std::size_t waiting_joiners() const noexcept;

  /// Takes the task out of its run. If it was the leader, the first joiner
  /// takes its place, and is returned; otherwise returns nullptr. A run without
  /// tasks is forgotten.
  task* leave(task& task) noexcept;

  /// Moves the last `n` joiners to a new closed run, and returns its leader.
  /// @pre the run has more than `n` joiners or as many, and `n` is at least 1
  task& split(joint_run& run, std::size_t n);

private:
  struct hash {
    std::size_t operator()(const joint_key& key) const noexcept;
  };

  joint_key key_of(const task& task) const;
  joint_run& make(task& leader);
  void await_turn(joint_run& run);
  void end_turn(joint_run& run) noexcept;

  const bool is_on_;
  const joint_rule rule_;
  std::size_t held_ = 0;
  std::list<joint_run> runs_;
  std::unordered_map<joint_key, joint_run*, hash> open_;
  std::unordered_map<joint_key, std::list<joint_run*>, hash> turns_;
  joint_run* next_in_turn_ = nullptr;
};

} // namespace libpool
