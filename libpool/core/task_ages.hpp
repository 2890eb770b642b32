#pragma once

#include "libpool/core/dispatcher_sets.hpp"
#include "libpool/core/task.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace libpool {

/// The tasks of a dispatcher, sorted by age. Finds the task that was accepted
/// first among the tasks that were not sent to a worker. Finds the tasks that
/// were sent first among the tasks in mailboxes of workers.
///
/// Cost: O(1); O(log n) for a task that has come back, among n such tasks.
class task_ages {
public:
  /// Moves the task to the list of its new state `next`. Called before the
  /// state of the task changes.
  void enters(task& task, task::condition next) noexcept {
    auto from = place_of(task.is);
    auto to = place_of(next);
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

  /// Returns the task that was accepted first among the tasks that were not
  /// sent to a worker; nullptr if all tasks were sent.
  task* oldest_unsent() noexcept {
    return first_of(fresh_);
  }

  /// Returns the task that was accepted first among the tasks that were not
  /// sent to a worker; nullptr if all tasks were sent.
  const task* oldest_unsent() const noexcept {
    return first_of(fresh_);
  }

  /// Returns the tasks in mailboxes of workers, in the order in which they were
  /// sent.
  const tasks_by_time& sent() const noexcept {
    return sent_;
  }

  /// Returns the tasks that were sent first among the tasks in mailboxes of
  /// workers. `most`: maximum number of tasks.
  std::vector<task*> first_sent(std::size_t most) {
    std::vector<task*> result;
    for (auto i = sent_.begin(); i != sent_.end() && result.size() < most; ++i)
      result.push_back(&*i);
    return result;
  }

  /// Returns all tasks, first those in mailboxes of workers.
  std::vector<task*> all() {
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

  /// Returns the first of the fresh and the returned tasks.
  template <class Fresh>
  auto first_of(Fresh& fresh) const noexcept -> decltype(&fresh.front()) {
    auto* first = fresh.empty() ? nullptr : &fresh.front();
    auto* back = returned_.empty() ? nullptr : &returned_.top();
    auto is_back = first == nullptr
                   || (back != nullptr && back->number < first->number);
    return is_back ? back : first;
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

  // Apart, so that `enters` stays small.

  [[gnu::noinline]] void come_back(task& task) {
    returned_.add(task, task.number);
  }

  [[gnu::noinline]] void leave_again(task& task) noexcept {
    returned_.remove(task);
  }

  tasks_by_time fresh_;   // never sent
  tasks_by_age returned_; // and older tasks that were not sent
  tasks_by_time sent_;
};

} // namespace libpool
