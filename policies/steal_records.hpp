#pragma once

#include "libpool/core/instant.hpp"
#include "libpool/core/stealing_record.hpp"
#include "libpool/core/task.hpp"
#include "libpool/core/worker.hpp"

#include <boost/intrusive/set.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace libpool {

/// What a stealing knows of a task that is bound to a worker.
struct steal_record final : stealing_record {
  /// Wide enough for sums of durations and of moments.
  __extension__ using wide = __int128;

  steal_record(task& of, duration taken_to_cost) noexcept
    : what(&of), cost(std::max(taken_to_cost, duration{1})) {
    // nop
  }

  task* what;
  /// What it is taken to cost, and beyond that, since it runs for longer.
  duration cost;
  duration overrun{0};
  /// Of its data, to where it is bound.
  duration move{0};
  /// Since when it counts as running.
  instant since = never;
  /// How dear it is to move, compared with its cost; 0: it costs nothing.
  std::size_t level = 0;

  /// Among those of its worker that may be stolen.
  boost::intrusive::set_member_hook<> level_hook;
  /// Among those that run.
  boost::intrusive::set_member_hook<> due_hook;

  /// What it adds to the load of its worker before it runs, in nanoseconds: to
  /// move something may take for ever.
  wide load() const noexcept {
    return wide{cost.count()} + move.count();
  }

  /// When it will have run for as long as it is taken to cost.
  instant due() const noexcept {
    return later(since, cost + overrun);
  }
};

/// Orders them by age.
struct older_record {
  bool operator()(const steal_record& x, const steal_record& y) const noexcept {
    return x.what->number < y.what->number;
  }
};

/// What a stealing knows of a worker.
struct victim_record final : stealing_record {
  using wide = steal_record::wide;

  /// Levels: nothing to move, then one for each power of two of what moving
  /// costs, compared with the task, from 2^-20 to 2^20.
  static constexpr std::size_t levels = 42;

  using tasks_by_age =
    boost::intrusive::set<steal_record, boost::intrusive::compare<older_record>,
                          boost::intrusive::member_hook<
                            steal_record, boost::intrusive::set_member_hook<>,
                            &steal_record::level_hook>>;

  explicit victim_record(worker& of) noexcept : who(&of) {
    // nop
  }

  worker* who;
  /// What its tasks in flight will take, and when those that run began, in
  /// nanoseconds: its load is the sum, less the present moment for each that
  /// runs.
  wide costs = 0;
  wide began = 0;
  std::size_t running = 0;

  /// What may be stolen, by level, and which levels have something.
  std::array<tasks_by_age, levels> stealable;
  std::uint64_t mask = 0;

  /// Where it is sorted by what it has to do, among those with as many that
  /// run: by which key, if at all.
  wide key = 0;
  std::size_t group = 0;
  boost::intrusive::set_member_hook<> hook;

  /// What it has to do, in nanoseconds of work.
  wide load(instant now) const noexcept {
    return costs + began
           - static_cast<wide>(running) * now.time_since_epoch().count();
  }
};

/// Orders them by what they have to do, most first.
struct has_more_to_do {
  bool operator()(const victim_record& x,
                  const victim_record& y) const noexcept {
    return x.key != y.key ? x.key > y.key : x.who->number < y.who->number;
  }
};

} // namespace libpool
