#pragma once

#include "libpool/core/kind_estimates.hpp"
#include "libpool/core/stealing.hpp"
#include "libpool/export.hpp"
#include "libpool/policies/order/object_heap.hpp"
#include "libpool/policies/stealing/cost_aware_options.hpp"
#include "libpool/policies/stealing/steal_index.hpp"
#include "libpool/policies/stealing/steal_records.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace libpool {

/// Stealing policy in which an idle worker, the thief, takes over a task that
/// was assigned to another worker, the victim, and is not in its mailbox yet.
/// This happens if moving the data of the task costs less than waiting. The
/// thief examines the workers with the largest loads first. Among the tasks of
/// a worker, it examines the tasks that are cheapest to move first, and older
/// tasks before newer tasks.
///
/// The cost of a task is estimated when the task is assigned. The estimate is
/// that of the task itself, otherwise a moving average over recent tasks of its
/// kind, otherwise the mean over all kinds, otherwise `initial_estimate`. The
/// estimate of a running task is doubled whenever the task has run for as long
/// as the estimate. The load of a worker is the remaining estimated time of its
/// tasks in flight, plus the times to move the data of these tasks to the
/// worker.
///
/// A task t moves from a victim v to an idle thief s if
///
///     move(t, s) + est(t) <= load(v) - (move(t, v) + est(t)) / 2
///     or move(t, s) <= move(t, v),
///
/// provided that v has another task in flight, and that t may run on s and has
/// no key. Here move(t, w) is the time to move the data of t to the worker w,
/// est(t) is the estimated cost of t, and load(v) is the load of v. As a
/// result, no move is undone by the next move, and no worker loses its last
/// task. A thief examines up to 4 victims and up to 16 tasks of each victim,
/// counting only tasks that the thief may run. No worker stays idle while one
/// of these tasks is worth moving to it.
///
/// Source: Dask's work stealing. The load of the victim replaces fixed
///         thresholds, and a search when a worker becomes idle replaces a
///         periodic search.
/// Load:   only tasks that are assigned and not sent can be stolen.
/// Order:  the worker that has been idle for longest steals first; among
///         equals, the worker that joined first.
/// Cost:   O(log workers + log tasks) for each change of a task or a worker,
///         and for each move, if the cost of a move does not depend on the
///         thief. A task with a cost for each worker takes O(workers).
///         `steal_index` states the cost of restrictions. The loads of workers
///         are sorted separately for each number of running tasks, and a thief
///         examines each of these groups.
/// Time:   decisions depend on the clock, because estimates come from measured
///         service times, and because the load of a worker decreases while its
///         tasks run.
/// Errors: std::invalid_argument if an option is out of bounds.
class LIBPOOL_EXPORT cost_aware_stealing final : public stealing {
public:
  /// Makes a stealing policy for a pool without workers.
  explicit cost_aware_stealing(const cost_aware_options& options = {});

  // -- facts ------------------------------------------------------------------

  void joined(worker& worker, instant now) noexcept override;
  void left(worker& worker, instant now) noexcept override;
  void idled(worker& worker, instant now) noexcept override;
  void engaged(worker& worker, instant now) noexcept override;
  void changing(const restriction& where) noexcept override;
  void assigned(task& task, instant now) noexcept override;
  void sent(task& task, instant now) noexcept override;
  void unassigned(task& task, instant now) noexcept override;
  void began(task& task, instant now) noexcept override;
  void ended(task& task, std::optional<duration> took,
             instant now) noexcept override;

  void ticked(instant now) noexcept override;

  // -- questions --------------------------------------------------------------

  bool has_work() const noexcept override {
    return index_.has_tasks();
  }

  std::optional<takeover> choose(instant now) noexcept override;
  instant next_tick() const noexcept override;

  /// Returns the estimated service time of the tasks of this kind. Tasks of one
  /// kind take about the same time. The estimate is not used for tasks that
  /// come with an estimate of their own.
  duration estimate(std::uint64_t kind) const noexcept {
    return estimates_.of_kind(kind);
  }

private:
  /// Rule of the heap of running tasks. Tasks that will exceed their estimates
  /// at the same time are in no particular order.
  struct due_rule {
    static bool goes_first(const steal_record&, const steal_record&) noexcept {
      return false;
    }

    static void rose(const steal_record&, std::size_t) noexcept {
      // nop
    }
  };

  /// Heap of running tasks, sorted by the time at which a task will have run
  /// for longer than estimated.
  using running_tasks = object_heap<steal_record, std::int64_t, due_rule>;

  /// Tasks of one worker that an idle worker may take over and has not examined
  /// yet, from `next` to `end`.
  struct offer_left {
    steal_offer::tasks_by_level::const_iterator next;
    steal_offer::tasks_by_level::const_iterator end;
  };

  /// Busy workers that the idle worker has not examined yet, from `next` to
  /// `end`. All of these workers have the same number of running tasks, and are
  /// sorted by their remaining work.
  struct offers_left {
    steal_class::offers_by_load::const_iterator next;
    steal_class::offers_by_load::const_iterator end;
  };

  void book(task& task);
  void run(victim_record& victim, steal_record& record, instant since) noexcept;
  void run_no_more(victim_record& victim, steal_record& record) noexcept;
  void catch_up(instant now) noexcept;
  void sort_in(steal_record& record);
  task* choice_of(const victim_record& thief, instant now);
  const victim_record* next_victim(instant now);
  task* choice_from(const victim_record& victim, const victim_record& thief,
                    instant now);

  running_tasks running_;
  steal_index index_;
  /// Records of ended tasks, kept to be reused for new tasks.
  std::vector<std::unique_ptr<stealing_record>> spare_;

  /// Groups of busy workers that the function `choose` still has to examine. A
  /// member only to avoid allocations.
  std::vector<offers_left> groups_;
  std::vector<offer_left> offers_;

  kind_estimates estimates_;
};

} // namespace libpool
