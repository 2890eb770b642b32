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

/// Data that `cost_aware_stealing` keeps of one assigned task: its estimated
/// cost, and when another worker may take the task over.
struct steal_record final : stealing_record {
  /// Integer type for sums of many durations, in nanoseconds. Such sums may
  /// exceed 64 bits.
  __extension__ using wide = __int128;

  /// Value of `heap_slot` if the task is not running, and so not in the heap of
  /// running tasks.
  static constexpr auto in_no_heap = static_cast<std::uint32_t>(-1);

  /// Makes this the record of the task `subject`. Its estimated cost is
  /// `taken_to_cost`, but at least 1 ns.
  /// @pre no assigned task uses this record
  void begin(libpool::task& subject, duration taken_to_cost) noexcept {
    task = &subject;
    cost = std::max(taken_to_cost, duration{1});
  }

  /// Task to which the record belongs.
  libpool::task* task = nullptr;
  /// Service time of the task, as estimated when the task was assigned; at
  /// least 1 ns.
  duration cost{1};
  /// Time that was added to the estimate `cost`, because the task has run for
  /// longer than that.
  duration overrun{0};
  /// Time that it takes to move the data of the task to its current worker; 0
  /// if the data is there.
  duration move{0};
  /// Time at which the task began, or is assumed to have begun; `never` if the
  /// task is not running.
  instant since = never;
  /// Rank by which idle workers examine tasks, the smallest first. The rank
  /// grows with the ratio of the most expensive move of the task to its
  /// estimated cost; 0 if all moves cost nothing.
  std::size_t level = 0;
  /// Twice the load of the task's worker from which on another worker may take
  /// the task over, in nanoseconds. The load is the remaining time of the
  /// worker's tasks. 0 if some move costs no more than the move to the current
  /// worker.
  wide threshold = 0;

  /// Hook for the set of tasks in a `steal_offer`, sorted by `level`.
  boost::intrusive::set_member_hook<> level_hook;
  /// Hook for the set of tasks in a `steal_offer` whose `threshold` is above 0.
  boost::intrusive::set_member_hook<> threshold_hook;
  /// Position in the heap of running tasks, which is sorted by `due()`.
  std::uint32_t heap_slot = in_no_heap;

  /// Returns how much the task adds to the load of its worker before it runs:
  /// its estimated cost plus the time to move its data, in nanoseconds. The sum
  /// may exceed 64 bits, because a move may take `duration::max()`.
  wide load() const noexcept {
    return wide{cost.count()} + move.count();
  }

  /// Returns the time at which the running task will have run for its estimated
  /// cost, including `overrun`.
  instant due() const noexcept {
    return later(since, cost + overrun);
  }
};

/// Order in which idle workers examine tasks: the tasks that are cheapest to
/// move, by `level`, first. Among equals, older tasks go first.
struct moves_sooner {
  /// Whether the task of `x` has the smaller level, or the same level and is
  /// older.
  bool operator()(const steal_record& x, const steal_record& y) const noexcept {
    return x.level != y.level ? x.level < y.level
                              : x.task->number < y.task->number;
  }
};

/// Order of tasks by `threshold`: the task that another worker may take over at
/// the smallest load of its worker goes first.
struct pays_sooner {
  /// Whether `x` has the smaller threshold.
  bool operator()(const steal_record& x, const steal_record& y) const noexcept {
    return x.threshold < y.threshold;
  }
};

/// Tasks that one busy worker, the victim, offers to idle workers. The offer is
/// for a class: a set of workers that may run the same tasks.
struct steal_offer {
  /// Integer type for sums of many times, in nanoseconds. Such sums may exceed
  /// 64 bits.
  using wide = steal_record::wide;

