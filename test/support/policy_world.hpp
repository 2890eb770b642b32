#pragma once

#include "libpool/policies/placement/estimate_options.hpp"
#include "libpool/policies/stealing/cost_aware_stealing.hpp"
#include "support/dispatcher_world.hpp"
#include "support/fair_order.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace test {

/// fifo and this placement.
inline libpool::composition
placed_by(std::unique_ptr<libpool::placement> placement,
          libpool::assignment when = libpool::assignment::eager,
          bool steals = false) {
  auto result = composed(when, steals);
  result.placement = std::move(placement);
  return result;
}

/// least_used and this order, lazy.
inline libpool::composition ordered_by(std::unique_ptr<libpool::order> order) {
  auto result = composed(libpool::assignment::lazy, false);
  result.order = std::move(order);
  return result;
}

/// Options for short histories of events, where no worker is probed.
inline libpool::estimate_options
estimating(std::optional<int> initial_ns = std::nullopt) {
  libpool::estimate_options result;
  result.probe_every = 0;
  if (initial_ns)
    result.initial_estimate = libpool::duration{*initial_ns};
  return result;
}

/// A policy under a real dispatcher. Workers serve their mailboxes in order and
/// begin as soon as they can; recalled tasks come back at once. The clock
/// stands still unless it is told otherwise. Tasks and workers are called by
/// their numbers, from 0.
class policy_world : public dispatcher_world {
public:
  static constexpr auto nobody = static_cast<std::size_t>(-1);

  explicit policy_world(libpool::composition how,
                        const libpool::limits& within = {})
    : dispatcher_world(std::move(how), within) {
    // nop
  }

  explicit policy_world(std::unique_ptr<libpool::placement> placement,
                        libpool::assignment when = libpool::assignment::eager,
                        bool steals = false)
    : policy_world(placed_by(std::move(placement), when, steals)) {
    // nop
  }

  explicit policy_world(const libpool::fair_queuing_options& how,
                        const libpool::limits& within = {})
    : policy_world(ordered_by(fair_order(how)), within) {
    // nop
  }

  // -- facts about workers ----------------------------------------------------

  /// Adds a worker that runs at most `window` tasks at once.
  void join(std::size_t window = 8,
            libpool::duration weight = libpool::duration{0},
            std::size_t at_once = 1) {
    auto& worker = hire();
    worker.window = worker.seats = window;
    worker.weight = weight;
    at_once_[worker.number] = at_once;
    dispatcher_world::join(worker);
  }

  /// As many of them.
  void join_all(std::size_t count, std::size_t window = 8) {
    for (std::size_t i = 0; i < count; ++i)
      join(window);
  }

  void join_weighing(const std::vector<int>& weights, std::size_t window = 8) {
    for (auto weight : weights)
      join(window, libpool::duration{weight});
  }

  /// Dies: tasks that it has begun fail, others that it was sent come back.
  void leave(std::size_t worker) {
    auto& mailbox = workers[worker].mailbox;
    pool.left(workers[worker], now);
    while (!mailbox.empty()) {
      auto& task = mailbox.front();
      if (task.is == libpool::task::condition::sent)
        pool.returned(task, now);
      else
        pool.finished(task, libpool::ending::crashed, now);
    }
    decided();
  }

  // -- facts about tasks ------------------------------------------------------
  //
  // A function that submits a task returns the number of the worker that gets
  // the task, or the constant `nobody` while no worker has the task.

  std::size_t submit() {
    return submit(add());
  }

  /// Submits a task that has been added with `add`.
  std::size_t submit(libpool::task& task) {
    dispatcher_world::submit(task);
    return worker_of(last());
  }

  std::size_t submit_key(std::uint64_t key,
                         libpool::restriction* where = nullptr) {
    add().own_notes().key = key;
    tasks.back().own_notes().where = where;
    return submit(tasks.back());
  }

  std::size_t submit_only(const names& only) {
    add().own_notes().where = &only_on(only);
    return submit(tasks.back());
  }

  std::size_t submit_home(std::size_t home) {
    add().own_notes().home = libpool::worker_number{home};
    return submit(tasks.back());
  }

