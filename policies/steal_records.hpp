#pragma once

#include "libpool/core/instant.hpp"
#include "libpool/core/restriction.hpp"
#include "libpool/core/stealing_record.hpp"
#include "libpool/core/task.hpp"
#include "libpool/core/worker.hpp"

#include <boost/intrusive/list_hook.hpp>
#include <boost/intrusive/set.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>

namespace libpool {

struct steal_class;
struct victim_record;

/// The record that `cost_aware_stealing` keeps of each assigned task.
struct steal_record final : stealing_record {
  /// Integer type that is wide enough for sums of durations and of time points.
  __extension__ using wide = __int128;

  /// Value of `heap_slot` if the task is in no heap.
  static constexpr auto in_no_heap = static_cast<std::uint32_t>(-1);

  /// Starts the record of a task.
  /// @pre the record belongs to no assigned task
  void begin(libpool::task& of, duration taken_to_cost) noexcept {
    task = &of;
    cost = std::max(taken_to_cost, duration{1});
  }

  /// Task to which the record belongs.
  libpool::task* task = nullptr;
  /// Estimated cost of the task at assignment; at least 1 ns.
  duration cost{1};
  /// Time that was added to the estimated cost because the task has run for
  /// longer than estimated.
  duration overrun{0};
  /// Time to move the data of the task to the worker that has the task.
  duration move{0};
  /// Known or presumed time at which the task began; `never` if the task is not
  /// running.
  instant since = never;
  /// Rank of the task by the ratio of its most expensive move to its cost; 0 if
  /// moving the task costs nothing.
  std::size_t level = 0;
  /// Twice the minimum load of the victim at which the task is worth moving to
  /// the worker with the cheapest move; 0 if the task is always worth moving.
  wide threshold = 0;

  /// Hook of the set of all tasks of a `steal_offer`, by level.
  boost::intrusive::set_member_hook<> level_hook;
  /// Hook of the set of tasks with a threshold above 0, by threshold.
  boost::intrusive::set_member_hook<> threshold_hook;
  /// Slot in the heap of running tasks.
  std::uint32_t heap_slot = in_no_heap;

  /// Returns the contribution of the task to the load of its worker before the
  /// task runs, in nanoseconds. The type is wide, because a move may take
  /// `duration::max()`.
  wide load() const noexcept {
    return wide{cost.count()} + move.count();
  }

  /// Returns the time at which the task will have run for its estimated cost.
  instant due() const noexcept {
    return later(since, cost + overrun);
  }
};

/// Order of tasks by `level`, the cheapest to move first. Within a level, older
/// tasks go first.
struct moves_sooner {
  /// Whether `x` goes before `y`.
  bool operator()(const steal_record& x, const steal_record& y) const noexcept {
    return x.level != y.level ? x.level < y.level
                              : x.task->number < y.task->number;
  }
};

/// Order of tasks by `threshold`, the smallest first.
struct pays_sooner {
  /// Whether `x` goes before `y`.
  bool operator()(const steal_record& x, const steal_record& y) const noexcept {
    return x.threshold < y.threshold;
  }
};

/// The tasks of one worker that the workers of one class may steal.
struct steal_offer {
  /// Integer type that is wide enough for sums of durations and of time points.
  using wide = steal_record::wide;

  /// Option of a Boost set whose hook is the member `Hook`.
  template <boost::intrusive::set_member_hook<> steal_record::*Hook>
  using hook =
    boost::intrusive::member_hook<steal_record,
                                  boost::intrusive::set_member_hook<>, Hook>;
  /// Set of tasks by level.
  using tasks_by_level =
    boost::intrusive::set<steal_record, boost::intrusive::compare<moves_sooner>,
                          hook<&steal_record::level_hook>>;
  /// Set of tasks by threshold.
  using tasks_by_threshold =
    boost::intrusive::multiset<steal_record,
                               boost::intrusive::compare<pays_sooner>,
                               hook<&steal_record::threshold_hook>>;

  /// Makes an offer without tasks.
  steal_offer(victim_record& by, steal_class& to) noexcept
    : victim(&by), takers(&to) {
    // nop
  }

  /// Worker that has the tasks.
  victim_record* victim;
  /// Workers that may steal the tasks.
  steal_class* takers;
  /// All tasks of the offer, by level.
  tasks_by_level tasks;
  /// Tasks of the offer with a threshold above 0, which are not always worth
  /// moving.
  tasks_by_threshold dear;

  /// Number of running tasks of the worker. This number is the key of the offer
  /// in the maps of the class.
  std::size_t group = 0;
  /// Load of the worker, in nanoseconds, before the current time is deducted
  /// for each running task.
  wide load = 0;
  /// Twice `load`, less the lowest threshold of the tasks; used only if no task
  /// of the offer is always worth moving.
  wide excess = 0;
  /// Hook of the set of offers by load.
  boost::intrusive::set_member_hook<> load_hook;
  /// Hook of the set of offers by excess.
  boost::intrusive::set_member_hook<> excess_hook;

  /// Whether some task of the offer is always worth moving.
  bool has_free_task() const noexcept {
    return tasks.size() > dear.size();
  }
};

/// The record that `cost_aware_stealing` keeps of each worker.
struct victim_record final : stealing_record {
  /// Integer type that is wide enough for sums of durations and of time points.
  using wide = steal_record::wide;

