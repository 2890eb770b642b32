#pragma once

#include "libpool/core/stealing.hpp"
#include "libpool/policies/cost_aware_options.hpp"
#include "libpool/policies/kind_estimates.hpp"
#include "libpool/policies/object_heap.hpp"
#include "libpool/policies/steal_index.hpp"
#include "libpool/policies/steal_records.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace libpool {

/// Stealing in which an idle worker takes over a task that another worker has
/// not begun, if moving the data of the task costs less than waiting. The thief
/// looks at the workers with the largest loads first, at the tasks of each that
/// are cheapest to move first, and at the oldest of these first.
///
/// The cost of a task is estimated when the task is assigned: its own hint,
/// otherwise a moving average over recent tasks of its kind, otherwise the mean
/// over all kinds, otherwise `initial_estimate`. The estimate of a running task
/// is doubled whenever the task has run for that long. The load of a worker is
/// the remaining estimated time of its tasks in flight, plus the times to move
/// their data to it.
///
/// A task t moves from a victim v to an idle thief s if
///
///     move(t, s) + est(t) <= load(v) - (move(t, v) + est(t)) / 2
///     or move(t, s) <= move(t, v),
///
/// provided that v has another task in flight, and that t may run on s and has
/// no key. As a result no steal is undone by the next one, and no worker loses
/// its last task. A thief looks at up to 4 victims and at up to 16 tasks of
/// each, counting only tasks that it may run. No worker stays idle while one of
/// these tasks is worth moving to it.
///
/// Source: Dask's work stealing, with the load of the victim in place of fixed
///         thresholds, and thieves that ask when they become idle in place of a
///         periodic search.
/// Load:   tasks that are assigned but not sent.
/// Order:  the worker that has been idle for longest steals first; among
///         equals, the worker that joined first.
/// Cost:   O(log workers + log tasks) per fact and per steal, if the cost of a
///         move does not depend on the thief. A task with a cost for each
///         worker takes O(workers). `steal_index` states the cost of
///         restrictions. The loads of workers are sorted separately for each
///         number of running tasks, and a steal looks at each of these groups.
/// Time:   depends on the time: estimates, and how long tasks have run.
/// Errors: std::invalid_argument if an option is out of bounds.
class cost_aware_stealing final : public stealing {
public:
  /// Makes the stealing of a pool without workers.
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

  /// Returns the current estimate for a task of that kind without a hint.
  duration estimate(std::uint64_t kind) const noexcept {
    return estimates_.of_kind(kind);
  }

private:
  /// Tasks that are due at the same time rank equally.
  struct due_rule {
    static bool goes_first(const steal_record&, const steal_record&) noexcept {
      return false;
    }

    static void rose(const steal_record&, std::size_t) noexcept {
      // nop
    }
  };

  /// Running tasks, keyed by the time at which they exceed their estimate.
  using running_tasks = object_heap<steal_record, std::int64_t, due_rule>;

  /// Tasks of one offer that were not looked at yet; `next` is the first.
  struct offer_left {
    steal_offer::tasks_by_level::const_iterator next;
    steal_offer::tasks_by_level::const_iterator end;
  };

  /// Offers of workers with one number of running tasks that were not looked at
  /// yet; `next` is the first.
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
  /// Records of ended tasks, kept for reuse.
  std::vector<std::unique_ptr<stealing_record>> spare_;

  /// Scratch space of `choose`, kept to avoid allocations.
  std::vector<offers_left> groups_;
  std::vector<offer_left> offers_;

  kind_estimates estimates_;
};

} // namespace libpool