  names submit_all(std::size_t count) {
    names result;
    for (std::size_t i = 0; i < count; ++i)
      result.push_back(submit());
    return result;
  }

  /// A task runs for that long while nothing else happens.
  std::size_t serve(libpool::duration cost) {
    return serve(add(), cost);
  }

  std::size_t serve(libpool::task& task, libpool::duration cost) {
    auto result = submit(task);
    auto number = last();
    pass(cost);
    finish(number);
    return result;
  }

  /// The workers of the next tasks, each of which runs for that long, alone.
  names serve_all(std::size_t count, libpool::duration cost) {
    names result;
    for (std::size_t i = 0; i < count; ++i)
      result.push_back(serve(cost));
    return result;
  }

  /// The worker runs a task for that long, and nothing else happens.
  void sample(std::size_t worker, libpool::duration cost,
              bool crashes = false) {
    submit_only({worker});
    auto number = last();
    pass(cost);
    crashes ? crash(number) : finish(number);
  }

  // -- facts about tasks of flows: submissions return the number of the task --

  /// Without a service time, the task ends when it is told to.
  libpool::task& add(const libpool::flow_key& flow, std::size_t width = 1,
                     std::optional<libpool::duration> service = std::nullopt) {
    auto& result = dispatcher_world::add();
    result.flow = libpool::flow_ref{flow};
    result.own_notes().width = width;
    if (service)
      services_[last()] = *service;
    return result;
  }

  using dispatcher_world::add;

  std::size_t submit(const libpool::flow_key& flow, std::size_t width = 1,
                     std::optional<libpool::duration> service = std::nullopt) {
    submit(add(flow, width, service));
    return last();
  }

  void come_back(std::size_t task) {
    tasks[task].recalled = true; // or its worker would be dead
    dispatcher_world::come_back(task);
  }

  /// The task, which runs, ends after that time.
  void end_after(std::size_t task, libpool::duration time) {
    now += time;
    finish(task);
  }

  /// Tasks whose service times are known end as their time comes.
  void pass(libpool::duration time) {
    auto until = now + time;
    while (!ends_.empty() && std::get<0>(*ends_.begin()) <= until) {
      auto [when, task, started] = *ends_.begin();
      ends_.erase(ends_.begin());
      if (!runs(task) || tasks[task].started != started)
        continue; // has ended before, or runs anew
      now = when;
      ends(task);
      finish(task);
    }
    now = until;
    pool.ticked(now);
    decided();
  }

  // -- questions --------------------------------------------------------------

  std::size_t last() const {
    return tasks.size() - 1;
  }

  /// The worker of the task.
  std::size_t worker_of(std::size_t task) const {
    const auto* on = tasks[task].on;
    return on == nullptr ? nobody : static_cast<std::size_t>(on->number);
  }

  bool runs(std::size_t task) const {
    return tasks[task].on != nullptr;
  }

  bool waits(std::size_t task) const {
    return tasks[task].is == libpool::task::condition::waiting;
  }

  /// Tasks whose handlers have begun and not ended, the oldest first.
  names running() const {
    names result;
    for (std::size_t i = 0; i < tasks.size(); ++i)
      if (tasks[i].is == libpool::task::condition::running
          || tasks[i].is == libpool::task::condition::overdue)
        result.push_back(i);
    return result;
  }

  /// Ends all tasks one by one, each after that time; returns their order.
  names served(libpool::duration time) {
    names result;
    for (auto all = running(); !all.empty(); all = running()) {
      result.push_back(all.front());
      end_after(all.front(), time);
    }
    return result;
  }

  /// Why the task has been refused; errc{} if it has not.
  libpool::errc refusal(std::size_t task) const {
    auto found = refusals_.find(task);
    return found == refusals_.end() ? libpool::errc{} : found->second;
  }

  const libpool::ledger& books() const {
    return pool.books();
  }

  std::optional<libpool::flow_stats> row(const std::string& flow) const {
    for (auto& row : pool.flows(tasks.size() + 1))
      if (row.name == flow)
        return row;
    return std::nullopt;
  }

  /// How far the flow, which has to be listed, is behind the virtual clock.
  std::int64_t lag(const std::string& flow) const {
    auto found = row(flow);
    if (!found)
      throw std::logic_error(flow + " is not listed");
    return found->lag.count();
  }

