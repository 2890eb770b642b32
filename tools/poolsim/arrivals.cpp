#include "arrivals.hpp"

#include <algorithm>

namespace poolsim {

namespace {

/// Draws how long it takes.
void draw(arrival& arrival, random_bits bits) {
  arrival.service = arrival.work->draws->draw(bits);
  arrival.draw = bits();
}

} // namespace

arrival of_task(const arrival& message, std::size_t number) {
  using libpool::splitmix64;
  auto result = message;
  if (number > 0 && message.work->draws)
    result.service = message.work->draws->draw(random_bits{
      splitmix64::mixed(message.draw + splitmix64::golden_gamma * number)});
  return result;
}

arrivals::arrivals(const scenario& scenario) : scenario_(scenario) {
  for (std::size_t i = 0; i < scenario.tasks.size(); ++i)
    groups_.push({scenario.tasks[i].at, i, scenario.tasks[i].count});
  std::size_t threads = 0;
  for (const auto& each : scenario.clients)
    threads += each.threads;
  callers_.reserve(threads);
  for (std::size_t i = 0; i < scenario.clients.size(); ++i)
    add_callers(i);
}

void arrivals::add_callers(std::size_t client) {
  const auto& of = scenario_.clients[client];
  for (std::size_t i = 0; i < of.threads; ++i) {
    auto& caller = callers_.emplace_back();
    caller.of = &of;
    caller.client = client;
    caller.thread = i;
    plan(caller, of.start + of.stagger * static_cast<std::int64_t>(i));
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
  const auto& group = scenario_.tasks[turn.group];
  auto number = group.count - turn.left;
  if (--turn.left > 0) {
    turn.at += gap_after(turn.group, number);
    groups_.push(turn);
  }
  arrival result{&group, nullptr, 0, duration{0}, 0, 0, 0};
  choose_sizes(result, turn.group, 0, number);
  if (group.draws)
    draw(result,
         bits_for(scenario_.seed, draw_use::service, turn.group, 0, number));
  return result;
}

/// The time from that task of the group to its next one.
duration arrivals::gap_after(std::size_t group, std::size_t number) const {
  const auto& of = scenario_.tasks[group];
  return of.gaps ? of.gaps->draw(
           bits_for(scenario_.seed, draw_use::gap, group, 0, number))
                 : of.every;
}

arrival arrivals::take_call() {
  auto& caller = callers_[calls_.top().caller];
  calls_.pop();
  arrival result{caller.of, &caller, ++caller.submitted, duration{0}, 0, 0, 0};
  choose_sizes(result, scenario_.tasks.size() + caller.client, caller.thread,
               caller.submitted);
  if (caller.of->draws)
    draw(result, bits_for(scenario_.seed, draw_use::call, caller.client,
                          caller.thread, caller.submitted));
  return result;
}

void arrivals::choose_sizes(arrival& of, std::size_t entry, std::size_t thread,
                            std::size_t n) const {
  auto bits = [&](draw_use use) {
    return bits_for(scenario_.seed, use, entry, thread, n);
  };
  of.bytes = of.work->bytes.choose(bits(draw_use::bytes));
  of.result_bytes = of.work->result_bytes.choose(bits(draw_use::result_bytes));
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

/// A call that does not end as planned, and whose successor is to come before
/// its end, has it come now.
void arrivals::answered(const arrival& call, duration now) {
  if (call.from == nullptr || call.from->submitted != call.call)
    return;
  auto think = call.from->of->think;
  plan(*call.from, now + std::max(think, duration{0}));
}

void arrivals::plan(caller& caller, duration at) {
  if (caller.submitted == caller.of->calls)
    return;
  auto number = static_cast<std::size_t>(&caller - callers_.data());
  calls_.push({at, number, ++caller.plan});
}

void arrivals::drop_void_plans() {
  while (!calls_.empty()
         && calls_.top().plan != callers_[calls_.top().caller].plan)
    calls_.pop();
}

} // namespace poolsim
