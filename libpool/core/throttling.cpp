#include "libpool/core/throttling.hpp"

#include <algorithm>
#include <iterator>

namespace libpool {

namespace {

bool is_zero(const throttle& limit) noexcept {
  return limit.most_running == std::size_t{0};
}

bool holds_zero(const throttles& within) noexcept {
  return is_zero(within.of_all) || is_zero(within.of_each_flow)
         || std::any_of(within.of_flows.begin(), within.of_flows.end(),
                        [](const auto& each) { return is_zero(each.second); });
}

void lift_zero(throttle& limit) noexcept {
  if (is_zero(limit))
    limit.most_running.reset();
}

/// Counts the task at a worker, and takes its token.
void go(flow_gate& gate, const task& task, instant now) noexcept {
  ++gate.running;
  if (gate.takes_token(task))
    gate.tokens.take(now);
}

/// Counts the task no more. `is_unused`: whether its token is given back.
void come_back(flow_gate& gate, const task& task, bool is_unused) noexcept {
  --gate.running;
  if (is_unused && gate.takes_token(task))
    gate.tokens.give_back(task.attempt().charged);
}

} // namespace

throttling::throttling(libpool::order& order, const throttles& within)
  : order_(order),
    within_(within),
    is_on_(!within.is_empty()),
    has_zero_(holds_zero(within)) {
  configure(pool_, instant::min());
}

const throttle& throttling::limits_for(const std::string& name) const {
  auto i = within_.of_flows.find(name);
  return i != within_.of_flows.end() ? i->second : within_.of_each_flow;
}

/// Gives the gate the limits that apply now.
void throttling::configure(flow_gate& gate, instant now) {
  gate.within = &gate == &pool_ ? within_.of_all : limits_for(gate.name);
  gate.is_paused = &gate != &pool_ && paused_.count(gate.name) > 0;
  gate.tokens.change(gate.within.most_begun, now);
}

void throttling::update_all(instant now) {
  has_zero_ = holds_zero(within_);
  configure(pool_, now);
  for (auto& [hash, gate] : gates_) {
    configure(gate, now);
    update(gate, now);
  }
}

void throttling::change(const throttles& within,
                        const std::vector<task*>& tasks, instant now) {
  within_ = within;
  apply(tasks, now);
}

void throttling::pause(const std::string& name, const std::vector<task*>& tasks,
                       instant now) {
  paused_.insert(name);
  apply(tasks, now);
}

/// Applies changed limits and pauses to all tasks and flows.
void throttling::apply(const std::vector<task*>& tasks, instant now) {
  auto was_on = std::exchange(is_on_, true);
  for (auto* each : tasks) {
    if (!was_on)
      count(*each);
    if (each->notes().gate == nullptr)
      join(*each, now);
  }
  update_all(now);
}

void throttling::resume_all(instant now) {
  if (!is_on_)
    return;
  paused_.clear();
  lift_zero(within_.of_all);
  lift_zero(within_.of_each_flow);
  for (auto& [name, limit] : within_.of_flows)
    lift_zero(limit);
  update_all(now);
}

// -- facts about tasks --------------------------------------------------------

/// Counts a task that was accepted before there were limits.
void throttling::count(task& task) noexcept {
  task.own_attempt().charged = instant::min();
  pool_.running += task.on != nullptr ? 1U : 0U;
}

/// Counts the task at the gate of its flow. Makes the gate if the flow needs
/// one.
void throttling::join(task& task, instant now) {
  auto hash = task.flow.key().hash();
  auto i = gates_.find(hash);
  if (i == gates_.end()) {
    const auto& name = task.flow.key().name();
    if (limits_for(name).is_empty() && paused_.count(name) == 0)
      return;
    i = gates_.try_emplace(hash).first;
    i->second.name = name;
    configure(i->second, now);
  }
  auto& gate = i->second;
  task.own_notes().gate = &gate;
  ++gate.tasks;
  gate.running += task.on != nullptr ? 1U : 0U;
}

void throttling::began(task& task, instant now) {
  task.own_attempt().charged = now;
  go(pool_, task, now);
  if (task.notes().gate == nullptr)
    return;
  go(*task.notes().gate, task, now);
  leaves_order(task, now);
}

void throttling::ended(task& task, bool is_unused, instant now) {
  come_back(pool_, task, is_unused);
  if (task.notes().gate == nullptr)
    return;
  come_back(*task.notes().gate, task, is_unused);
  update(*task.notes().gate, now);
}

void throttling::park(task& task, instant now) {
  auto& gate = *task.notes().gate;
  task.was_held = true;
  order_.held(task, now);
  task.parked = true;
  gate.parked_with(task).add(task);
  leaves_order(task, now);
}

void throttling::take_out(task& task) {
  task.parked = false;
  auto& among = task.notes().gate->parked_with(task);
  among.remove(task);
}

bool throttling::remove(task& task, instant now) {
  if (!task.parked) {
    set_aside(task, now);
    return false;
  }
  auto& gate = *task.notes().gate;
  take_out(task);
  order_.freed(task, now);
  order_.removed(task, now);
  update(gate, now);
  return true;
}

void throttling::free_all(instant now) {
  for (auto& [hash, gate] : gates_) {
    while (gate.first_parked(now) != nullptr)
      free_first(gate, now);
    update(gate, now);
  }
}

void throttling::leaves_order(task& task, instant now) {
  auto& gate = *task.notes().gate;
  if (gate.next == &task)
    gate.next = nullptr;
  update(gate, now);
}

// -- gates --------------------------------------------------------------------

const task* flow_gate::first_parked(instant now) const noexcept {
  const auto* first = parked.empty() ? nullptr : &parked.front();
  const auto* retry = parked_retries.empty() ? nullptr
                                             : &parked_retries.front();
  if (first == nullptr || retry == nullptr)
    return first != nullptr ? first : retry;
  auto waits_alone = token_for(*first) > now && token_for(*retry) <= now;
  return waits_alone || goes_before{}(*retry, *first) ? retry : first;
}

instant flow_gate::next_token() const noexcept {
  auto result = never;
  for (const auto* line : {&parked, &parked_retries})
    if (!line->empty() && goes_before_next(line->front()))
      result = std::min(result, token_for(line->front()));
  return result;
}

/// Returns the parked task that goes next to the order.
void throttling::free_first(flow_gate& gate, instant now) {
  auto& first = gate.parked_with(*gate.first_parked(now)).front();
  take_out(first);
  gate.next = &first;
  order_.unparked(first, now);
}

/// If the gate is open, lets the order have the first of its tasks. Otherwise
/// notes when the gate opens.
void throttling::update(flow_gate& gate, instant now) {
  while (gate.has_place()) {
    const auto* first = gate.first_parked(now);
    if (first == nullptr || !gate.goes_before_next(*first)
        || gate.token_for(*first) > now)
      break;
    free_first(gate, now);
  }
  note_time(gate, gate.has_place() ? gate.next_token() : never);
}

void throttling::note_time(flow_gate& gate, instant opens_at) {
  if (gate.opens_at == opens_at)
    return;
  if (gate.opens_at != never)
    by_time_.erase({gate.opens_at, &gate});
  gate.opens_at = opens_at;
  if (opens_at != never)
    by_time_.emplace(opens_at, &gate);
}

void throttling::ticked(instant now) {
  if (pool_.opens_at <= now)
    pool_.opens_at = never; // a dispatch follows
  while (!by_time_.empty() && by_time_.begin()->first <= now)
    update(*by_time_.begin()->second, now);
}

instant throttling::next_tick(bool has_waiting) const noexcept {
  auto result = by_time_.empty() ? never : by_time_.begin()->first;
  return has_waiting ? std::min(result, pool_.opens_at) : result;
}

bool throttling::is_open(const flow_key& flow, instant now) const {
  auto i = gates_.find(flow.hash());
  if (i != gates_.end())
    return i->second.is_open(now);
  return paused_.count(flow.name()) == 0
         && limits_for(flow.name()).most_running != std::size_t{0};
}

bool throttling::would_open(const flow_key& flow, instant now) const {
  if (!pool_is_open(now) || !is_open(flow, now))
    return false;
  auto i = gates_.find(flow.hash());
  return i == gates_.end() || i->second.parked.empty();
}

std::size_t throttling::held_back(instant now) const noexcept {
  std::size_t result = 0;
  for (const auto& [hash, gate] : gates_)
    result += gate.held_back(now);
  return result;
}

std::size_t throttling::running(const std::string& name) const {
  std::size_t result = 0;
  for (const auto& [hash, gate] : gates_)
    result += gate.name == name ? gate.running : 0;
  return result;
}

void throttling::add_wait(std::uint64_t flow, flow_stats& stats) const {
  if (!is_on_ || stats.waiting == 0 || stats.waiting_since != never)
    return;
  auto i = gates_.find(flow);
  if (i == gates_.end())
    return;
  if (const auto* first = i->second.first_parked(never))
    stats.waiting_since = first->accepted;
}

/// Forgets gates without tasks that would be made anew as they are. Looks at
/// all gates when their number has doubled.
void throttling::sweep(instant now) {
  if (gates_.size() < sweep_at_)
    return;
  for (auto i = gates_.begin(); i != gates_.end();) {
    const auto& gate = i->second;
    auto is_forgotten = gate.tasks == 0 && gate.tokens.is_full(now);
    i = is_forgotten ? gates_.erase(i) : std::next(i);
  }
  sweep_at_ = std::max<std::size_t>(64, 2 * gates_.size());
}

} // namespace libpool
