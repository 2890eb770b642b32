#pragma once

#include "support/acting_world.hpp"
#include "support/fair_order.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>

namespace test {

/// least_used and this order, lazy.
inline libpool::composition ordered_by(std::unique_ptr<libpool::order> order) {
  auto result = composed(libpool::assignment::lazy, false);
  result.order = std::move(order);
  return result;
}

/// Fair queuing and least_used under a real dispatcher. Submitted tasks are
/// called by their numbers, from 0.
class fair_world : public acting_world {
public:
  /// Of a task that ends when it is told to.
  static constexpr libpool::duration until_told = libpool::duration::max();

  explicit fair_world(const libpool::fair_queuing_options& how = {},
                      const libpool::limits& within = {})
    : fair_world(fair_order(how), within) {
    // nop
  }

  explicit fair_world(std::unique_ptr<libpool::order> order,
                      const libpool::limits& within = {})
    : acting_world(ordered_by(std::move(order)), within) {
    // nop
  }

  // -- facts ------------------------------------------------------------------

  void join(std::size_t seats = 1) {
    seat(seats);
  }

  std::size_t submit(const libpool::flow_key& flow, std::size_t width = 1,
                     libpool::duration service = until_told) {
    return submit(add(flow, width, service));
  }

  /// Submits a task that has been added with `add`.
  std::size_t submit(libpool::task& task) {
    dispatcher_world::submit(task);
    return last();
  }

  libpool::task& add(const libpool::flow_key& flow, std::size_t width = 1,
                     libpool::duration service = until_told) {
    auto& result = dispatcher_world::add();
    result.flow = flow;
    result.width = width;
    fates_.emplace_back().service = service;
    return result;
  }

  void come_back(std::size_t task) {
    tasks[task].recalled = true; // or its worker would be dead
    dispatcher_world::come_back(task);
  }

  /// The task runs for that long while nothing else happens.
  void serve(std::size_t task, libpool::duration time) {
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
    acting_world::pass(until - now);
  }

  // -- questions --------------------------------------------------------------

  bool runs(std::size_t task) const {
    return tasks[task].on != nullptr;
  }

  bool waits(std::size_t task) const {
    return tasks[task].is == libpool::task::condition::waiting;
  }

  /// Tasks in flight, the oldest first.
  names running() const {
    names result;
    for (std::size_t i = 0; i < tasks.size(); ++i)
      if (runs(i))
        result.push_back(i);
    return result;
  }

  /// Why it has been refused; errc{} if it has not.
  libpool::errc refusal(std::size_t task) const {
    return fates_[task].refusal;
  }

  /// From acceptance to start.
  libpool::duration wait_of(std::size_t task) const {
    return tasks[task].started - tasks[task].accepted;
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

  /// Whether the next task could begin, but has not.
  bool dawdles() const {
    std::size_t all = 0;
    std::size_t taken = 0;
    for (const auto& worker : workers)
      if (worker.seated) {
        all += worker.seats;
        taken += worker.seats_charged;
      }
    const auto* next = policies.order->choose(now);
    if (next == nullptr || std::min(next->width, all) + taken > all)
      return false;
    return std::any_of(workers.begin(), workers.end(), [&](auto& worker) {
      auto needs = std::min(next->width, worker.seats);
      return worker.seated && worker.seats_taken + needs <= worker.seats;
    });
  }

  /// All tasks in the order in which they were sent.
  names sent;
  /// Told of each task whose time has come, just before it ends.
  std::function<void(std::size_t)> ends = [](std::size_t) {};

protected:
  void carry_out(const libpool::decision& made) override {
    acting_world::carry_out(made);
    if (made.is == libpool::decision::kind::send)
      sent.push_back(index_in(tasks, made.task));
    if (made.how == libpool::outcome::refused)
      fates_[index_in(tasks, made.task)].refusal = made.why;
  }

  void begin(libpool::task& task) override {
    acting_world::begin(task);
    auto index = index_in(tasks, &task);
    if (auto service = fates_[index].service; service != until_told)
      ends_.emplace(now + service, index, now);
  }

private:
  struct fate {
    libpool::duration service{0};
    libpool::errc refusal{};
  };

  std::deque<fate> fates_;
  /// When tasks end, and when they have started.
  std::set<std::tuple<libpool::instant, std::size_t, libpool::instant>> ends_;
};

} // namespace test
