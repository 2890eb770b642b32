#include "arrivals.hpp"

#include <boost/random/uniform_01.hpp>

#include <algorithm>

namespace poolsim {

namespace {

/// Draws how long it takes.
void draw(arrival& arrival, random_bits bits) {
  arrival.service = arrival.work->draws->draw(bits);
  arrival.draw = bits();
}

/// Returns bits that depend on `drawn`, and on a number from 1.
random_bits bits_of_one(std::uint64_t drawn, std::uint64_t number) noexcept {
  using libpool::splitmix64;
  return random_bits{
    splitmix64::mixed(drawn + splitmix64::golden_gamma * number)};
}

} // namespace

arrival of_task(const arrival& message, std::size_t number) {
  auto result = message;
  if (number > 0 && message.work->draws)
    result.service =
      message.work->draws->draw(bits_of_one(message.draw, number));
  if (number > 0)
    result.answers = bits_of_one(message.answers, number)();
  return result;
}

std::optional<std::size_t> error_of(const arrival& task, unsigned attempt) {
  const auto& shares = task.work->errors;
  if (shares.empty())
    return std::nullopt;
  auto bits = bits_of_one(task.answers, attempt);
  auto drawn = boost::random::uniform_01<double>{}(bits);
  for (const auto& each : shares)
    if (drawn < each.up_to)
      return each.error;
  return std::nullopt;
}

arrivals::arrivals(const scenario& scenario) : scenario_(scenario) {
  for (std::size_t i = 0; i < scenario.tasks.size(); ++i)
    if (auto first = first_of(i))
      groups_.push({*first, i, scenario.tasks[i].count});
  std::size_t threads = 0;
  for (const auto& each : scenario.clients)
    threads += each.threads;
  callers_.reserve(threads);
  for (std::size_t i = 0; i < scenario.clients.size(); ++i)
    add_callers(i);
}

void arrivals::add_callers(std::size_t client) {
  const auto& subject = scenario_.clients[client];
  for (std::size_t i = 0; i < subject.threads; ++i) {
    auto& caller = callers_.emplace_back();
    caller.of = &subject;
    caller.client = client;
    caller.thread = i;
    plan(caller,
         subject.start + subject.stagger * static_cast<std::int64_t>(i));
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
  if (--turn.left > 0)
    if (auto next = time_after(turn.group, turn.at, 0, number)) {
      turn.at = *next;
      groups_.push(turn);
    }
  arrival result;
  result.work = &group;
  draw_members(result, turn.group, 0, number);
  if (group.draws)
    draw(result,
         bits_for(scenario_.seed, draw_use::service, turn.group, 0, number));
  return result;
}

std::optional<duration> arrivals::first_of(std::size_t group) const {
  const auto& subject = scenario_.tasks[group];
  return subject.rates.empty()
           ? subject.at
           : time_after(group, subject.rates.front().at, 1, 0);
}

/// Returns the time of the arrival that follows the one at `time`; unset if the
/// group has no more.
std::optional<duration> arrivals::time_after(std::size_t group, duration time,
                                             std::uint64_t draw,
                                             std::uint64_t number) const {
  const auto& subject = scenario_.tasks[group];
  auto drawn = [&](const distribution& gaps) {
    return gaps.draw(
      bits_for(scenario_.seed, draw_use::gap, group, draw, number));
  };
  if (subject.rates.empty())
    return time + (subject.gaps ? drawn(*subject.gaps) : subject.every);
  constexpr duration one{1'000'000'000};
  auto gap = std::max(drawn({exponential{one}}), duration{1});
  return poolsim::time_after(subject.rates, time,
                             static_cast<double>(gap.count())
                               / static_cast<double>(one.count()));
}

arrival arrivals::take_call() {
  auto& caller = callers_[calls_.top().caller];
  calls_.pop();
  arrival result;
  result.work = caller.of;
  result.from = &caller;
  result.call = ++caller.submitted;
  draw_members(result, scenario_.tasks.size() + caller.client, caller.thread,
               caller.submitted);
  if (caller.of->draws)
    draw(result, bits_for(scenario_.seed, draw_use::call, caller.client,
                          caller.thread, caller.submitted));
  return result;
}

void arrivals::draw_members(arrival& arrival, std::size_t entry,
                            std::size_t thread, std::size_t n) const {
  auto bits = [&](draw_use use) {
    return bits_for(scenario_.seed, use, entry, thread, n);
  };
  arrival.bytes = arrival.work->bytes.choose(bits(draw_use::bytes));
  arrival.result_bytes =
    arrival.work->result_bytes.choose(bits(draw_use::result_bytes));
  if (!arrival.work->errors.empty())
    arrival.answers = bits(draw_use::error)();
  arrival.deadline = arrival.work->deadline;
  if (const auto& own = arrival.work->deadline_of)
    arrival.deadline = std::min(own->choose(bits(draw_use::deadline)),
                                arrival.deadline.value_or(longest_time));
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

void arrivals::plan(caller& caller, duration time) {
  if (caller.submitted == caller.of->calls)
    return;
  auto number = static_cast<std::size_t>(&caller - callers_.data());
  calls_.push({time, number, ++caller.plan});
}

void arrivals::drop_void_plans() {
  while (!calls_.empty()
         && calls_.top().plan != callers_[calls_.top().caller].plan)
    calls_.pop();
}

} // namespace poolsim
