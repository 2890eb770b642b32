/// Messages that wait for their workers without tasks.

#include "libpool/core/dispatcher.hpp"

#include <algorithm>
#include <cassert>

namespace libpool {

namespace {

/// Whether the worker can begin a new task at once.
bool can_begin(const worker& worker) noexcept {
  return worker.has_room && worker.deque.empty() && worker.next_in_line == 0;
}

} // namespace

worker* dispatcher::line_for(task& described, instant now) {
  assert(has_worker_lines() && described.notes().where == nullptr
         && !described.notes().home);
  if (closed_ || !policy_.placement->knows_costs() || has_earlier(now))
    return nullptr;
  described.number = numbers_ + 1; // as if it were accepted
  auto* to = worker_for(described, now).worker;
  return to == nullptr || can_begin(*to) ? nullptr : to;
}

assigned_message dispatcher::line_up(task& described, worker& to, instant now) {
  policy_.placement->picked(to, described, now);
  to.chosen = ++choices_;
  ++to.in_flight;
  described.forget_attempt();
  policy_.placement->assigned(to, described, now);
  return {++numbers_, described.kind, described.notes().key,
          described.attempt().placed};
}

/// Makes the task, which a worker has, stand for the message.
void dispatcher::become(task& task, const assigned_message& message) noexcept {
  task.number = message.number;
  task.kind = message.kind;
  if (message.key || task.has_notes())
    task.own_notes().key = message.key;
  auto& attempt = task.own_attempt();
  attempt.known_as = 0;
  attempt.placed = message.placed;
  attempt.began = never;
}

/// Whether workers have to be chosen for earlier messages before a new one.
bool dispatcher::has_earlier(instant now) const noexcept {
  return next_waiting(now) != nullptr
         || std::any_of(lined_.begin(), lined_.end(), gives_up_line);
}

/// Whether messages that wait for the worker must go to other workers.
bool dispatcher::gives_up_line(const worker& worker) noexcept {
  return worker.gives_up_line || worker.is != worker::condition::serving
         || worker.hanging > 0 || worker.waits || worker.suspended
         || worker.window == 0;
}

void dispatcher::left_line(task& task, worker& from,
                           const assigned_message& data, instant now,
                           instant came) {
  task.number = data.number;
  admit(task, came);
  become(task, data);
  task.on = &from;
  enter(task, task::condition::assigned);
  from.deque.add(task);
  if (gives_up_line(from))
    wait_again(task, now);
  tasks_changed(from, now);
  dismiss_if_done(from, now);
}

bool dispatcher::could_be_sent(task& task, instant now) {
  if (has_earlier(now)
      || (gates_.is_on() && !gates_.would_open(task.notes().flow, now)))
    return false;
  task.number = numbers_ + 1; // as if it were accepted
  task.accepted = now;
  task.rank = policy_.order->rank(task);
  const auto* to = worker_for(task, now).worker;
  return to != nullptr && (needs_.has_flows || can_begin(*to));
}

} // namespace libpool
