#pragma once

#include "libpool/core/dispatcher_sets.hpp"
#include "libpool/core/instant.hpp"
#include "libpool/core/lease_size.hpp"
#include "libpool/core/ledger.hpp"
#include "libpool/core/task.hpp"
#include "libpool/core/worker.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace libpool {

/// Tasks that workers were sent together with other tasks. The tasks behind the
/// first one are its followers (`task::follows`), until their turns come or
/// they come back.
///
/// Cost: O(1).
class task_leases {
public:
  /// Makes an object without tasks.
  explicit task_leases(const lease_bounds& within) noexcept : within_(within) {
    // nop
  }

  task_leases(const task_leases&) = delete;
  task_leases& operator=(const task_leases&) = delete;
  ~task_leases() = default;

  /// Whether workers may be sent several tasks together.
  bool are_on() const noexcept {
    return within_.most > 1;
  }

  /// Whether no task is a follower.
  bool empty() const noexcept {
    return followers_ == 0;
  }

  /// Returns the number of followers.
  std::size_t followers() const noexcept {
    return followers_;
  }

  /// Counts the followers as waiting tasks in `books`, where they count as
  /// sent; with eager assignment, as assigned tasks.
  void count_as_unsent(ledger& books, bool is_eager) const noexcept {
    books.sent -= followers_;
    (is_eager ? books.assigned : books.waiting) += followers_;
  }

  /// Returns the number of times that a worker was sent several tasks together.
  std::uint64_t count() const noexcept {
    return count_;
  }

  /// Returns the workers that have followers, in the order in which they were
  /// sent these.
  leased_workers& workers() noexcept {
    return workers_;
  }

  /// Adds the time that a handler has run.
  void note(duration service) noexcept {
    service_.add(service);
  }

  /// Returns the number of tasks to send to a worker together, if `waiting`
  /// tasks wait for several workers, see `lease_size::of`.
  std::size_t size_for(std::size_t waiting) const noexcept {
    return std::min(lease_size::of(waiting, service_.get(), within_.longest),
                    within_.most);
  }

  /// Returns the time until which the turns of followers should come that are
  /// sent to a worker at `now`.
  instant ends_for(instant now) const noexcept {
    return later(now, within_.longest);
  }

  /// Makes the task a follower of the tasks in the mailbox of the worker.
  void add(task& task, worker& worker, instant now) noexcept {
    task.follows = true;
    if (worker.followers++ == 0) {
      worker.leased_until = ends_for(now);
      worker.overdue_at = later(now, within_.overdue);
      workers_.push_back(worker);
      ++count_;
    }
    lowest_rank_ = followers_++ == 0 ? task.rank
                                     : std::min(lowest_rank_, task.rank);
  }

  /// Records that the task has left the mailbox of the worker. Returns the task
  /// whose turn comes; nullptr if there is none.
  task* left(task& task, worker& worker) noexcept {
    if (task.follows) {
      remove(task, worker);
      return nullptr;
    }
    if (worker.followers == 0 || !worker.mailbox.front().follows)
      return nullptr;
    auto& next = worker.mailbox.front();
    remove(next, worker);
    return &next;
  }

  /// Returns the earliest acceptance time of the next followers of workers;
  /// `never` if no task is a follower.
  instant oldest() const noexcept {
    auto result = never;
    for (const auto& worker : workers_) {
      auto next = std::find_if(worker.mailbox.begin(), worker.mailbox.end(),
                               [](const task& each) { return each.follows; });
      result = std::min(result, next->accepted);
    }
    return result;
  }

  /// Calls `f` with each follower.
  template <class F>
  void for_each_follower(F f) const {
    for (const auto& worker : workers_)
      for (const auto& each : worker.mailbox)
        if (each.follows)
          f(each);
  }

  /// Whether the task may have a higher rank than a follower.
  bool may_overtake(const task& task) const noexcept {
    return followers_ > 0 && task.rank > lowest_rank_;
  }

  /// Calls `f` with each follower that the new task goes before: followers of a
  /// lower rank or, if `by_flow` is true, followers that are not urgent if the
  /// task is urgent. Ranks of different flows are not compared. The last ones
  /// of each worker come first.
  template <class F>
  void for_each_overtaken(const task& task, bool by_flow, F f) {
    auto goes_first = [&](const libpool::task& each) {
      return each.follows
             && (by_flow ? task.urgent && !each.urgent : each.rank < task.rank);
    };
    for (auto& worker : workers_) {
      if (task.on != nullptr && task.on != &worker)
        continue;
      for (auto i = worker.mailbox.rbegin(); i != worker.mailbox.rend(); ++i)
        if (goes_first(*i))
          f(*i);
    }
  }

  /// Followers that can be taken back from a worker.
  struct share {
    worker* from = nullptr;    ///< nullptr: none
    std::size_t followers = 0; ///< number of its last followers
  };

  /// Returns half of the followers of a worker, for an idle worker that could
  /// begin them at once.
  share to_share() noexcept {
    for (auto& worker : workers_) {
      auto left = static_cast<std::size_t>(std::count_if(
        worker.mailbox.begin(), worker.mailbox.end(),
        [](const task& each) { return each.follows && !each.recalled; }));
      if (left > 0)
        return {&worker, worker.followers - left / 2};
    }
    return {};
  }

  /// Returns a worker whose followers have to be taken back, because an earlier
  /// task takes long, and does not return this worker again; nullptr if there
  /// is none.
  worker* take_overdue(instant now) noexcept {
    if (next_overdue() > now)
      return nullptr;
    auto next =
      std::find_if(workers_.begin(), workers_.end(),
                   [](const worker& each) { return each.overdue_at != never; });
    next->overdue_at = never;
    return &*next;
  }

  /// Returns the time at which `take_overdue` returns a worker; `never` if
  /// there is none.
  instant next_overdue() const noexcept {
    for (const auto& each : workers_)
      if (each.overdue_at != never)
        return each.overdue_at;
    return never;
  }

private:
  void remove(task& task, worker& worker) noexcept {
    task.follows = false;
    --followers_;
    if (--worker.followers == 0)
      workers_.erase(workers_.iterator_to(worker));
  }

  const lease_bounds within_;
  std::size_t followers_ = 0;
  std::uint64_t count_ = 0;
  std::int64_t lowest_rank_ = 0; // lower bound of the ranks of followers
  slow_service service_;
  leased_workers workers_;
};

} // namespace libpool
