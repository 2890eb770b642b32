#pragma once

#include "libpool/core/ewma.hpp"
#include "libpool/core/restriction.hpp"
#include "libpool/core/stealing.hpp"
#include "libpool/policies/stealing/cost_aware_stealing.hpp"
#include "support/stealing_plan.hpp"
#include "support/watcher.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

namespace test {

/// Whether the worker has nothing, and would take something.
inline bool is_idle(const libpool::worker& worker) {
  return worker.is == libpool::worker::condition::serving
         && worker.in_flight == 0 && worker.hanging == 0 && !worker.pauses
         && !worker.suspended && !worker.rest_hook.is_linked();
}

/// Cost-aware stealing, and its laws: it chooses the takeovers of the plan.
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
    auto expected = plan(snapshot(now));
    if (!planned_)
      planned_ = expected;
    auto result = real_->choose(now);
    expect(result.has_value() == !expected.empty(),
           "some task moves if the plan says so, and none otherwise");
    if (!result)
      return result;
    const auto& [moved, thief] = *result;
    moves_.push_back({moved->number, moved->on->number, thief->number});
    expect(!expected.empty() && moves_.back() == expected.front(),
           "the task moves that the plan names, and to that worker");
    expect(is_idle(*thief), "only idle workers take a task");
    expect(place_of(*moved) == place::deque,
           "only a task that is not sent is taken");
    expect(moved->on->in_flight >= 2, "no worker is robbed of its last task");
    expect(stolen_.insert(moved->number).second,
           "a stolen task is not stolen again before it has come back");
    return result;
  }

  // -- what it knows ----------------------------------------------------------

  /// A dispatch begins, for which moves are noted anew.
  void dispatches() {
    moves_.clear();
    planned_.reset();
  }

  /// Tasks that have moved since then.
  const std::vector<steal>& moves() const {
    return moves_;
  }

  /// Whether these are the moves that were planned at first.
  bool moves_as_planned() const {
    return planned_ ? moves_ == *planned_ : moves_.empty();
  }

  const idle_workers& idle_since() const {
    return idle_since_;
  }

  /// Of all workers, and of all tasks in flight.
  stealing_snapshot snapshot(libpool::instant now) const {
    stealing_snapshot result;
    for (const auto* worker : workers_) {
      auto& added = result.workers.emplace_back();
      added.number = worker->number;
      if (auto i = idle_since_.find(worker); i != idle_since_.end())
        added.idle_since = i->second;
      for (const auto* task : worker->deque.all())
        result.tasks.push_back(seen(*task, now));
      for (const auto& task : worker->mailbox)
        result.tasks.push_back(seen(task, now));
    }
    return result;
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

  stealing_snapshot::task seen(const libpool::task& task,
                               libpool::instant now) const {
    stealing_snapshot::task result;
    result.number = task.number;
    result.on = task.on->number;
    result.is_sent = place_of(task) == place::worker;
    if (task.attempt().began != libpool::never)
      result.has_run = now - task.attempt().began;
    result.estimate = costs_.at(task.number);
    result.home = task.notes().home;
    result.move = task.notes().move;
    if (task.notes().moves != nullptr)
      result.moves = *task.notes().moves;
    if (task.notes().where != nullptr && !task.notes().where->loose)
      result.only = task.notes().where->only;
    result.has_key = task.notes().key.has_value();
    return result;
  }

  const libpool::cost_aware_options options_;
  std::set<libpool::worker*> workers_;
  idle_workers idle_since_;
  /// By the numbers of tasks.
  std::map<std::uint64_t, libpool::duration> costs_;
  std::map<std::uint64_t, libpool::ewma> kinds_;
  /// Tasks that were stolen and have not come back.
  std::set<std::uint64_t> stolen_;
  std::vector<steal> moves_;
  std::optional<std::vector<steal>> planned_;
};

} // namespace test
