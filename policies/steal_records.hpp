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

/// The record that a stealing keeps of a task that is bound to a worker.
struct steal_record final : stealing_record {
  /// Wide enough for sums of durations and of moments.
  __extension__ using wide = __int128;

  static constexpr auto in_no_heap = static_cast<std::uint32_t>(-1);

  /// Is of this task from now on.
  /// @pre it is of no task that is bound
  void begin(libpool::task& of, duration taken_to_cost) noexcept {
    task = &of;
    cost = std::max(taken_to_cost, duration{1});
  }

  libpool::task* task = nullptr;
  /// The cost that it is taken to have, and more if it runs for longer.
  duration cost{1};
  duration overrun{0};
  /// Of its data, to where it is bound.
  duration move{0};
  /// Since when it counts as running.
  instant since = never;
  /// How dear it is to move, compared with its cost; 0: it costs nothing.
  std::size_t level = 0;
  /// Twice the load that its worker must have for it to be worth moving to the
  /// worker that is cheapest to reach; 0: it always is.
  wide threshold = 0;

  /// Among the tasks that the same workers may take from its worker, by level,
  /// and by threshold if that is above 0.
  boost::intrusive::set_member_hook<> level_hook;
  boost::intrusive::set_member_hook<> threshold_hook;
  /// Among the running tasks.
  std::uint32_t heap_slot = in_no_heap;

  /// Its part of the load of its worker before it runs, in nanoseconds: to move
  /// something may take for ever.
  wide load() const noexcept {
    return wide{cost.count()} + move.count();
  }

  /// When it will have run for as long as it is taken to cost.
  instant due() const noexcept {
    return later(since, cost + overrun);
  }
};

/// Orders tasks by what it costs to move them, the older first within.
struct moves_sooner {
  bool operator()(const steal_record& x, const steal_record& y) const noexcept {
    return x.level != y.level ? x.level < y.level
                              : x.task->number < y.task->number;
  }
};

struct pays_sooner {
  bool operator()(const steal_record& x, const steal_record& y) const noexcept {
    return x.threshold < y.threshold;
  }
};

/// The tasks of one worker that the workers of one class may take.
struct steal_offer {
  using wide = steal_record::wide;

  template <boost::intrusive::set_member_hook<> steal_record::*Hook>
  using hook =
    boost::intrusive::member_hook<steal_record,
                                  boost::intrusive::set_member_hook<>, Hook>;
  using tasks_by_level =
    boost::intrusive::set<steal_record, boost::intrusive::compare<moves_sooner>,
                          hook<&steal_record::level_hook>>;
  using tasks_by_threshold =
    boost::intrusive::multiset<steal_record,
                               boost::intrusive::compare<pays_sooner>,
                               hook<&steal_record::threshold_hook>>;

  steal_offer(victim_record& by, steal_class& to) noexcept
    : victim(&by), takers(&to) {
    // nop
  }

  victim_record* victim;
  steal_class* takers;
  tasks_by_level tasks;
  /// The tasks of it that are not always worth moving.
  tasks_by_threshold dear;

  /// Where it is sorted, if it is: among the offers of workers that run as many
  /// tasks, by their loads; and by the excess of these over the lowest
  /// threshold.
  std::size_t group = 0;
  wide load = 0;
  wide excess = 0;
  boost::intrusive::set_member_hook<> load_hook;
  boost::intrusive::set_member_hook<> excess_hook;

  /// Whether something of it is always worth moving.
  bool has_free_task() const noexcept {
    return tasks.size() > dear.size();
  }
};

/// The record that a stealing keeps of a worker.
struct victim_record final : stealing_record {
  using wide = steal_record::wide;

  victim_record(libpool::worker& of, steal_class& all) noexcept
    : worker(&of), for_all(*this, all) {
    // nop
  }

  libpool::worker* worker;
  /// The sum of the times that its tasks in flight will take, and of the
  /// moments when the running ones began, in nanoseconds: its load is the sum,
  /// less the present moment for each that runs.
  wide costs = 0;
  wide began = 0;
  std::size_t running = 0;
  std::size_t in_flight = 0;

  /// The tasks that all workers may steal, and that some may.
  steal_offer for_all;
  std::map<const restriction*, steal_offer> for_some;

  instant idle_since = never;
  /// Among the workers that have changed since workers were asked last.
  boost::intrusive::list_member_hook<> changed_hook;
  boost::intrusive::set_member_hook<> idle_hook;
  boost::intrusive::set_member_hook<> number_hook;

  /// The work that it has to do, in nanoseconds.
  wide load(instant now) const noexcept {
    return costs + began
           - static_cast<wide>(running) * now.time_since_epoch().count();
  }

  bool is_idle() const noexcept {
    return idle_hook.is_linked();
  }
};

/// Orders offers by the loads of their workers, the largest first.
struct has_more_to_do {
  bool operator()(const steal_offer& x, const steal_offer& y) const noexcept {
    return x.load != y.load
             ? x.load > y.load
             : x.victim->worker->number < y.victim->worker->number;
  }
};

/// Orders offers by how much is worth it, most first.
struct exceeds_more {
  bool operator()(const steal_offer& x, const steal_offer& y) const noexcept {
    return x.excess > y.excess;
  }
};

/// Orders idle workers: the one that has been idle for longest first.
struct idled_sooner {
  bool operator()(const victim_record& x,
                  const victim_record& y) const noexcept {
    return x.idle_since != y.idle_since ? x.idle_since < y.idle_since
                                        : x.worker->number < y.worker->number;
  }

  bool operator()(const victim_record& x, instant y) const noexcept {
    return x.idle_since < y;
  }
};

/// The workers that may run some tasks, and the tasks that there are for them.
struct steal_class {
  using offers_by_load = boost::intrusive::set<
    steal_offer, boost::intrusive::compare<has_more_to_do>,
    boost::intrusive::member_hook<steal_offer,
                                  boost::intrusive::set_member_hook<>,
                                  &steal_offer::load_hook>>;
  using offers_by_excess = boost::intrusive::multiset<
    steal_offer, boost::intrusive::compare<exceeds_more>,
    boost::intrusive::member_hook<steal_offer,
                                  boost::intrusive::set_member_hook<>,
                                  &steal_offer::excess_hook>>;

  explicit steal_class(const restriction* of) noexcept : where(of) {
    // nop
  }

  /// Nullptr: all.
  const restriction* where;
  /// By how many tasks of their workers run: as long as that stays, the order
  /// within does not change with time.
  std::map<std::size_t, offers_by_load> offers;
  std::map<std::size_t, offers_by_excess> dear;
  /// How many tasks there are, listed or not, and how many of the listed offers
  /// have one that is always worth moving.
  std::size_t tasks = 0;
  std::size_t free_offers = 0;
  /// None of the workers that have been idle since before then is of it.
  std::optional<instant> no_taker_before;
  /// Whether it is found by the numbers of its workers.
  bool is_indexed = false;
  /// Among the classes to be looked at.
  boost::intrusive::list_member_hook<> queue_hook;

  bool permits(const worker& worker) const noexcept {
    return where == nullptr || libpool::permits(*where, worker.number);
  }

  /// Whether some worker has so much to do that something of it, of which there
  /// is some for this class, may be worth moving.
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