  /// Makes the record of a worker without tasks.
  victim_record(libpool::worker& of, steal_class& all) noexcept
    : worker(&of), for_all(*this, all) {
    // nop
  }

  /// Worker to which the record belongs.
  libpool::worker* worker;
  /// Sum of the estimated costs and moves of the tasks in flight, in
  /// nanoseconds.
  wide costs = 0;
  /// Sum of the times at which the running tasks began, in nanoseconds. The
  /// load of the worker is `costs + began`, less the current time for each
  /// running task.
  wide began = 0;
  /// Number of running tasks.
  std::size_t running = 0;
  /// Number of tasks in flight.
  std::size_t in_flight = 0;

  /// Offer of the tasks that all workers may steal.
  steal_offer for_all;
  /// Offers of the tasks that only some workers may steal, by restriction.
  std::map<const restriction*, steal_offer> for_some;

  /// Time at which the worker became idle; meaningful only if the worker is
  /// idle.
  instant idle_since = never;
  /// Hook of the list of workers whose load or tasks have changed since the
  /// last `steal_index::ask`.
  boost::intrusive::list_member_hook<> changed_hook;
  /// Hook of the set of idle workers.
  boost::intrusive::set_member_hook<> idle_hook;
  /// Hook of the set of idle workers by number.
  boost::intrusive::set_member_hook<> number_hook;

  /// Returns the estimated time of the work in flight, in nanoseconds.
  wide load(instant now) const noexcept {
    return costs + began
           - static_cast<wide>(running) * now.time_since_epoch().count();
  }

  /// Whether the worker is idle.
  bool is_idle() const noexcept {
    return idle_hook.is_linked();
  }
};

/// Order of offers by the load of their worker, the largest first, then by the
/// number of the worker.
struct has_more_to_do {
  /// Whether `x` goes before `y`.
  bool operator()(const steal_offer& x, const steal_offer& y) const noexcept {
    return x.load != y.load
             ? x.load > y.load
             : x.victim->worker->number < y.victim->worker->number;
  }
};

/// Order of offers by `excess`, the largest first.
struct exceeds_more {
  /// Whether `x` goes before `y`.
  bool operator()(const steal_offer& x, const steal_offer& y) const noexcept {
    return x.excess > y.excess;
  }
};

/// Order of idle workers: the worker that has been idle for longest goes first,
/// then the worker with the smaller number.
struct idled_sooner {
  /// Whether `x` goes before `y`.
  bool operator()(const victim_record& x,
                  const victim_record& y) const noexcept {
    return x.idle_since != y.idle_since ? x.idle_since < y.idle_since
                                        : x.worker->number < y.worker->number;
  }

  /// Whether `x` became idle before the time `y`.
  bool operator()(const victim_record& x, instant y) const noexcept {
    return x.idle_since < y;
  }
};

/// A class of workers that may run the same tasks, and the offers of these
/// tasks.
struct steal_class {
  /// Set of offers by load.
  using offers_by_load = boost::intrusive::set<
    steal_offer, boost::intrusive::compare<has_more_to_do>,
    boost::intrusive::member_hook<steal_offer,
                                  boost::intrusive::set_member_hook<>,
                                  &steal_offer::load_hook>>;
  /// Set of offers by excess.
  using offers_by_excess = boost::intrusive::multiset<
    steal_offer, boost::intrusive::compare<exceeds_more>,
    boost::intrusive::member_hook<steal_offer,
                                  boost::intrusive::set_member_hook<>,
                                  &steal_offer::excess_hook>>;

  /// Makes a class without workers; `of` is nullptr for the class of all
  /// workers.
  explicit steal_class(const restriction* of) noexcept : where(of) {
    // nop
  }

  /// Restriction that names the workers; nullptr: all workers.
  const restriction* where;
  /// Offers, by the number of running tasks of their workers. Within each set,
  /// the order of loads does not change as time passes.
  std::map<std::size_t, offers_by_load> offers;
  /// Offers without a task that is always worth moving, by the number of
  /// running tasks of their workers.
  std::map<std::size_t, offers_by_excess> dear;
  /// Number of tasks that workers of the class may steal, including tasks whose
  /// offer is not in `offers`.
  std::size_t tasks = 0;
  /// Number of offers in `offers` with a task that is always worth moving.
  std::size_t free_offers = 0;
  /// Time of the last search that found no idle worker of the class; unset:
  /// none. A worker that has been idle since before this time is not in the
  /// class.
  std::optional<instant> no_taker_before;
  /// Whether `steal_index` can find the class by the numbers of its workers.
  bool is_indexed = false;
  /// Hook of the queue of classes for which an idle worker has to be searched.
  boost::intrusive::list_member_hook<> queue_hook;

  /// Whether the worker is in the class.
  bool permits(const worker& worker) const noexcept {
    return where == nullptr || libpool::permits(*where, worker.number);
  }

  /// Whether some worker has so much load that one of its tasks for this class
  /// may be worth moving.
  bool pays(instant now) const noexcept {
    auto moment = now.time_since_epoch().count();
    auto is_above = [moment](const auto& group) {
      auto passed = static_cast<steal_record::wide>(group.first) * moment;
      return group.second.begin()->excess >= 2 * passed;
    };
    return free_offers > 0 || std::any_of(dear.begin(), dear.end(), is_above);
  }
};

} // namespace libpool