  /// Option of a Boost.Intrusive set of tasks: elements are linked by their
  /// member `Hook`.
  template <boost::intrusive::set_member_hook<> steal_record::*Hook>
  using hook =
    boost::intrusive::member_hook<steal_record,
                                  boost::intrusive::set_member_hook<>, Hook>;
  /// Set of tasks, sorted by `steal_record::level`: the cheapest to move first.
  using tasks_by_level =
    boost::intrusive::set<steal_record, boost::intrusive::compare<moves_sooner>,
                          hook<&steal_record::level_hook>>;
  /// Set of tasks, sorted by `steal_record::threshold`, the smallest first.
  using tasks_by_threshold =
    boost::intrusive::multiset<steal_record,
                               boost::intrusive::compare<pays_sooner>,
                               hook<&steal_record::threshold_hook>>;

  /// Makes an offer without tasks: of the busy worker `record` to the idle
  /// workers of the class `target`.
  steal_offer(victim_record& record, steal_class& target) noexcept
    : victim(&record), takers(&target) {
    // nop
  }

  /// Busy worker that offers the tasks.
  victim_record* victim;
  /// Class of workers that may take over the tasks.
  steal_class* takers;
  /// All tasks that idle workers may take over, sorted by the cost of the move,
  /// the cheapest first.
  tasks_by_level tasks;
  /// Offered tasks that are expensive to move: another worker takes them over
  /// only while the load of their worker is large. These are the tasks with a
  /// `threshold` above 0.
  tasks_by_threshold dear;

  /// Number of running tasks of the busy worker. In `steal_class`, offers are
  /// grouped by this number.
  std::size_t group = 0;
  /// Load of the busy worker at the time t, plus t for each of its running
  /// tasks, in nanoseconds. The load is the remaining time of its tasks. This
  /// sum does not change as time passes.
  wide load = 0;
  /// Twice `load`, less the smallest `threshold` of the offered tasks. A task
  /// may be worth moving at the time t if this is at least 2 t for each running
  /// task. Used only if all offered tasks have a threshold above 0.
  wide excess = 0;
  /// Hook for the set of offers in a `steal_class` that is sorted by `load`.
  boost::intrusive::set_member_hook<> load_hook;
  /// Hook for the set of offers in a `steal_class` that is sorted by `excess`.
  boost::intrusive::set_member_hook<> excess_hook;

  /// Whether some offered task can be taken over whatever the load of its
  /// worker is, because a move costs no more than the move to its current
  /// worker.
  bool has_free_task() const noexcept {
    return tasks.size() > dear.size();
  }
};

/// Data that `cost_aware_stealing` keeps of one worker: the load of the worker,
/// and the tasks that other workers may take over from it.
struct victim_record final : stealing_record {
  /// Integer type for sums of many times, in nanoseconds. Such sums may exceed
  /// 64 bits.
  using wide = steal_record::wide;

  /// Makes the record of the worker `subject`, which has no tasks. `all` is the
  /// class of all workers.
  victim_record(libpool::worker& subject, steal_class& all) noexcept
    : worker(&subject), for_all(*this, all) {
    // nop
  }

  /// Worker to which the record belongs.
  libpool::worker* worker;
  /// Sum, over the tasks in flight, of the estimated cost and of the time to
  /// move the data of the task to this worker, in nanoseconds.
  wide costs = 0;
  /// Sum of the times at which the running tasks began, in nanoseconds. The
  /// load of the worker at the time t, its remaining work, is `costs + began`,
  /// less t for each running task.
  wide began = 0;
  /// Number of running tasks of the worker.
  std::size_t running = 0;
  /// Number of tasks in flight of the worker: assigned and not ended.
  std::size_t in_flight = 0;

  /// Tasks of this worker that all other workers may take over.
  steal_offer for_all;
  /// Tasks of this worker that only some workers may take over, by the set of
  /// these workers.
  std::map<const restriction*, steal_offer> for_some;

  /// Time at which the worker last became idle. Not used while the worker is
  /// busy.
  instant idle_since = never;
  /// Hook for the list of workers that have to be sorted again, because their
  /// load or their tasks have changed.
  boost::intrusive::list_member_hook<> changed_hook;
  /// Hook for the set of idle workers, the longest idle first.
  boost::intrusive::set_member_hook<> idle_hook;
  /// Hook for the set of all workers, sorted by number.
  boost::intrusive::set_member_hook<> number_hook;

