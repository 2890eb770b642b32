#include "arrivals.hpp"

#include <algorithm>

namespace poolsim {

arrivals::arrivals(const scenario& what) : what_(what) {
  for (std::size_t i = 0; i < what.tasks.size(); ++i)
    groups_.push({what.tasks[i].at, i, what.tasks[i].count});
  std::size_t threads = 0;
  for (const auto& each : what.clients)
    threads += each.threads;
  callers_.reserve(threads);
  for (const auto& each : what.clients)
    add_callers(each);
}

void arrivals::add_callers(const client& of) {
  for (std::size_t i = 0; i < of.threads; ++i) {
    auto& who = callers_.emplace_back();
    who.of = &of;
    plan(who, of.start + of.stagger * static_cast<std::int64_t>(i));
  }
}

std::optional<duration> arrivals::next() {
  drop_void_plans();
  if (groups_.empty() && calls_.empty())
    return std::nullopt;
  if (groups_.empty() || calls_.empty())
    return groups_.empty() ? calls_.top().at : groups_.top().at;
  return std::min(groups_.top().at, calls_.top().at);
}

std::optional<arrival> arrivals::take(duration now) {
  drop_void_plans();
  if (!groups_.empty() && groups_.top().at <= now)
    return take_task();
  if (!calls_.empty() && calls_.top().at <= now)
    return take_call();
  return std::nullopt;
}

arrival arrivals::take_task() {
  auto turn = groups_.top();
  groups_.pop();
  const auto& group = what_.tasks[turn.group];
  if (--turn.left > 0) {
    turn.at += group.every;
    groups_.push(turn);
  }
  return {&group, nullptr, 0};
}

arrival arrivals::take_call() {
  auto& who = callers_[calls_.top().caller];
  calls_.pop();
  return {who.of, &who, ++who.submitted};
}

// -- facts about calls --------------------------------------------------------

void arrivals::started(const arrival& call, duration now, duration ends) {
  if (call.from == nullptr || call.from->submitted != call.call)
    return;
  auto think = call.from->of->think;
  if (think < duration{0})
    plan(*call.from, std::max(now, ends + think));
}

void arrivals::interrupted(const arrival& call) {
  if (call.from != nullptr && call.from->submitted == call.call)
    ++call.from->plan;
}

void arrivals::completed(const arrival& call, duration now) {
  if (call.from == nullptr)
    return;
  auto think = call.from->of->think;
  if (think >= duration{0})
    plan(*call.from, now + think);
}

void arrivals::plan(caller& who, duration at) {
  if (who.submitted == who.of->calls)
    return;
  auto number = static_cast<std::size_t>(&who - callers_.data());
  calls_.push({at, number, ++who.plan});
}

void arrivals::drop_void_plans() {
  while (!calls_.empty()
         && calls_.top().plan != callers_[calls_.top().caller].plan)
    calls_.pop();
}

} // namespace poolsim
