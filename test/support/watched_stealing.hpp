#pragma once

#include "libpool/core/ewma.hpp"
#include "libpool/core/restriction.hpp"
#include "libpool/core/stealing.hpp"
#include "libpool/policies/stealing/cost_aware_stealing.hpp"
#include "support/watcher.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

namespace test {

/// Whether the worker has nothing, and would take something.
inline bool is_idle(const libpool::worker& worker) {
  return worker.is == libpool::worker::condition::serving
         && worker.in_flight == 0 && worker.hanging == 0 && !worker.pauses
         && !worker.suspended && !worker.rest_hook.is_linked();
}

/// Cost-aware stealing, and its laws: it chooses the takeovers of its rule.
class watched_stealing final : public watcher<libpool::stealing> {
public:
  using idle_workers = std::map<const libpool::worker*, libpool::instant>;

  explicit watched_stealing(const libpool::cost_aware_options& options)
    : watcher(std::make_unique<libpool::cost_aware_stealing>(options)),
      options_(options) {
    // nop
  }

  // -- facts ------------------------------------------------------------------

  void joined(libpool::worker& worker, libpool::instant now) noexcept override {
    expect(workers_.insert(&worker).second, "a worker joins once");
    tell(&stealing::joined, worker, now);
  }

  void left(libpool::worker& worker, libpool::instant now) noexcept override {
    expect(workers_.erase(&worker) == 1,
           "only a worker that has joined leaves");
    expect(worker.deque.empty() && worker.mailbox.empty(),
           "a worker that leaves has nothing");
    tell(&stealing::left, worker, now);
  }

  void idled(libpool::worker& worker, libpool::instant now) noexcept override {
    expect(is_idle(worker), "a worker is told to be idle when it has nothing");
    expect(idle_since_.emplace(&worker, now).second,
           "an idle worker was not idle");
    tell(&stealing::idled, worker, now);
  }

  void engaged(libpool::worker& worker,
               libpool::instant now) noexcept override {
    expect(idle_since_.erase(&worker) == 1, "only idle workers are engaged");
    tell(&stealing::engaged, worker, now);
  }

  void assigned(libpool::task& task, libpool::instant now) noexcept override {
    move(task, place::nowhere, place::deque, "an assigned task was nowhere");
    expect(task.on != nullptr && workers_.count(task.on) == 1,
           "tasks are assigned to workers that are there");
    costs_.emplace(task.number, estimate(task));
    tell(&stealing::assigned, task, now);
  }

  void sent(libpool::task& task, libpool::instant now) noexcept override {
    move(task, place::deque, place::worker, "a sent task was in a deque");
    tell(&stealing::sent, task, now);
  }

  void unassigned(libpool::task& task, libpool::instant now) noexcept override {
    move(task, place::deque, place::nowhere,
         "an unassigned task was in a deque");
    tell(&stealing::unassigned, task, now);
  }

  void began(libpool::task& task, libpool::instant now) noexcept override {
    expect(place_of(task) == place::worker,
           "a task that begins is in a mailbox");
    tell(&stealing::began, task, now);
  }

  void ended(libpool::task& task, std::optional<libpool::duration> took,
             libpool::instant now) noexcept override {
    move(task, place::worker, place::nowhere,
         "a task that ends was in a mailbox");
    costs_.erase(task.number);
    stolen_.erase(task.number);
    if (took)
      kinds_.emplace(task.kind(), libpool::ewma{options_.alpha})
        .first->second.add(*took);
    tell(&stealing::ended, task, took, now);
  }

  void ticked(libpool::instant now) noexcept override {
    tell(&stealing::ticked, now);
    expect(next_tick() > now, "no doubling is due in the past");
  }

  // -- questions --------------------------------------------------------------

  bool has_work() const noexcept override {
    return real_->has_work();
  }

  libpool::instant next_tick() const noexcept override {
    return real_->next_tick();
  }

  std::optional<libpool::takeover>
  choose(libpool::instant now) noexcept override {
    auto expected = next_move(now);
    auto result = real_->choose(now);
    expect(result.has_value() == expected.has_value(),
           "some task moves if the rule says so, and none otherwise");
    if (!result || !expected)
      return result;
    const auto& [moved, thief] = *result;
    ++moves_;
    expect(moved == expected->task && thief == expected->thief,
           "the task moves that the rule names, and to that worker");
    expect(is_idle(*thief), "only idle workers take a task");
    expect(place_of(*moved) == place::deque,
           "only a task that is not sent is taken");
    expect(moved->on->in_flight >= 2, "no worker is robbed of its last task");
    expect(stolen_.insert(moved->number).second,
           "a stolen task is not stolen again before it has come back");
    return result;
  }

  // -- what it knows ----------------------------------------------------------

  /// Number of tasks that have moved.
  std::uint64_t moves() const {
    return moves_;
  }

  const idle_workers& idle_since() const {
    return idle_since_;
  }

  /// A task, and the idle worker that takes it over.
  struct move_of_task {
    const libpool::task* task;
    const libpool::worker* thief;
  };

  /// The next move by the rule of the policy, which is followed literally,
  /// without the data structures that make stealing fast: the worker that has
  /// been idle for longest takes a task, if any worker has one for it.
  std::optional<move_of_task> next_move(libpool::instant now) const {
    std::vector<const libpool::worker*> thieves;
    for (const auto& [worker, since] : idle_since_)
      thieves.push_back(worker);
    sort_by(thieves, [this](const auto* worker) {
      return std::pair{idle_since_.at(worker), worker->number};
    });
    for (const auto* thief : thieves)
      if (const auto* task = choice_for(*thief, now))
        return move_of_task{task, thief};
    return std::nullopt;
  }

