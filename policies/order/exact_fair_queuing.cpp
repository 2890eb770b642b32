#include "libpool/policies/order/exact_fair_queuing.hpp"

#include <algorithm>
#include <memory>
#include <utility>

namespace libpool {

namespace {

constexpr std::size_t shared_queues = 64;

/// Number of known flows from which on flows without tasks and debt are
/// forgotten.
constexpr std::size_t most_remembered = 1024;

/// Number of flows that are checked for each new flow. More than one, so that
/// flows without tasks and debt do not accumulate.
constexpr std::size_t looks = 4;

/// Prefetches the members of the task that its turn reads. Compilers remove
/// calls of functions that only prefetch, unless the functions are inlined.
[[gnu::always_inline]] inline void prefetch_task(const task& task) noexcept {
  __builtin_prefetch(&task.list_hook);
  __builtin_prefetch(&task.line_slot);
}

} // namespace

exact_fair_queuing::exact_fair_queuing(const fair_queuing_options& options,
                                       virtual_time start)
  : fair_queuing(options, start),
    debt_memory_(options.debt_memory),
    most_flows_(options.most_flows),
    shares_(options.shares) {
  for (std::size_t i = 0; i < shared_queues; ++i) {
    auto& shared = new_flow();
    shared.is_shared = true;
    shared.name = "shared " + std::to_string(i);
  }
}

// -- turns --------------------------------------------------------------------

/// Prefetches what a turn of the flow reads: the flow, its head, and the task
/// behind the head. Each of these has the address of the next one, and none is
/// likely to be in a cache. They are therefore fetched at three depths, while
/// the flow moves up in the heap.
[[gnu::always_inline]] inline void
exact_fair_queuing::prefetch(std::uint32_t slot,
                             std::size_t depth) const noexcept {
  const auto* soon = flows_[slot].get();
  if (depth == 3) {
    __builtin_prefetch(soon);
    __builtin_prefetch(&soon->last_turn);
  } else if (depth == 2 && !soon->waiting.empty()) {
    prefetch_task(soon->head());
  } else if (depth == 1) {
    if (const auto* behind = soon->waiting.second())
      prefetch_task(*behind);
  }
}

/// Updates the position of the flow that has changed. The update waits until
/// another flow changes or a task is chosen, so that a flow that gets a turn
/// and ends it moves only once.
void exact_fair_queuing::settle() noexcept {
  if (changed_ == nullptr)
    return;
  auto& queue = *std::exchange(changed_, nullptr);
  auto rose = [this](std::uint32_t slot, std::size_t depth) {
    prefetch(slot, depth);
  };
  if (!queue.waiting.empty())
    ready_.put(queue.slot, finish_of(queue), rose);
  else if (ready_.contains(queue.slot))
    ready_.remove(queue.slot, rose);
}

task* exact_fair_queuing::choose(instant) noexcept {
  settle();
  return ready_.empty() ? nullptr : &flows_[ready_.top()]->head();
}

void exact_fair_queuing::pass(instant now) noexcept {
  now_ = now; // the virtual clock advances with turns
}

void exact_fair_queuing::woke(fair_queue& queue) noexcept {
  queue.next = later(clock_, queue.next);
}

void exact_fair_queuing::gets_turn(fair_queue& queue, bool begins) noexcept {
  settle();
  if (begins)
    clock_ = later(clock_, queue.next);
  queue.last_turn = ++turns_;
}

/// Returns the virtual time by which tasks that have just begun can set the
/// clock ahead: the assumed service time of one task for each seat of the pool.
std::int64_t
exact_fair_queuing::most_credit(const fair_queue& queue) const noexcept {
  return charge(queue, seats_, guess_);
}

void exact_fair_queuing::line_up(fair_queue& queue) noexcept {
  if (changed_ != &queue)
    settle();
  changed_ = &static_cast<flow&>(queue);
}

// -- flows that come and go ---------------------------------------------------

fair_queue& exact_fair_queuing::queue_for(const task& task,
                                          instant now) noexcept {
  auto* queue = known(task.flow.key().hash());
  if (queue == nullptr)
    return stranger(task, now);
  if (queue->is_idle() && !owes(*queue, now)) {
    // The flow is treated as a new flow.
    queue->next = clock_;
    queue->last_turn = 0;
    queue->number = ++numbers_;
  }
  return *queue;
}

void exact_fair_queuing::idled(fair_queue& queue, instant now) noexcept {
  static_cast<flow&>(queue).idle_since = now;
}

/// Whether the flow, which is idle, has had more than its share, and this is
/// still remembered.
bool exact_fair_queuing::owes(const flow& queue, instant now) const noexcept {
  return queue.next - clock_ > 0 && later(queue.idle_since, debt_memory_) > now;
}

bool exact_fair_queuing::can_be_forgotten(std::size_t slot,
                                          instant now) const noexcept {
  const auto* queue = flows_[slot].get();
  return queue != nullptr && !queue->is_shared && queue->is_idle()
         && !owes(*queue, now);
}

/// Whether a new flow may have a queue of its own, possibly after another flow
/// is forgotten.
bool exact_fair_queuing::has_room_for_one(instant now) const noexcept {
  if (table_.size() < most_flows_)
    return true;
  for (std::size_t i = 0; i < looks; ++i)
    if (can_be_forgotten((hand_ + i) % flows_.size(), now))
      return true;
  return false;
}

/// Checks a few flows, and forgets those without tasks and debt. Called for
/// each new flow, so that few unneeded flows are kept.
void exact_fair_queuing::forget_some(instant now) noexcept {
  for (std::size_t i = 0; i < looks; ++i) {
    auto slot = hand_;
    hand_ = (hand_ + 1) % flows_.size();
    if (can_be_forgotten(slot, now))
      forget(*flows_[slot]);
  }
}

void exact_fair_queuing::forget(flow& queue) noexcept {
  settle();
  table_.erase(queue.slot);
  free_slots_.push_back(queue.slot);
  flows_[queue.slot] = nullptr;
}

/// Returns the queue for a task of an unknown flow. If no other flow can be
/// forgotten, the result is a shared queue, and the next search begins with
/// other flows.
exact_fair_queuing::flow& exact_fair_queuing::stranger(const task& task,
                                                       instant now) {
  if (has_room_for_one(now))
    return newcomer(task, now);
  hand_ = (hand_ + looks) % flows_.size();
  return shared_one(task);
}

exact_fair_queuing::flow& exact_fair_queuing::newcomer(const task& task,
                                                       instant now) {
  if (table_.size() >= std::min(most_remembered, most_flows_))
    forget_some(now);
  auto& made = new_flow();
  made.hash = task.flow.key().hash();
  made.name = task.flow.key().name();
  if (!shares_.empty())
    made.share = share_of(made.name);
  table_.insert(made.slot);
  return made;
}

double exact_fair_queuing::share_of(const std::string& name) const {
  auto i = shares_.find(name);
  return i == shares_.end() ? 1 : i->second;
}

/// What flows were charged until now stays: a guess is corrected by the new
/// share, so that the change costs a flow at most the guesses of its running
/// tasks.
bool exact_fair_queuing::set_shares(
  const std::map<std::string, double>& shares) {
  shares_ = shares;
  for (const auto& each : flows_)
    if (each != nullptr && !each->is_shared) {
      each->share = share_of(each->name);
      if (!each->waiting.empty())
        line_up(*each);
    }
  return true;
}

exact_fair_queuing::flow& exact_fair_queuing::new_flow() {
  if (free_slots_.empty()) {
    free_slots_.push_back(static_cast<std::uint32_t>(flows_.size()));
    flows_.emplace_back();
  }
  auto slot = free_slots_.back();
  free_slots_.pop_back();
  flows_[slot] = std::make_unique<flow>();
  auto& made = *flows_[slot];
  made.slot = slot;
  made.next = clock_;
  made.number = ++numbers_;
  return made;
}

// -- questions ----------------------------------------------------------------

exact_fair_queuing::flow*
exact_fair_queuing::known(std::uint64_t hash) const noexcept {
  auto slot = table_.find(hash);
  return slot ? flows_[*slot].get() : nullptr;
}

exact_fair_queuing::flow&
exact_fair_queuing::shared_one(const task& task) const noexcept {
  return *flows_[task.flow.key().hash() % shared_queues];
}

flow_line exact_fair_queuing::line_for(const task& task) const noexcept {
  const auto* queue = known(task.flow.key().hash());
  if (queue == nullptr)
    queue = &shared_one(task);
  return {queue->length(), std::max<std::size_t>(ready_.size(), 1)};
}

errc exact_fair_queuing::objection(const task& task,
                                   instant now) const noexcept {
  if (!has_limits())
    return {};
  const auto* queue = known(task.flow.key().hash());
  if (queue == nullptr && !has_room_for_one(now))
    queue = &shared_one(task);
  return queue == nullptr || has_room(*queue) ? errc{} : errc::flow_full;
}

/// Counts a refused task. The flow of the task becomes known, so that `flows`
/// lists it.
void exact_fair_queuing::refused(const task& task) noexcept {
  auto* queue = known(task.flow.key().hash());
  if (queue == nullptr)
    queue = &stranger(task, now_);
  ++queue->refused;
}

/// Returns the flows that `longest_flows` compares.
std::vector<const exact_fair_queuing::flow*>
exact_fair_queuing::compared(std::size_t most,
                             const std::vector<std::uint64_t>& also) const {
  std::vector<const flow*> result;
  auto add = [&](const flow* each) {
    if (each != nullptr
        && !(each->is_shared && each->is_idle() && each->served == 0
             && each->refused == 0))
      result.push_back(each);
  };
  auto first = std::min(flows_.size(), std::max(most, most_compared_flows));
  for (std::size_t i = 0; i < first; ++i)
    add(flows_[i].get());
  if (first == flows_.size())
    return result;
  levels_.for_each_longest<fair_queue>(
    most_compared_flows, [](const auto& each) { return each.length(); },
    [&](const auto& each) { add(static_cast<const flow*>(&each)); });
  for (auto hash : also)
    add(known(hash));
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

/// Only the flows of the result are named, since names are long.
std::vector<flow_stats>
exact_fair_queuing::longest_flows(std::size_t most,
                                  const flow_supplement& more) const {
  std::vector<std::pair<flow_stats, const flow*>> rows;
  for (const auto* each : compared(most, more.also)) {
    rows.emplace_back(row_of(*each), each);
    if (more.complete != nullptr && !each->is_shared)
      more.complete(each->hash, rows.back().first);
  }
  auto end = rows.begin()
             + static_cast<std::ptrdiff_t>(std::min(most, rows.size()));
  std::partial_sort(
    rows.begin(), end, rows.end(), [](const auto& x, const auto& y) {
      return is_longer(x.first, x.second->name, y.first, y.second->name);
    });
  std::vector<flow_stats> result;
  for (auto i = rows.begin(); i != end; ++i) {
    i->first.name = i->second->name;
    result.push_back(std::move(i->first));
  }
  return result;
}

} // namespace libpool
