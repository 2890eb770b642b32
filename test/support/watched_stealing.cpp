#include "support/watched_stealing.hpp"

#include "libpool/core/restriction.hpp"

#include <algorithm>

using libpool::duration;
using libpool::instant;
using libpool::never;
using libpool::stealing_snapshot;
using libpool::takeover;
using libpool::task;
using libpool::worker;

namespace test {

bool is_dry(const worker& worker) {
  return worker.is == worker::condition::serving && worker.in_flight == 0
         && worker.hanging == 0 && !worker.pauses
         && !worker.rest_hook.is_linked();
}

watched_stealing::watched_stealing(const libpool::cost_aware_options& options)
  : options_(options), it_(options) {
  // nop
}

// -- facts --------------------------------------------------------------------

void watched_stealing::joined(worker& server, instant now) noexcept {
  expect(workers_.insert(&server).second, "a worker joins once");
  it_.joined(server, now);
}

void watched_stealing::left(worker& worker, instant now) noexcept {
  expect(workers_.erase(&worker) == 1, "only who has joined leaves");
  expect(worker.deque.empty() && worker.mailbox.empty(),
         "who leaves has nothing");
  it_.left(worker, now);
}

void watched_stealing::idled(worker& server, instant now) noexcept {
  expect(is_dry(server), "a worker is told to be idle when it has nothing");
  expect(idle_since_.emplace(&server, now).second,
         "an idle worker was not idle");
  it_.idled(server, now);
}

void watched_stealing::engaged(worker& worker, instant now) noexcept {
  expect(idle_since_.erase(&worker) == 1, "only idle workers are engaged");
  it_.engaged(worker, now);
}

void watched_stealing::assigned(task& task, instant now) noexcept {
  move(task, place::nowhere, place::deque, "what is assigned was nowhere");
  expect(task.on != nullptr && workers_.count(task.on) == 1,
         "tasks are assigned to workers that are there");
  costs_.emplace(&task, estimate(task));
  it_.assigned(task, now);
}

void watched_stealing::sent(task& task, instant now) noexcept {
  move(task, place::deque, place::mailbox, "what is sent was in a deque");
  it_.sent(task, now);
}

void watched_stealing::unassigned(task& task, instant now) noexcept {
  move(task, place::deque, place::nowhere, "what parts was in a deque");
  it_.unassigned(task, now);
}

void watched_stealing::began(task& task, instant now) noexcept {
  expect(places_[&task] == place::mailbox, "what begins is in a mailbox");
  it_.began(task, now);
}

void watched_stealing::ended(task& task, std::optional<duration> took,
                             instant now) noexcept {
  move(task, place::mailbox, place::nowhere, "what ends was in a mailbox");
  costs_.erase(&task);
  stolen_.erase(&task);
  if (took)
    kinds_.emplace(task.kind, libpool::ewma{options_.alpha})
      .first->second.add(*took);
  it_.ended(task, took, now);
}

void watched_stealing::ticked(instant now) noexcept {
  it_.ticked(now);
  expect(it_.next_tick() > now, "no doubling is due in the past");
}

// -- questions ----------------------------------------------------------------

bool watched_stealing::has_work() const noexcept {
  return it_.has_work();
}

instant watched_stealing::next_tick() const noexcept {
  return it_.next_tick();
}

std::optional<takeover> watched_stealing::choose(instant now) noexcept {
  auto expected = plan(snapshot(now));
  if (!planned_)
    planned_ = expected;
  auto result = it_.choose(now);
  expect(result.has_value() == !expected.empty(),
         "something moves if the plan says so, and nothing otherwise");
  if (!result)
    return result;
  const auto& [moved, thief] = *result;
  moves_.push_back({moved->number, moved->on->number, thief->number});
  expect(!expected.empty() && moves_.back() == expected.front(),
         "the task moves that the plan names, and to that worker");
  expect(is_dry(*thief), "only idle workers take something");
  expect(places_[moved] == place::deque, "only what is not sent is taken");
  expect(moved->on->in_flight >= 2, "nobody is robbed of the last task");
  expect(stolen_.insert(moved).second,
         "what was taken is not taken again before it has come back");
  return result;
}

// -- what it knows ------------------------------------------------------------

duration watched_stealing::estimate(const task& task) const {
  if (task.estimate)
    return *task.estimate;
  if (auto i = kinds_.find(task.kind); i != kinds_.end())
    return i->second.value();
  if (kinds_.empty())
    return options_.initial_estimate;
  double sum = 0;
  for (const auto& each : kinds_)
    sum += static_cast<double>(each.second.value().count());
  return duration{
    static_cast<duration::rep>(sum / static_cast<double>(kinds_.size()))};
}

stealing_snapshot::task watched_stealing::seen(const task& task,
                                               instant now) const {
  stealing_snapshot::task result;
  result.number = task.number;
  result.on = task.on->number;
  result.is_sent = places_.at(&task) == place::mailbox;
  if (task.began != never)
    result.has_run = now - task.began;
  result.estimate = costs_.at(&task);
  result.home = task.home;
  result.move = task.move;
  if (task.moves != nullptr)
    result.moves = *task.moves;
  if (task.where != nullptr && !task.where->loose)
    result.only = task.where->only;
  result.has_key = task.key.has_value();
  return result;
}

stealing_snapshot watched_stealing::snapshot(instant now) const {
  stealing_snapshot result;
  for (const auto* who : workers_) {
    auto& added = result.workers.emplace_back();
    added.number = who->number;
    if (auto i = idle_since_.find(who); i != idle_since_.end())
      added.idle_since = i->second;
    for (const auto& what : who->deque)
      result.tasks.push_back(seen(what, now));
    for (const auto& what : who->mailbox)
      result.tasks.push_back(seen(what, now));
  }
  return result;
}

instant watched_stealing::next_doubling(instant now) const {
  auto result = never;
  for (const auto* who : workers_)
    for (const auto& what : who->mailbox) {
      if (what.began == never)
        continue;
      auto due = std::max(costs_.at(&what), duration{1});
      while (what.began + due <= now)
        due *= 2;
      result = std::min(result, what.began + due);
    }
  return result;
}

void watched_stealing::move(const task& task, place from, place to,
                            const char* law) noexcept {
  expect(places_[&task] == from, law);
  places_[&task] = to;
}

void watched_stealing::expect(bool holds, const char* law) noexcept {
  if (!holds && complaint_ == nullptr)
    complaint_ = law;
}

} // namespace test
