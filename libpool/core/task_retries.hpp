#pragma once

#include "libpool/core/dispatcher_sets.hpp"
#include "libpool/core/ending.hpp"
#include "libpool/core/errc.hpp"
#include "libpool/core/instant.hpp"
#include "libpool/core/limits.hpp"
#include "libpool/core/retry_backoff.hpp"
#include "libpool/core/retry_budget.hpp"
#include "libpool/core/splitmix64.hpp"
#include "libpool/core/task.hpp"
#include "libpool/export.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>

namespace libpool {

/// Decides which tasks are tried again, and when. Keeps the tasks that wait for
/// the time of their next attempt, and counts tasks against the `retry_budget`.
///
/// Cost:       O(log n) for a task that waits, among n such tasks. With a
///             budget, a hash of the flow for each task that goes to a worker
///             or comes back.
/// Randomness: `limits::seed`; one draw for each retry after a crash or an
///             error, with `limits::backoff`.
/// Threads:    one at a time.
class LIBPOOL_EXPORT task_retries {
public:
  /// Makes an object without tasks. `by_flow`: whether each flow has its own
  /// count of retries.
  task_retries(const limits& within, bool by_flow) noexcept;

  // -- attempts ---------------------------------------------------------------

  /// Records that the task was sent to a worker.
  void sent(const task& task) {
    if (budget_)
      ++counts_[key_of(task)].at_workers;
  }

  /// Records that the task has left its worker.
  void came_back(const task& task) {
    if (budget_)
      lower(task, &counts::at_workers);
  }

  /// Decides whether the task, whose handler has answered with an error, is
  /// tried again. `wait`: time until then; zero: a time that `limits::backoff`
  /// gives. If the result is `yes`, `next_attempt` must be called next.
  retry_verdict answered_with_error(task& task, duration wait, instant now);

  /// Returns when the task, whose handler has ended in the way `ending`, may
  /// run again; unset: the task is settled. Counts a crash.
  std::optional<instant> next_attempt(task& task, ending ending, instant now);

  /// Records that the waiting task `next` runs in place of `former`, and so has
  /// as many attempts behind it.
  void takes_over(task& next, const task& former);

  /// Whether the task may run again after a crash that other tasks may have
  /// caused.
  bool may_run_again(const task& task) const noexcept {
    return retries_ > 0 && task.repeatable && !stopped_;
  }

  /// Returns why the task fails, whose handler has ended in the way `ending`,
  /// and for which `next_attempt` has returned no time.
  errc failure_of(const task& task, ending ending) const noexcept;

  /// Records that the task, which was retried after an error, is settled.
  void ended(const task& task) {
    if (budget_)
      lower(task, &counts::retried);
  }

  /// Ends all retries: from now on, no task is tried again. `why`: reason for
  /// which tasks fail that come back.
  void stop(errc why) noexcept {
    stopped_ = why;
  }

  /// Returns the reason why no task is tried again; unset: tasks are tried
  /// again.
  const std::optional<errc>& stopped() const noexcept {
    return stopped_;
  }

  // -- tasks that wait for their next attempts --------------------------------

  /// Lets the task wait until the time `until`.
  void delay(task& task, instant until);

  /// Removes the task. Returns false if it does not wait for its next attempt.
  bool remove(task& task) noexcept;

  /// Returns the task whose time comes first; nullptr if no task waits.
  task* first() noexcept {
    return delayed_.empty() ? nullptr : &delayed_.top();
  }

  /// Removes a task whose time has come at the time `now`, and returns it;
  /// nullptr if there is none.
  task* take_due(instant now) noexcept;

  /// Returns the time of the task whose time comes first; `never` if no task
  /// waits.
  instant next() const noexcept {
    return delayed_.empty() ? never : delayed_.top_key();
  }

  /// Returns the number of tasks that wait for their next attempts.
  std::size_t delayed() const noexcept {
    return delayed_.size();
  }

private:
  struct counts {
    std::size_t at_workers = 0;
    std::size_t retried = 0; // after errors
  };

  bool is_permitted(const task& task, instant now) const noexcept;
  bool is_within_budget(const task& task) const;
  instant draw_after(const task& task, instant now);
  std::optional<instant> after_crash(task& task, instant now);
  void lower(const task& task, std::size_t counts::*lowered);

  std::uint64_t key_of(const task& task) const noexcept {
    return by_flow_ ? task.flow.key().hash() : 0;
  }

  const std::optional<retry_budget> budget_;
  const bool by_flow_;
  const unsigned retries_; // after crashes
  const unsigned poison_after_;
  const std::optional<retry_backoff> backoff_;
  std::unordered_map<std::uint64_t, counts> counts_; // by hash of the flow
  std::optional<errc> stopped_;
  instant retry_at_ = never; // of the task that is about to come back
  tasks_by_retry delayed_;
  splitmix64 draws_;
};

} // namespace libpool
