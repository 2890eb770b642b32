#include "libpool/policies/stealing/steal_index.hpp"

#include <memory>
#include <utility>

namespace libpool {

namespace {

/// Maximum number of workers in a class that is found by the number of each of
/// its workers. Larger classes are searched one after the other.
constexpr std::size_t most_named = 8;

victim_record& victim_of(const worker& worker) noexcept {
  return static_cast<victim_record&>(*worker.booked);
}

const restriction* takers_of(const task& task) noexcept {
  return may_run_anywhere(task) ? nullptr : task.notes().where;
}

} // namespace

// -- workers ------------------------------------------------------------------

void steal_index::joined(worker& worker) {
  auto made = std::make_unique<victim_record>(worker, all_);
  workers_.insert(*made);
  worker.booked = std::move(made);
}

void steal_index::left(worker& worker) noexcept {
  auto& record = victim_of(worker);
  if (record.changed_hook.is_linked())
    changed_.erase(changed_.iterator_to(record));
  displace(record.for_all);
  workers_.erase(workers_.iterator_to(record));
  worker.booked = nullptr;
}

void steal_index::idled(victim_record& record, instant now) {
  record.idle_since = now;
  idle_.insert(record);
  for (auto* each : classes_of(record))
    look_at(*each);
}

void steal_index::engaged(victim_record& record) noexcept {
  idle_.erase(idle_.iterator_to(record));
}

// -- tasks --------------------------------------------------------------------

steal_offer& steal_index::offer_for(victim_record& record,
                                    const restriction* where) {
  if (where == nullptr)
    return record.for_all;
  auto& takers = some_.try_emplace(where, where).first->second;
  return record.for_some.try_emplace(where, record, takers).first->second;
}

void steal_index::list(victim_record& record, steal_record& task_record) {
  auto& offer = offer_for(record, takers_of(*task_record.task));
  offer.tasks.insert(offer.tasks.end(), task_record);
  if (task_record.threshold > 0)
    offer.dear.insert(offer.dear.end(), task_record);
  ++offer.takers->tasks;
  ++tasks_;
  choosy_ += task_record.task->notes().moves != nullptr ? 1U : 0U;
}

void steal_index::unlist(victim_record& record, steal_record& task_record) {
  if (!task_record.level_hook.is_linked())
    return;
  auto& offer = offer_for(record, takers_of(*task_record.task));
  offer.tasks.erase(offer.tasks.iterator_to(task_record));
  if (task_record.threshold_hook.is_linked())
    offer.dear.erase(offer.dear.iterator_to(task_record));
  --tasks_;
  choosy_ -= task_record.task->notes().moves != nullptr ? 1U : 0U;
  auto& takers = *offer.takers;
  --takers.tasks;
  if (&offer == &record.for_all)
    return;
  if (offer.tasks.empty()) {
    displace(offer);
    record.for_some.erase(takers.where);
  }
  if (takers.tasks == 0)
    forget(takers);
}

// -- offers -------------------------------------------------------------------

/// Updates the positions of the worker's offers, after its load or its tasks
/// have changed.
void steal_index::sort_in(victim_record& record) {
  refresh(record.for_all);
  for (auto& each : record.for_some)
    refresh(each.second);
}

/// Updates the position of the offer, after the load or the tasks of its worker
/// have changed. The offer is removed if no task may be taken over, because the
/// last task of a worker is never taken over.
void steal_index::refresh(steal_offer& offer) {
  displace(offer);
  if (offer.tasks.empty() || offer.victim->in_flight < 2)
    return;
  place(offer);
  look_at(*offer.takers);
}

void steal_index::place(steal_offer& offer) {
  auto& takers = *offer.takers;
  const auto& victim = *offer.victim;
  offer.group = victim.running;
  offer.load = victim.costs + victim.began;
  takers.offers[offer.group].insert(offer);
  if (offer.has_free_task()) {
    ++takers.free_offers;
  } else {
    offer.excess = 2 * offer.load - offer.dear.begin()->threshold;
    takers.dear[offer.group].insert(offer);
  }
}

void steal_index::displace(steal_offer& offer) noexcept {
  auto take_out = [&offer](auto& groups) {
    auto group = groups.find(offer.group);
    group->second.erase(group->second.iterator_to(offer));
    if (group->second.empty())
      groups.erase(group);
  };
  if (!offer.load_hook.is_linked())
    return;
  take_out(offer.takers->offers);
  if (offer.excess_hook.is_linked())
    take_out(offer.takers->dear);
  else
    --offer.takers->free_offers;
}

// -- classes ------------------------------------------------------------------

void steal_index::look_at(steal_class& takers) noexcept {
  if (!takers.queue_hook.is_linked())
    queue_.push_back(takers);
}

/// Removes a class without tasks. Its set of workers, `takers.where`, may be
/// destroyed afterwards.
void steal_index::forget(steal_class& takers) {
  if (takers.queue_hook.is_linked())
    queue_.erase(queue_.iterator_to(takers));
  if (takers.is_indexed)
    unindex(takers);
  some_.erase(takers.where);
}

void steal_index::index(steal_class& takers) {
  takers.is_indexed = true;
  if (takers.where->only.size() > most_named) {
    many_.insert(&takers);
    return;
  }
  for (auto number : takers.where->only)
    named_.emplace(number, &takers);
}

void steal_index::unindex(steal_class& takers) {
  if (takers.where->only.size() > most_named) {
    many_.erase(&takers);
    return;
  }
  for (auto number : takers.where->only)
    named_.erase({number, &takers});
}

void steal_index::changing(const restriction& where) noexcept {
  auto found = some_.find(&where);
  if (found == some_.end())
    return;
  auto& takers = found->second;
  if (std::exchange(takers.is_indexed, false))
    unindex(takers);
  takers.no_taker_before.reset();
  look_at(takers);
}

const std::vector<steal_class*>&
steal_index::classes_of(const victim_record& record) {
  classes_.assign(1, &all_);
  auto number = record.worker->number;
  for (auto i = named_.lower_bound({number, nullptr});
       i != named_.end() && i->first == number; ++i)
    classes_.push_back(i->second);
  for (auto* each : many_)
    if (each->permits(*record.worker))
      classes_.push_back(each);
  return classes_;
}

// -- workers that are asked ---------------------------------------------------

/// Returns the first idle worker of the class; nullptr if there is none.
victim_record* steal_index::first_taker(steal_class& takers, instant now) {
  if (idle_.empty())
    return nullptr;
  victim_record* result = nullptr;
  if (takers.no_taker_before && takers.where->only.size() > most_named) {
    auto i = idle_.lower_bound(*takers.no_taker_before, idled_sooner{});
    while (i != idle_.end() && !takers.permits(*i->worker))
      ++i;
    result = i == idle_.end() ? nullptr : &*i;
  } else {
    result = taker_after(takers, nullptr);
  }
  if (result == nullptr)
    takers.no_taker_before = now;
  return result;
}

victim_record* steal_index::taker_after(const steal_class& takers,
                                        const victim_record* last) {
  if (takers.where != nullptr && takers.where->only.size() < idle_.size())
    return named_taker_after(takers, last);
  auto i = last == nullptr ? idle_.begin() : idle_.upper_bound(*last);
  while (i != idle_.end() && !takers.permits(*i->worker))
    ++i;
  return i == idle_.end() ? nullptr : &*i;
}

victim_record* steal_index::named_taker_after(const steal_class& takers,
                                              const victim_record* last) {
  victim_record* result = nullptr;
  for (auto number : takers.where->only) {
    auto i = workers_.find(number);
    if (i == workers_.end() || !i->is_idle()
        || (last != nullptr && !idled_sooner{}(*last, *i)))
      continue;
    if (result == nullptr || idled_sooner{}(*i, *result))
      result = &*i;
  }
  return result;
}

/// Finds the classes that may have a task worth moving, and the first idle
/// worker of each class. Other classes are not examined again before they
/// change.
void steal_index::begin_round(instant now) {
  for (; !changed_.empty(); changed_.pop_front())
    sort_in(changed_.front());
  round_.clear();
  for (auto i = queue_.begin(); i != queue_.end();) {
    auto& each = *i;
    if (each.where != nullptr && !each.is_indexed)
      index(each);
    auto* taker = each.pays(now) ? first_taker(each, now) : nullptr;
    if (taker == nullptr) {
      i = queue_.erase(i);
    } else {
      round_.push_back({&each, taker});
      ++i;
    }
  }
}

/// Returns the next idle worker to ask; nullptr if all have been asked.
victim_record* steal_index::next_to_ask() {
  victim_record* result = nullptr;
  for (const auto& each : round_)
    if (each.next != nullptr
        && (result == nullptr || idled_sooner{}(*each.next, *result)))
      result = each.next;
  for (auto& each : round_)
    if (result != nullptr && each.next == result)
      each.next = taker_after(*each.asked, result);
  return result;
}

/// Called when the worker does not take a task. If this worker belongs only to
/// the class of all workers, no other worker takes a task of this class either:
/// a worker of several classes examines further tasks first.
void steal_index::refused(const victim_record& record) {
  if (choosy_ > 0 || classes_of(record).size() > 1)
    return;
  for (auto& each : round_)
    if (each.asked == &all_)
      each.next = nullptr;
}

} // namespace libpool
