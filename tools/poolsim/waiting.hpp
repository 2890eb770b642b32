#pragma once

#include "arrivals.hpp"

#include <cstddef>
#include <deque>
#include <vector>

namespace poolsim {

struct job;

/// A task that waits, and that the dispatcher does not know.
struct waiting_task {
  arrival from;
  std::size_t id = 0;
  duration came{0};
};

/// Tasks that wait for the same turn: of one flow, or all of them.
struct waiting_line {
  std::size_t flow = 0;
  /// First come, first served.
  std::deque<waiting_task> tasks;
  /// Waits in the dispatcher on behalf of them, and becomes the first one when
  /// it goes.
  job* head = nullptr;
  /// Whether it is among the lines that may need a head.
  bool is_looked_at = false;
};

/// The tasks of a pool with leases that wait, see `libpool::waiting_messages`.
///
/// Cost: O(1) to add and to take; O(line) to put back.
class waiting_tasks {
public:
  /// One line for each of so many flows, or one for all: 1.
  explicit waiting_tasks(std::size_t lines);

  bool empty() const noexcept {
    return size_ == 0;
  }

  /// Of all lines, but for those that heads stand for.
  std::size_t behind_heads() const noexcept {
    return size_ - heads_;
  }

  waiting_line& of(std::size_t flow) {
    return lines_[lines_.size() > 1 ? flow : 0];
  }

  void add(waiting_task task);

  /// Has been taken out, and goes to its old place.
  void put_back(waiting_task task);

  /// @pre there is one
  waiting_task take(waiting_line& from);

  /// The job, which waits in the dispatcher, is the head of the line.
  void set_head(waiting_line& of, job& head);

  /// The head goes, or is settled, as the task that is returned.
  waiting_task take_with_head(waiting_line& from);

  /// A line that has tasks and no head; nullptr if there is none.
  waiting_line* next_without_head();

private:
  void look_at(waiting_line& line);

  std::vector<waiting_line> lines_;
  std::vector<waiting_line*> looked_at_;
  std::size_t size_ = 0;
  std::size_t heads_ = 0;
};

} // namespace poolsim
