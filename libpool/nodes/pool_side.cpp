#include "libpool/nodes/pool_side.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace libpool {

namespace {

constexpr request_number next(request_number number) noexcept {
  return request_number{static_cast<std::uint64_t>(number) + 1};
}

} // namespace

// -- facts --------------------------------------------------------------------

void pool_side::joined(worker_number worker) {
  members_.emplace(worker, member{});
}

void pool_side::unreachable(worker_number worker) {
  auto found = members_.find(worker);
  if (found == members_.end()
      || !std::exchange(found->second.is_reachable, false))
    return;
  end_requests_of(worker);
  auto& had = found->second.tasks;
  for (auto i = had.begin(); i != had.end();) {
    auto& task = tasks_.find(*i)->second;
    if (task.crashes < task.retries) {
      ++i;
      continue;
    }
    auto number = *i;
    i = had.erase(i);
    run_again_or_fail(number, errc::node_lost);
  }
}

void pool_side::lost(worker_number worker) {
  auto found = members_.find(worker);
  if (found == members_.end())
    return;
  end_requests_of(worker);
  auto had = std::move(found->second.tasks);
  members_.erase(found);
  for (auto task : had)
    run_again_or_fail(task, errc::node_lost);
}

void pool_side::end_requests_of(worker_number worker) {
  end_requests([worker](const open_request& request) {
    return request.thief == worker || request.victim == worker;
  });
}

void pool_side::submitted(task_number task, unsigned retries) {
  tasks_.emplace(task, open_task{std::nullopt, retries, 0});
}

void pool_side::told(worker_number from, const pool_message& received) {
  if (is_reachable(from))
    std::visit([&](const auto& message) { take(from, message); }, received);
}

void pool_side::ticked(instant now) {
  end_requests(
    [now](const open_request& request) { return request.deadline <= now; });
}

// -- decisions of the policy --------------------------------------------------

bool pool_side::assign(task_number task, worker_number to) {
  auto found = tasks_.find(task);
  if (found == tasks_.end() || found->second.on || !is_reachable(to)
      || is_reserved(to))
    return false;
  hand_out({task}, to);
  return true;
}

bool pool_side::drop(task_number task, errc why) {
  auto found = tasks_.find(task);
  if (found == tasks_.end() || found->second.on)
    return false;
  end(task, why);
  return true;
}

std::optional<request_number> pool_side::request(worker_number thief,
                                                 worker_number victim,
                                                 std::size_t max,
                                                 instant deadline) {
  auto found = members_.find(thief);
  if (!is_reachable(thief) || !is_reachable(victim) || thief == victim
      || found->second.awaits)
    return std::nullopt;
  last_request_ = next(last_request_);
  requests_.emplace(last_request_, open_request{thief, victim, deadline});
  found->second.awaits = last_request_;
  decisions_.emplace_back(
    send{victim, steal_request{last_request_, thief, max}});
  return last_request_;
}

bool pool_side::ask_back(worker_number from, std::size_t max) {
  if (!is_reachable(from))
    return false;
  last_request_ = next(last_request_);
  decisions_.emplace_back(send{from, steal_request{last_request_, from, max}});
  return true;
}

// -- messages -----------------------------------------------------------------

void pool_side::take(worker_number from, const steal_granted& granted) {
  std::vector<task_number> given;
  for (auto number : granted.tasks)
    if (take_back(from, number))
      given.push_back(number);
  if (auto thief = answered(from, granted.id))
    hand_out(given, *thief);
  else
    for (auto number : given)
      decisions_.emplace_back(place{number});
}

void pool_side::take(worker_number from, const steal_refused& refused) {
  answered(from, refused.id);
}

void pool_side::take(worker_number from, const task_done& done) {
  if (!take_back(from, done.task))
    return;
  if (done.how == ending::completed)
    end(done.task, errc{});
  else
    run_again_or_fail(done.task, errc::worker_crashed);
}

/// The thief of that request, which is over now; none if it has been before.
std::optional<worker_number> pool_side::answered(worker_number from,
                                                 request_number id) {
  auto found = requests_.find(id);
  if (found == requests_.end() || found->second.victim != from)
    return std::nullopt;
  auto thief = found->second.thief;
  members_.find(thief)->second.awaits.reset();
  requests_.erase(found);
  return thief;
}

// -- the owners of tasks ------------------------------------------------------

bool pool_side::take_back(worker_number from, task_number task) {
  if (members_.find(from)->second.tasks.erase(task) == 0)
    return false;
  tasks_.find(task)->second.on.reset();
  return true;
}

void pool_side::hand_out(const std::vector<task_number>& tasks,
                         worker_number to) {
  if (tasks.empty())
    return;
  auto& has = members_.find(to)->second.tasks;
  for (auto number : tasks) {
    has.insert(number);
    tasks_.find(number)->second.on = to;
  }
  decisions_.emplace_back(send{to, tasks_sent{tasks}});
}

/// Fails for that reason if it could not run again in any case.
void pool_side::run_again_or_fail(task_number number, errc why) {
  auto& task = tasks_.find(number)->second;
  task.on.reset();
  if (++task.crashes <= task.retries)
    decisions_.emplace_back(place{number});
  else
    end(number, task.retries == 0 ? why : errc::retries_exhausted);
}

void pool_side::end(task_number task, errc why) {
  tasks_.erase(task);
  decisions_.emplace_back(settle{task, why});
}

// -- requests -----------------------------------------------------------------

template <class Predicate>
void pool_side::end_requests(Predicate is_over) {
  for (auto i = requests_.begin(); i != requests_.end();) {
    if (!is_over(i->second)) {
      ++i;
      continue;
    }
    auto thief = members_.find(i->second.thief);
    if (thief != members_.end())
      thief->second.awaits.reset();
    i = requests_.erase(i);
  }
}

bool pool_side::is_reachable(worker_number worker) const noexcept {
  auto found = members_.find(worker);
  return found != members_.end() && found->second.is_reachable;
}

bool pool_side::is_reserved(worker_number worker) const noexcept {
  auto found = members_.find(worker);
  return found != members_.end() && found->second.awaits;
}

instant pool_side::next_tick() const noexcept {
  auto soonest = never;
  for (const auto& entry : requests_)
    soonest = std::min(soonest, entry.second.deadline);
  return soonest;
}

} // namespace libpool
