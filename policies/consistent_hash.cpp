#include "libpool/policies/consistent_hash.hpp"

#include "libpool/core/splitmix64.hpp"
#include "libpool/policies/tie_rule.hpp"

#include <algorithm>
#include <cmath>

namespace libpool {

namespace {

constexpr std::uint64_t points_per_worker = 64;

/// Where the worker is on the ring, for the i-th time.
std::uint64_t point_of(const worker& who, std::uint64_t i) noexcept {
  auto number = static_cast<std::uint64_t>(who.number);
  return splitmix64::mixed(splitmix64::mixed(number + 1) + i);
}

/// Where a task is on the ring.
std::uint64_t point_of(const task& what) noexcept {
  return splitmix64::mixed(what.key.value_or(what.number));
}

} // namespace

std::vector<option> options_in(consistent_hash_options& options) {
  return {
    {"balance", number_option{options.balance, 1},
     "how many times the mean a worker may have in flight"},
  };
}

consistent_hash::consistent_hash(const consistent_hash_options& options)
  : balance_(options.balance) {
  check_each(options);
}

void consistent_hash::joined(worker& who, instant) noexcept {
  for (std::uint64_t i = 0; i < points_per_worker; ++i)
    ring_.emplace(point_of(who, i), &who);
}

void consistent_hash::left(worker& who, instant) noexcept {
  for (std::uint64_t i = 0; i < points_per_worker; ++i)
    ring_.erase(point_of(who, i));
}

void consistent_hash::offered(worker&, instant) noexcept {
  ++offered_;
}

void consistent_hash::withdrawn(worker&, instant) noexcept {
  --offered_;
}

void consistent_hash::assigned(worker& who, task& what, instant) noexcept {
  ++in_flight_;
  if (!what.key)
    return;
  auto& there = pins_[{*what.key, who.number}];
  there.on = &who;
  ++there.tasks;
}

void consistent_hash::unassigned(worker& who, task& what, instant) noexcept {
  --in_flight_;
  if (!what.key)
    return;
  auto there = pins_.find({*what.key, who.number});
  if (--there->second.tasks == 0)
    pins_.erase(there);
}

/// Who has tasks of the key in flight, if anybody.
worker* consistent_hash::pinned(std::uint64_t key) const noexcept {
  auto i = pins_.lower_bound({key, worker_number{0}});
  return i != pins_.end() && i->first.first == key ? i->second.on : nullptr;
}

/// A worker with fewer takes one more.
double consistent_hash::most_in_flight() const noexcept {
  return std::ceil(balance_ * static_cast<double>(in_flight_ + 1)
                   / static_cast<double>(offered_));
}

worker* consistent_hash::choose(const task& what, instant) noexcept {
  if (offered_ == 0)
    return nullptr;
  if (auto* who = what.key ? pinned(*what.key) : nullptr)
    return who->offered ? who : nullptr;
  auto most = most_in_flight();
  auto i = ring_.lower_bound(point_of(what));
  for (;; ++i) { // somebody has no more than the mean
    if (i == ring_.end())
      i = ring_.begin();
    if (i->second->offered && static_cast<double>(i->second->in_flight) < most)
      return i->second;
  }
}

worker* consistent_hash::choose_among(const std::vector<worker*>& some,
                                      const task& what, instant) noexcept {
  if (!what.key)
    return winner_of_tie(some);
  auto is_one_of_some = [&some](const worker* who) {
    auto i = std::lower_bound(
      some.begin(), some.end(), who,
      [](const worker* x, const worker* y) { return x->number < y->number; });
    return i != some.end() && *i == who;
  };
  if (auto* who = pinned(*what.key))
    return is_one_of_some(who) ? who : nullptr;
  auto i = ring_.lower_bound(point_of(what));
  for (;; ++i) {
    if (i == ring_.end())
      i = ring_.begin();
    if (is_one_of_some(i->second))
      return i->second;
  }
}

bool consistent_hash::keeps_order(const task& what) const noexcept {
  return what.key.has_value();
}

bool consistent_hash::is_tied(const task& what) const noexcept {
  return what.key && pinned(*what.key) != nullptr;
}

} // namespace libpool
