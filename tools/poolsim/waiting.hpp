#pragma once

#include "arrivals.hpp"

#include <cstddef>
#include <deque>
#include <vector>

namespace poolsim {

struct job;

/// A waiting task that the dispatcher does not know.
struct waiting_task {
  arrival from;
  std::size_t id = 0;
  duration came{0};
};

/// Queue of waiting tasks: the tasks of one flow, or all tasks.
struct waiting_line {
  std::size_t flow = 0;
  /// Tasks, first come, first served.
  std::deque<waiting_task> tasks;
  /// Task that waits in the dispatcher for the tasks of the line, and becomes
  /// the first of them when it goes to a worker.
  job* head = nullptr;
  /// Whether the line is among the lines that may need a head.
  bool is_looked_at = false;
};

/// Waiting tasks of a pool with leases, see `libpool::waiting_messages`.
///
/// Cost: O(1) to add and to take; O(line) to put back.
class waiting_tasks {
public:
  /// `lines` is the number of flows, or 1 if all tasks are in one line.
  explicit waiting_tasks(std::size_t lines);

  bool empty() const noexcept {
    return size_ == 0;
  }

  /// Returns the number of tasks in all lines, not counting the first task of
  /// each line that has a head.
  std::size_t behind_heads() const noexcept {
    return size_ - heads_;
  }

  waiting_line& of(std::size_t flow) {
    return lines_[lines_.size() > 1 ? flow : 0];
  }

  void add(waiting_task task);

  /// Puts a task that was taken back to its former position.
  void put_back(waiting_task task);

  /// Removes and returns the first task.
  /// @pre the line is not empty
  waiting_task take(waiting_line& from);

  /// Makes the job, which waits in the dispatcher, the head of the line.
  void set_head(waiting_line& of, job& head);

  /// Removes the head and the first task, and returns the task. The head goes
  /// to a worker as that task, or is settled as that task.
  waiting_task take_with_head(waiting_line& from);

  /// Returns a line with tasks and without a head; nullptr if there is none.
  waiting_line* next_without_head();

private:
  void look_at(waiting_line& line);

  std::vector<waiting_line> lines_;
  std::vector<waiting_line*> looked_at_;
  std::size_t size_ = 0;
  std::size_t heads_ = 0;
};

} // namespace poolsim
