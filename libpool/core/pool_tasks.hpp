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

/// The tasks of a pool that are not settled or whose handlers still run, sorted
/// by age, and their numbers by state and outcome. Finds the task that was
/// accepted first among the tasks that were not sent to a worker, and the tasks
/// that were sent first among the tasks in mailboxes of workers.
///
/// Cost: O(1); O(log n) for a task that has come back, among n such tasks.
class pool_tasks {
public:
  /// The numbers of accepted tasks by state, and of settled tasks by outcome.
  /// The owner counts acceptances and outcomes.
  ledger books;

  /// Changes the state of the task to `next`.
  void enter(task& task, task::condition next) noexcept {
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
    auto* first = fresh_.empty() ? nullptr : &fresh_.front();
    auto* back = returned_.empty() ? nullptr : &returned_.top();
    auto is_back = first == nullptr
                   || (back != nullptr && back->number < first->number);
    return is_back ? back : first;
  }

  /// Returns the tasks in mailboxes of workers, in the order in which they were
  /// sent.
  const tasks_by_time& sent() const noexcept {
    return sent_;
  }

  /// Returns the tasks that were sent first among the tasks in mailboxes of
  /// workers, in the order in which they were sent. `most`: maximum number of
  /// tasks.
  std::vector<task*>
  first_sent(std::size_t most = static_cast<std::size_t>(-1)) const {
    std::vector<task*> result;
    for (auto i = sent_.begin(); i != sent_.end() && result.size() < most; ++i)
      result.push_back(&*i);
    return result;
  }

  /// Returns all tasks, first those in mailboxes of workers.
  std::vector<task*> all() const {
    std::vector<task*> result;
    for (auto& each : sent_)
      result.push_back(&each);
    for (auto* each : returned_by_age())
      result.push_back(each);
    for (auto& each : fresh_)
      result.push_back(&each);
    return result;
  }

  /// Calls `visit` with each task until `visit` returns false. Tasks in
  /// mailboxes of workers come first, in the order in which they were sent.
  template <class Visitor>
  void for_each(Visitor visit) const {
    auto all = [&](const auto& tasks) {
      return std::all_of(tasks.begin(), tasks.end(), visit);
    };
    auto returned = returned_by_age();
    all(sent_)
      && std::all_of(returned.begin(), returned.end(),
                     [&](const task* each) { return visit(*each); })
      && all(fresh_);
  }

private:
  enum class place : std::uint8_t { nowhere, pool, mailbox };

  static place place_of(task::condition condition) noexcept {
    if (condition >= task::condition::sent)
      return place::mailbox;
    return condition == task::condition::unknown ? place::nowhere : place::pool;
  }

  void move(task& task, place from, place to) noexcept {
    if (from == to)
      return;
    if (from == place::pool)
      leave_pool(task);
    else if (from == place::mailbox)
      sent_.erase(sent_.iterator_to(task));
    if (to == place::mailbox)
      sent_.push_back(task);
    else if (to == place::pool && from == place::nowhere && is_last(task))
      fresh_.push_back(task);
    else if (to == place::pool)
      come_back(task);
  }

  std::vector<task*> returned_by_age() const {
    std::vector<task*> result;
    returned_.for_each([&](task& each) { result.push_back(&each); });
    std::sort(result.begin(), result.end(), [](const task* x, const task* y) {
      return x->number < y->number;
    });
    return result;
  }

  /// Whether the task was accepted after all tasks that were never sent. A task
  /// for a message that has waited may be older than these tasks.
  bool is_last(const task& task) const noexcept {
    return fresh_.empty() || fresh_.back().number < task.number;
  }

  void leave_pool(task& task) noexcept {
    if (task.time_hook.is_linked())
      fresh_.erase(fresh_.iterator_to(task));
    else
      leave_again(task);
  }

  // Apart, so that `enter` stays small.

  [[gnu::noinline]] void come_back(task& task) {
    returned_.add(task, task.number);
  }

  [[gnu::noinline]] void leave_again(task& task) noexcept {
    returned_.remove(task);
  }

  // Constant functions return tasks, which are not part of the object.
  mutable tasks_by_time fresh_; // never sent
  mutable tasks_by_time sent_;
  tasks_by_age returned_; // older than fresh ones, or sent before
  std::uint64_t overdue_ = 0;
  std::uint64_t unknown_ = 0; // written through `counts_`; never read
  /// Pointers to the numbers of tasks in each state, indexed by
  /// `task::condition`.
  const std::array<std::uint64_t*, 6> counts_{&unknown_,       &books.waiting,
                                              &books.assigned, &books.sent,
                                              &books.running,  &overdue_};
};

} // namespace libpool