  /// When the next task will have run for as long as it is taken to.
  libpool::instant next_doubling(libpool::instant now) const {
    auto result = libpool::never;
    for (const auto* worker : workers_)
      for (const auto& task : worker->mailbox) {
        if (task.attempt().began == libpool::never)
          continue;
        auto due = std::max(costs_.at(task.number), libpool::duration{1});
        while (task.attempt().began + due <= now)
          due *= 2;
        result = std::min(result, task.attempt().began + due);
      }
    return result;
  }

private:
  libpool::duration estimate(const libpool::task& task) const {
    if (task.notes().estimate)
      return *task.notes().estimate;
    if (auto i = kinds_.find(task.kind()); i != kinds_.end())
      return i->second.value();
    if (kinds_.empty())
      return options_.initial_estimate;
    double sum = 0;
    for (const auto& kind : kinds_)
      sum += static_cast<double>(kind.second.value().count());
    auto mean = sum / static_cast<double>(kinds_.size());
    return libpool::duration{static_cast<libpool::duration::rep>(mean)};
  }

  // -- the rule ---------------------------------------------------------------

  __extension__ using wide = __int128;
  using task_list = std::vector<const libpool::task*>;

  template <class T, class Key>
  static void sort_by(std::vector<T>& all, Key key) {
    std::sort(all.begin(), all.end(),
              [&](const T& x, const T& y) { return key(x) < key(y); });
  }

  wide cost_of(const libpool::task& task) const {
    return std::max<wide>(costs_.at(task.number).count(), 1);
  }

  static wide move_cost(const libpool::task& task, const libpool::worker& to) {
    const auto& notes = task.notes();
    auto i = static_cast<std::size_t>(to.number);
    if (notes.home == to.number)
      return 0;
    return notes.moves != nullptr && i < notes.moves->size()
             ? (*notes.moves)[i].count()
             : notes.move.count();
  }

  /// The remaining estimated time of all tasks of the worker. The cost of a
  /// task is doubled until it exceeds the time that the task has run.
  wide load_of(const libpool::worker& worker, libpool::instant now) const {
    wide result = 0;
    auto add = [&](const libpool::task& task) {
      auto began = task.attempt().began;
      auto cost = cost_of(task);
      wide elapsed = began == libpool::never ? 0 : (now - began).count();
      while (cost <= elapsed)
        cost *= 2;
      result += cost - elapsed + move_cost(task, worker);
    };
    for (const auto* task : worker.deque.all())
      add(*task);
    for (const auto& task : worker.mailbox)
      add(task);
    return result;
  }

  /// 0 if moves of the task cost nothing. Otherwise 21 + p, where 2^p is the
  /// ratio of its most expensive move to its cost, rounded down, from 2^-20 to
  /// 2^20.
  int level_of(const libpool::task& task) const {
    wide dearest = task.notes().move.count();
    if (task.notes().moves != nullptr)
      for (auto each : *task.notes().moves)
        dearest = std::max<wide>(dearest, each.count());
    if (dearest <= 0)
      return 0;
    constexpr auto most = 20;
    auto power = -most;
    for (auto bound = 2 * cost_of(task);
         power < most && dearest << most >= bound; bound *= 2)
      ++power;
    return most + 1 + power;
  }

  /// The tasks of the victim at which the thief looks, in that order.
  task_list stealable(const libpool::worker& victim,
                      const libpool::worker& thief) const {
    task_list result;
    for (const auto* task : victim.deque.all()) {
      const auto* where = task->notes().where;
      if (!task->notes().key
          && (where == nullptr || where->loose
              || (where->only.size() > 1 && permits(*where, thief.number))))
        result.push_back(task);
    }
    sort_by(result, [this](const auto* task) {
      return std::pair{level_of(*task), task->number};
    });
    result.resize(std::min<std::size_t>(result.size(), 16));
    return result;
  }

  /// The task that the thief would take over; nullptr if there is none.
  const libpool::task* choice_for(const libpool::worker& thief,
                                  libpool::instant now) const {
    using victim = std::tuple<wide, libpool::worker_number, task_list>;
    std::vector<victim> victims;
    for (const auto* worker : workers_)
      if (worker->in_flight >= 2)
        if (auto all = stealable(*worker, thief); !all.empty())
          victims.emplace_back(-load_of(*worker, now), worker->number, all);
    std::sort(victims.begin(), victims.end());
    victims.resize(std::min<std::size_t>(victims.size(), 4));
    for (const auto& [load, number, all] : victims)
      for (const auto* task : all) {
        auto there = move_cost(*task, thief);
        auto here = move_cost(*task, *task->on);
        auto cost = cost_of(*task);
        if (there <= here || 2 * (there + cost) <= -2 * load - (here + cost))
          return task;
      }
    return nullptr;
  }

  const libpool::cost_aware_options options_;
  std::set<libpool::worker*> workers_;
  idle_workers idle_since_;
  /// By the numbers of tasks.
  std::map<std::uint64_t, libpool::duration> costs_;
  std::map<std::uint64_t, libpool::ewma> kinds_;
  /// Tasks that were stolen and have not come back.
  std::set<std::uint64_t> stolen_;
  std::uint64_t moves_ = 0;
};

} // namespace test