  /// Has all be done that can be done now.
  std::string decided() override {
    do {
      pool.dispatch(now);
      carry_out_all();
    } while (begins && begin());
    return {};
  }

  /// Whether workers begin as soon as they can, rather than not at all.
  bool begins = true;
  /// All tasks in the order in which they were sent.
  names sent;
  /// Told of each task whose time has come, just before it ends.
  std::function<void(std::size_t)> ends = [](std::size_t) {};

private:
  void carry_out_all() {
    auto& all = pool.decisions();
    while (!all.empty()) {
      for (const auto& made : std::exchange(all, {}))
        carry_out(made);
      pool.dispatch(now);
    }
  }

  void carry_out(const libpool::decision& made) {
    if (made.is == libpool::decision::kind::recall)
      pool.returned(*made.task, now);
    if (made.is == libpool::decision::kind::send)
      sent.push_back(index_in(tasks, made.task));
    if (made.how == libpool::outcome::refused)
      refusals_[index_in(tasks, made.task)] = made.why;
  }

  /// Has workers begin; returns whether any of them did.
  bool begin() {
    auto result = false;
    for (auto& worker : workers) {
      auto limit = at_once_.find(worker.number);
      auto free = limit == at_once_.end() ? worker.mailbox.size()
                                          : limit->second;
      for (auto& task : worker.mailbox) {
        if (free-- == 0)
          break;
        if (task.is != libpool::task::condition::sent)
          continue;
        begin(task);
        result = true;
      }
    }
    return result;
  }

  void begin(libpool::task& task) {
    pool.started(task, now);
    auto index = index_in(tasks, &task);
    if (auto i = services_.find(index); i != services_.end())
      ends_.emplace(now + i->second, index, now);
  }

  /// How many tasks a worker runs at a time; without an entry, all that it has.
  std::map<libpool::worker_number, std::size_t> at_once_;
  std::map<std::size_t, libpool::duration> services_;
  std::map<std::size_t, libpool::errc> refusals_;
  /// When tasks end, and when they have started.
  std::set<std::tuple<libpool::instant, std::size_t, libpool::instant>> ends_;
};

/// A dispatcher with cost-aware stealing, which binds tasks to their homes.
/// Facts return the decisions as text. Costs of tasks and of their moves are in
/// milliseconds.
struct stealing_world : dispatcher_world {
  stealing_world() : dispatcher_world(composed_with_stealing()) {
    // nop
  }

  void join_all(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i)
      join();
  }

  /// A task that is yet to be submitted.
  libpool::task& add(std::size_t home, int cost, int move = 0,
                     libpool::restriction* where = nullptr) {
    auto& result = tasks.emplace_back();
    result.own_notes().home = libpool::worker_number{home};
    result.own_notes().estimate = std::chrono::milliseconds{cost};
    result.own_notes().move = std::chrono::milliseconds{move};
    result.own_notes().where = where;
    return result;
  }

  std::string give(std::size_t home, int cost, int move = 0,
                   libpool::restriction* where = nullptr) {
    return submit(add(home, cost, move, where));
  }

  /// Submits a task whose moves cost that much by worker.
  std::string give_moves(const std::vector<libpool::duration>& moves, int cost,
                         std::optional<std::size_t> home = std::nullopt) {
    auto& task = add(home.value_or(0), cost);
    if (!home)
      task.own_notes().home.reset();
    task.own_notes().moves = &moves;
    return submit(task);
  }

  /// Time goes by, and the dispatcher is not told.
  void pass(int ms) {
    now += std::chrono::milliseconds{ms};
  }

private:
  static libpool::composition composed_with_stealing() {
    auto result = composed(libpool::assignment::eager, false);
    result.stealing = std::make_unique<libpool::cost_aware_stealing>(
      libpool::cost_aware_options{});
    return result;
  }
};

} // namespace test

/// How tests show chosen tasks and workers.
template <>
struct doctest::StringMaker<test::policy_world::names> {
  static doctest::String convert(const test::policy_world::names& all) {
    doctest::String result;
    for (auto name : all)
      result += doctest::toString(name) + " ";
    return result;
  }
};
