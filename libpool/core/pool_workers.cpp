#include "libpool/core/pool_workers.hpp"

#include <algorithm>
#include <cstdint>

namespace libpool {

namespace {

bool serves(const worker& worker) noexcept {
  return worker.is == worker::condition::serving;
}

} // namespace

// -- facts about membership ---------------------------------------------------

void pool_workers::joined(worker& worker) noexcept {
  worker.is = worker::condition::serving;
  worker.pauses = worker.suspended = worker.waits = false;
  next_number_ = std::max(
    next_number_, worker_number{static_cast<std::uint64_t>(worker.number) + 1});
  members_.insert(worker);
  seats.joined(worker, members_);
}

bool pool_workers::stops_serving(worker& worker,
                                 worker::condition next) noexcept {
  auto served = serves(worker);
  worker.is = next;
  if (!served)
    return false;
  pausing_ -= worker.pauses ? 1U : 0U;
  suspended_ -= worker.suspended ? 1U : 0U;
  hanging_ -= worker.hanging > 0 ? 1U : 0U;
  busy_ -= worker.in_mailbox > 0 ? 1U : 0U;
  seats.retired(worker);
  end_rest(worker);
  return true;
}

void pool_workers::dismissed(worker& worker) noexcept {
  worker.is = worker::condition::unknown;
  members_.erase(members_.iterator_to(worker));
}

void pool_workers::resized(worker& worker, std::size_t places) noexcept {
  seats.resized(worker, places, members_);
  worker.window = places;
}

// -- facts about tasks at workers ---------------------------------------------

void pool_workers::hangs(worker& worker) noexcept {
  auto is_first = worker.hanging++ == 0;
  if (is_first && serves(worker))
    ++hanging_;
  worker.overran = true;
}

void pool_workers::ends_hanging(worker& worker) noexcept {
  auto is_last = --worker.hanging == 0;
  if (is_last && serves(worker))
    --hanging_;
}

// -- pauses and rests ---------------------------------------------------------

void pool_workers::paused(worker& worker, bool pauses) noexcept {
  auto did_pause = std::exchange(worker.pauses, pauses);
  if (did_pause != pauses && serves(worker))
    pausing_ = pauses ? pausing_ + 1 : pausing_ - 1;
}

bool pool_workers::suspended(worker& worker) noexcept {
  if (!serves(worker) || std::exchange(worker.suspended, true))
    return false;
  ++suspended_;
  return true;
}

bool pool_workers::reinstated(worker& worker) noexcept {
  auto was_suspended = std::exchange(worker.suspended, false);
  if (!was_suspended || !serves(worker))
    return false;
  --suspended_;
  return true;
}

void pool_workers::rest(worker& worker, instant until) noexcept {
  end_rest(worker);
  worker.rests_until = until;
  resting_.insert(worker);
}

void pool_workers::rest_after(const task& task, worker& worker,
                              instant now) noexcept {
  auto until = later(task.started, worker.slowest_lately);
  if (until <= now || !serves(worker) || worker.is_pool)
    return;
  rest(worker, worker.rest_hook.is_linked()
                 ? std::max(until, worker.rests_until)
                 : until);
}

bool pool_workers::end_rest(worker& worker) noexcept {
  if (!worker.rest_hook.is_linked())
    return false;
  resting_.erase(resting_.iterator_to(worker));
  return true;
}

worker* pool_workers::take_rested(instant now) noexcept {
  if (resting_.empty() || next_rested() > now)
    return nullptr;
  auto& result = *resting_.begin();
  resting_.erase(resting_.begin());
  return &result;
}

// -- questions ----------------------------------------------------------------

bool pool_workers::are_lost(const restriction& where) const noexcept {
  auto is_there = [this](worker_number number) {
    auto i = members_.find(number, joined_sooner{});
    return i != members_.end() && serves(*i) && !i->has_nobody;
  };
  return !where.loose && !where.open && !where.only.empty()
         && where.only.back() < next_number_
         && std::none_of(where.only.begin(), where.only.end(), is_there);
}

std::size_t pool_workers::places() const noexcept {
  std::size_t result = 0;
  for (const auto& each : members_)
    if (serves(each))
      result += seats.places_of(each);
  return result;
}

} // namespace libpool
