#include "libpool/policies/exact_fair_queuing.hpp"

#include <algorithm>
#include <memory>

namespace libpool {

namespace {

constexpr std::size_t shared_queues = 64;

/// Flows that have nothing to do nor to pay, and are kept all the same.
constexpr std::size_t most_remembered = 1024;

} // namespace

exact_fair_queuing::exact_fair_queuing(const order_options& options,
                                       virtual_time start)
  : fair_queuing(options, start),
    debt_memory_(options.debt_memory),
    most_flows_(options.most_flows),
    shares_(options.shares),
    buckets_(64),
    table_(flow_table::bucket_traits(buckets_.data(), buckets_.size())) {
  for (std::size_t i = 0; i < shared_queues; ++i) {
    auto& shared = new_flow();
    shared.is_shared = true;
    shared.name = "shared " + std::to_string(i);
  }
}

exact_fair_queuing::~exact_fair_queuing() {
  debtors_.clear();
  remembered_.clear();
  table_.clear();
}

// -- turns --------------------------------------------------------------------

task* exact_fair_queuing::choose(instant) noexcept {
  if (ready_.empty())
    return nullptr;
  auto& next = flows_[ready_.top()]->head();
  __builtin_prefetch(&next.place_hook);
  __builtin_prefetch(&next.width);
  return &next;
}

void exact_fair_queuing::pass(instant) noexcept {
  // The clock goes by turns.
}

void exact_fair_queuing::woke(fair_queue& which) noexcept {
  which.next = later(clock_, which.next);
}

void exact_fair_queuing::gets_turn(fair_queue& which) noexcept {
  clock_ = later(clock_, which.next);
  which.last_turn = ++turns_;
}

/// The clock may be ahead by the guesses for all seats.
std::int64_t
exact_fair_queuing::most_credit(const fair_queue& which) const noexcept {
  return charge(which, seats_, guess_);
}

void exact_fair_queuing::line_up(fair_queue& which) noexcept {
  auto slot = static_cast<flow&>(which).slot;
  if (!which.waiting.empty())
    ready_.put(slot, finish_of(which));
  else if (ready_.contains(slot))
    ready_.remove(slot);
  if (!ready_.empty())
    __builtin_prefetch(flows_[ready_.top()].get());
}

// -- flows that come and go ---------------------------------------------------

fair_queue& exact_fair_queuing::queue_for(const task& what,
                                          instant now) noexcept {
  settle_debts(now);
  if (auto* which = known(what)) {
    use(*which);
    return *which;
  }
  return make_room() ? newcomer(what) : shared_one(what);
}

void exact_fair_queuing::idled(fair_queue& which, instant now) noexcept {
  auto& idle = static_cast<flow&>(which);
  if (idle.is_shared)
    return;
  if (which.next - clock_ <= 0)
    return remember(idle);
  idle.idle_since = now;
  debtors_.push_back(idle);
  indebted_.put(idle.slot, idle.next);
}

/// Forgives those who have paid, and those who have done nothing for so long
/// that nobody remembers.
void exact_fair_queuing::settle_debts(instant now) noexcept {
  auto forgive = [this](flow& which) {
    indebted_.remove(which.slot);
    debtors_.erase(debtors_.iterator_to(which));
    remember(which);
  };
  while (!indebted_.empty() && flows_[indebted_.top()]->next - clock_ <= 0)
    forgive(*flows_[indebted_.top()]);
  while (!debtors_.empty()
         && later(debtors_.front().idle_since, debt_memory_) <= now)
    forgive(debtors_.front());
}

/// Has the flow, which may be idle, be one that is not.
void exact_fair_queuing::use(flow& which) noexcept {
  if (!which.idle_hook.is_linked())
    return;
  if (indebted_.contains(which.slot)) {
    indebted_.remove(which.slot);
    debtors_.erase(debtors_.iterator_to(which));
  } else { // comes as if it had never been there
    remembered_.erase(remembered_.iterator_to(which));
    which.next = clock_;
    which.last_turn = 0;
    which.number = ++numbers_;
  }
}

/// Keeps what there is to say about the flow, while there is room for that.
void exact_fair_queuing::remember(flow& which) noexcept {
  which.next = clock_;
  remembered_.push_back(which);
  if (remembered_.size() > most_remembered)
    forget(remembered_.front());
}

void exact_fair_queuing::forget(flow& which) noexcept {
  remembered_.erase(remembered_.iterator_to(which));
  table_.erase(table_.iterator_to(which));
  free_slots_.push_back(which.slot);
  flows_[which.slot] = nullptr;
}

/// Returns whether there may be one more flow.
bool exact_fair_queuing::make_room() {
  if (table_.size() < most_flows_)
    return true;
  if (remembered_.empty())
    return false;
  forget(remembered_.front());
  return true;
}

exact_fair_queuing::flow& exact_fair_queuing::newcomer(const task& what) {
  if (2 * table_.size() >= buckets_.size())
    grow();
  auto& made = new_flow();
  made.hash = what.flow.hash();
  made.name = what.flow.name();
  if (!shares_.empty())
    if (auto i = shares_.find(made.name); i != shares_.end())
      made.share = i->second;
  table_.insert(made);
  return made;
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

void exact_fair_queuing::grow() {
  std::vector<flow_table::bucket_type> more(buckets_.size() * 2);
  table_.rehash(flow_table::bucket_traits(more.data(), more.size()));
  buckets_.swap(more);
}

// -- questions ----------------------------------------------------------------

exact_fair_queuing::flow* exact_fair_queuing::known(const task& what) noexcept {
  auto i = table_.find(what.flow.hash());
  return i == table_.end() ? nullptr : &*i;
}

exact_fair_queuing::flow&
exact_fair_queuing::shared_one(const task& what) const noexcept {
  return *flows_[what.flow.hash() % shared_queues];
}

errc exact_fair_queuing::objection(const task& what) const noexcept {
  auto i = table_.find(what.flow.hash());
  auto shares = i == table_.end() && table_.size() >= most_flows_
                && remembered_.empty();
  if (i == table_.end() && !shares)
    return {};
  const flow& which = shares ? shared_one(what) : *i;
  return has_room(which) ? errc{} : errc::flow_full;
}

/// What is refused makes a flow known, so that it can be seen.
void exact_fair_queuing::refused(const task& what) noexcept {
  if (auto* which = known(what)) {
    ++which->refused;
  } else if (make_room()) {
    auto& made = newcomer(what);
    ++made.refused;
    remember(made);
  }
}

std::vector<flow_stats> exact_fair_queuing::flows(std::size_t most) const {
  std::vector<flow_stats> rows;
  auto add = [&](const flow& which) {
    rows.push_back(row_of(which));
    rows.back().name = which.name;
  };
  for (const auto& each : flows_)
    if (each != nullptr
        && (!each->is_shared || !each->is_idle() || each->served > 0))
      add(*each);
  return longest(std::move(rows), most);
}

} // namespace libpool