  /// Returns the load of the worker at the time `now`: the remaining time that
  /// its tasks in flight are estimated to take, in nanoseconds.
  wide load(instant now) const noexcept {
    return costs + began
           - static_cast<wide>(running) * now.time_since_epoch().count();
  }

  /// Whether the worker is idle: it has no tasks, and could begin one at once.
  bool is_idle() const noexcept {
    return idle_hook.is_linked();
  }
};

/// Order of busy workers by load, the largest load first. The load is the
/// remaining time of a worker's tasks. Among equals, the smaller worker number
/// goes first. Compares only workers with the same number of running tasks.
struct has_more_to_do {
  /// Whether the worker of `x` has the larger load, or the same load and the
  /// smaller number.
  bool operator()(const steal_offer& x, const steal_offer& y) const noexcept {
    return x.load != y.load
             ? x.load > y.load
             : x.victim->worker->number < y.victim->worker->number;
  }
};

/// Order of offers of busy workers by `steal_offer::excess`, the largest first:
/// the offer that most likely has a task worth moving goes first.
struct exceeds_more {
  /// Whether `x` has the larger excess.
  bool operator()(const steal_offer& x, const steal_offer& y) const noexcept {
    return x.excess > y.excess;
  }
};

/// Order of idle workers: the worker that has been idle for longest goes first,
/// then the worker with the smaller number.
struct idled_sooner {
  /// Whether `x` has been idle for longer, or for the same time and has the
  /// smaller number.
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

/// A set of workers that may run the same tasks, and the tasks that busy
/// workers offer to the idle workers of this set.
struct steal_class {
  /// Set of offers of busy workers, sorted by the load of the worker, the
  /// largest first.
  using offers_by_load = boost::intrusive::set<
    steal_offer, boost::intrusive::compare<has_more_to_do>,
    boost::intrusive::member_hook<steal_offer,
                                  boost::intrusive::set_member_hook<>,
                                  &steal_offer::load_hook>>;
  /// Set of offers of busy workers, sorted by `steal_offer::excess`, the
  /// largest first.
  using offers_by_excess = boost::intrusive::multiset<
    steal_offer, boost::intrusive::compare<exceeds_more>,
    boost::intrusive::member_hook<steal_offer,
                                  boost::intrusive::set_member_hook<>,
                                  &steal_offer::excess_hook>>;

  /// Makes a class that has no tasks yet. `restriction` names its workers;
  /// nullptr: all workers.
  explicit steal_class(const restriction* restriction) noexcept
    : where(restriction) {
    // nop
  }

  /// Set of the workers of this class; nullptr: all workers.
  const restriction* where;
  /// Offers of busy workers, by the number of their running tasks. Offers with
  /// the same number are sorted by the load of the worker. This order does not
  /// change as time passes.
  std::map<std::size_t, offers_by_load> offers;
  /// Offers in which all tasks are expensive to move, by the number of running
  /// tasks of the busy worker. Such tasks are taken over only while the load of
  /// their worker is large.
  std::map<std::size_t, offers_by_excess> dear;
  /// Number of tasks that workers of the class may take over. Includes tasks
  /// that are the only ones of their worker, and so are not taken over now.
  std::size_t tasks = 0;
  /// Number of offers in `offers` with a task that can be taken over whatever
  /// the load of its worker is (`steal_offer::has_free_task`).
  std::size_t free_offers = 0;
  /// Time of the last search that found no idle worker of this class; unset:
  /// there was no such search. Workers that became idle before this time need
  /// not be searched again: they are not in the class.
  std::optional<instant> no_taker_before;
  /// Whether `steal_index` can look up the class by the number of each of its
  /// workers.
  bool is_indexed = false;
  /// Hook for the queue of classes in which an idle worker may have a reason to
  /// take over a task.
  boost::intrusive::list_member_hook<> queue_hook;

  /// Whether the worker belongs to this class, and so may run its tasks.
  bool permits(const worker& worker) const noexcept {
    return where == nullptr || libpool::permits(*where, worker.number);
  }

  /// Whether an idle worker of this class may have a reason to take over a task
  /// at the time `now`. False: no offered task is worth moving.
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
