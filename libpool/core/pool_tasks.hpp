#pragma once

#include "libpool/core/dispatcher_sets.hpp"
#include "libpool/core/ledger.hpp"
#include "libpool/core/task.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace libpool {

/// The tasks of a pool that are not settled or whose handlers still run, and
/// their numbers by state and outcome. Finds the task that was accepted first
/// among the tasks that were not sent to a worker.
///
/// Cost: O(1) on average; O(log n) for a task that has come back, among n such
///       tasks.
class pool_tasks {
public:
  pool_tasks() = default;
  pool_tasks(const pool_tasks&) = delete;
  pool_tasks& operator=(const pool_tasks&) = delete;

  /// Forgets all tasks.
  /// @pre they outlive the object
  ~pool_tasks() {
    for (auto* each : sent_)
      each->age_slot = task::in_no_heap;
  }

  /// The numbers of accepted tasks by state, and of settled tasks by outcome.
  /// The owner counts acceptances and outcomes.
  ledger books;

  /// Changes the state of the task to `next`.
  void enter(task& task, task::condition next) {
    move(task, place_of(task.is), place_of(next));
    --*counts_[static_cast<std::size_t>(task.is)];
    ++*counts_[static_cast<std::size_t>(next)];
    task.is = next;
  }

  /// Returns the number of settled tasks whose handlers still run.
  std::uint64_t overdue() const noexcept {
    return overdue_;
  }

  /// Returns the task that was accepted first among the tasks that were not
  /// sent to a worker; nullptr if all tasks were sent.
  task* oldest_unsent() const noexcept {
    return unsent_.empty() ? nullptr : &unsent_.top();
  }

  /// Prefetches a task that goes soon if tasks go in the order of acceptance.
  void prefetch() const noexcept {
    constexpr std::size_t soon = 6;
    if (const auto* task = unsent_.behind(soon)) {
      __builtin_prefetch(&task->list_hook);
      __builtin_prefetch(&task->line_slot);
    }
  }

  /// Returns the tasks in mailboxes of workers, in the order of acceptance.
  /// `most`: maximum number of tasks.
  ///
  /// Cost: O(n log n) for n tasks in mailboxes.
  std::vector<task*>
  sent(std::size_t most = static_cast<std::size_t>(-1)) const {
    auto result = sent_;
    std::sort(result.begin(), result.end(), [](const auto* x, const auto* y) {
      return x->number < y->number;
    });
    result.resize(std::min(most, result.size()));
    return result;
  }

  /// Returns all tasks: those in mailboxes of workers, and then the others,
  /// both in the order of acceptance.
  std::vector<task*> all() const {
    auto result = sent();
    auto others = unsent_.in_order();
    result.insert(result.end(), others.begin(), others.end());
    return result;
  }

private:
  enum class place : std::uint8_t { nowhere, pool, mailbox };

  static place place_of(task::condition condition) noexcept {
    if (condition >= task::condition::sent)
      return place::mailbox;
    return condition == task::condition::unknown ? place::nowhere : place::pool;
  }

  void move(task& task, place before, place after) {
    if (before == after)
      return;
    if (before == place::pool)
      unsent_.remove(task);
    else if (before == place::mailbox)
      leave_mailbox(task);
    if (after == place::pool)
      unsent_.add(task, task.number);
    else if (after == place::mailbox)
      enter_mailbox(task);
  }

  void enter_mailbox(task& task) {
    task.age_slot = static_cast<std::uint32_t>(sent_.size());
    sent_.push_back(&task);
  }

  void leave_mailbox(task& task) noexcept {
    sent_.back()->age_slot = task.age_slot;
    sent_[task.age_slot] = sent_.back();
    sent_.pop_back();
    task.age_slot = task::in_no_heap;
  }

  tasks_by_age unsent_;
  std::vector<task*> sent_; // in no particular order
  std::uint64_t overdue_ = 0;
  std::uint64_t unknown_ = 0; // written through `counts_`; never read
  /// Pointers to the numbers of tasks in each state, indexed by
  /// `task::condition`.
  const std::array<std::uint64_t*, 6> counts_{&unknown_,       &books.waiting,
                                              &books.assigned, &books.sent,
                                              &books.running,  &overdue_};
};

} // namespace libpool
