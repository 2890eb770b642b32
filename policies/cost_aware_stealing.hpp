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

/// A worker that has nothing to do takes over tasks that another one has not
/// begun, if moving the data costs less than waiting. It takes from the workers
/// with most to do, the tasks that move most cheaply first, and of these the
/// oldest.
///
/// The time that a task will take is estimated when it is bound: its own hint,
/// else what tasks of its kind have taken lately, else what all kinds have on
/// average. One that runs for longer than that is taken to need twice as long,
/// and again. The load of a worker is what its tasks in flight will take, moves
/// included.
///
/// A task t moves from a victim v to a thief s that has nothing in flight if
///
///     move(t, s) + est(t) <= load(v) - (move(t, v) + est(t)) / 2
///     or move(t, s) <= move(t, v),
///
/// if v has another one in flight, and t may run on s and has no key. So no
/// steal is undone by the next one, and no worker is robbed of its last task. A
/// thief looks at 4 victims, and at 16 tasks of each; what it may not run does
/// not count. No idle worker stays idle beside something that it would take.
///
/// Source: Dask's work stealing, with the load of the victim in place of fixed
///         thresholds, and thieves that ask when they get idle in place of a
///         periodic search.
/// Load:   of tasks that are bound and not sent.
/// Order:  the worker that has been idle for longest takes first, of several
///         the one that joined first.
/// Cost:   O(log workers + log tasks) per fact and per steal, while what a move
///         costs does not depend on where it goes; a task with a list of moves
///         costs O(workers). Restrictions cost what `steal_index` says. The
///         loads of workers are sorted by how many tasks they run, so each such
///         number that differs costs a look.
/// Time:   goes by it: estimates, and how long tasks have run.
/// Errors: std::invalid_argument if an option is out of bounds.
class cost_aware_stealing final : public stealing {
public:
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

  /// The cost that a task of that kind is taken to have now, unless the task
  /// has a hint.
  duration estimate(std::uint64_t kind) const noexcept {
    return estimates_.of_kind(kind);
  }

private:
  /// Tasks that are due at the same time are as good as each other.
  struct due_rule {
    static bool goes_first(const steal_record&, const steal_record&) noexcept {
      return false;
    }

    static void rose(const steal_record&, std::size_t) noexcept {
      // nop
    }
  };

  /// By the moments when they are due.
  using running_tasks = object_heap<steal_record, std::int64_t, due_rule>;

  /// Tasks of one offer, the next one first.
  struct offer_left {
    steal_offer::tasks_by_level::const_iterator next;
    steal_offer::tasks_by_level::const_iterator end;
  };

  /// Offers of workers that run as many tasks, the next one first.
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
  /// Of tasks that have ended.
  std::vector<std::unique_ptr<stealing_record>> spare_;

  /// Kept for their memory.
  std::vector<offers_left> groups_;
  std::vector<offer_left> offers_;

  kind_estimates estimates_;
};

} // namespace libpool
