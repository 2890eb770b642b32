/// Messages that wait for their workers without tasks.

#include "libpool/core/dispatcher.hpp"

#include <cassert>

namespace libpool {

namespace {

/// Whether the worker can begin a new task at once.
bool can_begin(const worker& worker) noexcept {
  return worker.has_room && worker.deque.empty() && !worker.has_line;
}

} // namespace

worker* dispatcher::line_for(task& described, instant now) {
  assert(has_lines() && described.where == nullptr && !described.home);
  if (closed_ || !policy_.placement->knows_costs())
    return nullptr;
  if (tasks_.books.waiting > 0 && policy_.order->choose(now) != nullptr)
    return nullptr;
  described.number = numbers_ + 1; // as if it were accepted
  auto* to = worker_for(described, now).worker;
  return to == nullptr || can_begin(*to) ? nullptr : to;
}

assigned_message dispatcher::line_up(task& described, worker& to, instant now) {
  policy_.placement->picked(to, described, now);
  to.chosen = ++choices_;
  ++to.in_flight;
  described.placed.reset();
  policy_.placement->assigned(to, described, now);
  return {++numbers_, described.kind, described.key, described.placed};
}

/// Makes the task, which a worker has, stand for the message.
void dispatcher::become(task& task, const assigned_message& message) noexcept {
  task.number = task.known_as = message.number;
  task.kind = message.kind;
  task.key = message.key;
  task.placed = message.placed;
  task.began = never;
}

void dispatcher::line_changed(worker& worker, bool has_messages) noexcept {
  worker.has_line = has_messages;
  worker.gives_up_line = worker.gives_up_line && has_messages;
  keep_lined(worker);
}

/// Whether messages that wait for the worker must wait for other workers.
bool dispatcher::gives_up_line(const worker& worker) noexcept {
  return worker.gives_up_line || worker.is != worker::condition::serving
         || worker.hanging > 0 || worker.window == 0;
}

void dispatcher::keep_lined(worker& worker) noexcept {
  auto is_next = worker.has_room && worker.deque.empty();
  auto wanted = worker.has_line && (is_next || gives_up_line(worker));
  if (wanted == worker.line_hook.is_linked())
    return;
  if (wanted)
    lined_.push_back(worker);
  else
    lined_.erase(lined_.iterator_to(worker));
}

void dispatcher::left_line(task& task, worker& from,
                           const assigned_message& data, instant now,
                           instant came) {
  become(task, data);
  admit(task, came);
  task.on = &from;
  enter(task, task::condition::assigned);
  from.deque.insert(from.deque.end(), task);
  if (gives_up_line(from))
    wait_again(task, now);
  tasks_changed(from, now);
  dismiss_if_done(from, now);
}

bool dispatcher::could_be_sent(task& task, instant now) {
  if (policy_.order->choose(now) != nullptr)
    return false;
  task.number = numbers_ + 1; // as if it were accepted
  const auto* to = worker_for(task, now).worker;
  return to != nullptr && (needs_.has_flows || can_begin(*to));
}

} // namespace libpool
