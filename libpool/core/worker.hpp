#pragma once

#include "libpool/core/histogram.hpp"
#include "libpool/core/instant.hpp"
#include "libpool/core/task.hpp"

#include <boost/intrusive/list_hook.hpp>
#include <boost/intrusive/set_hook.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace libpool {

/// Numbers the workers of one pool in the order in which they join, from 0. A
/// number is never given again.
enum class worker_number : std::uint64_t {};

/// The number after `number`.
constexpr worker_number next(worker_number number) noexcept {
  return worker_number{static_cast<std::uint64_t>(number) + 1};
}

/// What one worker has done so far.
struct worker_record {
  std::uint64_t completed = 0;
  std::uint64_t failed = 0;
  /// Sum of the service times.
  duration busy{0};
  duration slowest{0};
  /// From acceptance to start.
  histogram waits;

  void add(const worker_record& other) noexcept {
    completed += other.completed;
    failed += other.failed;
    busy += other.busy;
    slowest = std::max(slowest, other.slowest);
    waits.add(other.waits);
  }
};

/// A worker as the dispatcher sees it. Whoever makes it keeps it until the
/// dispatcher dismisses it; the dispatcher writes, policies read.
struct worker {
  /// `serving`: gets tasks. `leaving`: gets none, and is dismissed when it has
  /// ended those it has begun. `gone`: the same, of one that is dead.
  enum class condition : std::uint8_t { unknown, serving, leaving, gone };

  worker() = default;
  worker(const worker&) = delete;
  worker& operator=(const worker&) = delete;

  // -- set before it joins ----------------------------------------------------

  worker_number number{0};
  /// How many tasks may be in its mailbox, the running one included.
  std::size_t window = 1;

  // -- kept by the dispatcher -------------------------------------------------

  condition is = condition::unknown;
  /// Whether it lets others have their turn.
  bool pauses = false;
  /// Whether it is offered to the placement right now.
  bool offered = false;
  /// Tasks in its deque or in its mailbox.
  std::size_t in_flight = 0;
  std::size_t in_mailbox = 0;
  /// Tasks of its own that have passed their deadlines and do not end.
  std::size_t hanging = 0;
  /// When the placement last chose it, counted in choices; 0 if never.
  std::uint64_t chosen = 0;
  /// Gets nothing before this.
  instant rests_until = instant::min();
  /// Of its tasks, the older the less.
  duration slowest_lately{0};

  /// Assigned, not sent, in the order in which they are sent.
  task_set deque;
  /// Sent and not come back, in the order in which they were sent.
  task_list mailbox;

  // -- where it is linked -----------------------------------------------------

  boost::intrusive::set_member_hook<> placement_hook;
  boost::intrusive::set_member_hook<> rest_hook;
  boost::intrusive::list_member_hook<> ready_hook;
  boost::intrusive::list_member_hook<> dry_hook;

  worker_record record; // big, so it comes last
};

} // namespace libpool
