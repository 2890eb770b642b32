#include "libpool/policies/order/kubernetes_fair_queuing.hpp"

#include <algorithm>
#include <string>

namespace libpool {

namespace {

/// Returns the options if they are valid. Throws before too many queues are
/// made.
const fair_queuing_options& checked(const fair_queuing_options& options) {
  check(options);
  return options;
}

} // namespace

kubernetes_fair_queuing::kubernetes_fair_queuing(
  const fair_queuing_options& options, virtual_time start)
  : fair_queuing(options, start),
    dealer_(options.queues, options.hand_size),
    queues_(checked(options).queues),
    last_(options.queues - 1) {
  hand_.reserve(options.hand_size);
  for (std::size_t i = 0; i < queues_.size(); ++i)
    queues_[i].number = i;
}

kubernetes_fair_queuing::~kubernetes_fair_queuing() {
  ready_.clear();
}

// -- turns --------------------------------------------------------------------

/// Returns the head that would end first. Among equals, the result is the head
/// of the next queue in cyclic order.
task* kubernetes_fair_queuing::choose(instant) noexcept {
  if (ready_.empty())
    return nullptr;
  auto first = ready_.begin();
  auto next = ready_.upper_bound(place{first->finish, last_}, ends_sooner{});
  auto in_circle = next != ready_.end() && next->finish == first->finish;
  return &(in_circle ? next : first)->head();
}

void kubernetes_fair_queuing::pass(instant now) noexcept {
  auto before = now_.value_or(now);
  now_ = now;
  if (active_ == 0 || now <= before)
    return;
  __extension__ using wide = __int128;
  auto busy = std::min(seats_, seats_taken_ + seats_wanted_);
  auto served = static_cast<wide>((now - before).count()) * busy;
  clock_ = clock_ + static_cast<std::int64_t>(served / active_);
}

void kubernetes_fair_queuing::woke(fair_queue& queue) noexcept {
  ++active_;
  queue.next = clock_;
}

void kubernetes_fair_queuing::gets_turn(fair_queue& queue, bool) noexcept {
  last_ = static_cast<numbered_queue&>(queue).number;
}

std::int64_t
kubernetes_fair_queuing::most_credit(const fair_queue&) const noexcept {
  return 0;
}

void kubernetes_fair_queuing::line_up(fair_queue& queue) noexcept {
  auto& changed = static_cast<numbered_queue&>(queue);
  if (changed.hook.is_linked())
    ready_.erase(ready_.iterator_to(changed));
  if (changed.waiting.empty())
    return;
  changed.finish = finish_of(changed);
  ready_.insert(changed);
}

void kubernetes_fair_queuing::idled(fair_queue&, instant) noexcept {
  --active_;
}

// -- hands --------------------------------------------------------------------

fair_queue& kubernetes_fair_queuing::queue_for(const task& task,
                                               instant) noexcept {
  auto& result = queues_[queue_of(task)];
  ++arrivals_;
  return result;
}

/// Returns the queue in the hand of the flow with the least waiting work. Each
/// task begins the search with another queue, so that ties are distributed.
std::size_t kubernetes_fair_queuing::queue_of(const task& task) const noexcept {
  dealer_.deal(task.flow.key().hash(), hand_);
  auto offset = arrivals_ % hand_.size();
  auto best = hand_[offset];
  for (std::size_t i = 1; i < hand_.size(); ++i) {
    auto each = hand_[(offset + i) % hand_.size()];
    if (queues_[each].seats_wanted < queues_[best].seats_wanted)
      best = each;
  }
  return best;
}

errc kubernetes_fair_queuing::objection(const task& task,
                                        instant) const noexcept {
  return has_room(queues_[queue_of(task)]) ? errc{} : errc::flow_full;
}

void kubernetes_fair_queuing::refused(const task& task) noexcept {
  ++queues_[queue_of(task)].refused;
}

/// Returns one row for each queue, because flows are not known.
std::vector<flow_stats>
kubernetes_fair_queuing::longest_flows(std::size_t most,
                                       const flow_supplement&) const {
  std::vector<flow_stats> rows;
  for (const auto& each : queues_)
    if (!each.is_idle() || each.served > 0 || each.refused > 0) {
      rows.push_back(row_of(each));
      rows.back().name = "queue " + std::to_string(each.number);
    }
  return longest(std::move(rows), most);
}

} // namespace libpool
