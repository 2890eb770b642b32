#include "libpool/policies/placement/consistent_hash.hpp"

#include "libpool/core/splitmix64.hpp"
#include "libpool/policies/placement/tie_rule.hpp"

#include <algorithm>
#include <cmath>

namespace libpool {

namespace {

constexpr std::uint64_t points_per_worker = 64;

/// Returns the i-th point of the worker on the ring.
std::uint64_t point_of(const worker& worker, std::uint64_t i) noexcept {
  auto number = static_cast<std::uint64_t>(worker.number);
  return splitmix64::mixed(splitmix64::mixed(number + 1) + i);
}

/// Returns the point of the task on the ring.
std::uint64_t point_of(const task& task) noexcept {
  return splitmix64::mixed(task.notes().key.value_or(task.number));
}

} // namespace

std::vector<option> options_in(consistent_hash_options& options) {
  return {
    {"balance", number_option{options.balance, 1},
     "maximum number of tasks in flight at a worker, as a multiple of the mean "
     "of all workers"},
  };
}

consistent_hash::consistent_hash(const consistent_hash_options& options)
  : balance_(options.balance) {
  check_each(options);
}

void consistent_hash::joined(worker& worker, instant) noexcept {
  for (std::uint64_t i = 0; i < points_per_worker; ++i)
    ring_.add(point_of(worker, i), worker);
}

void consistent_hash::left(worker& worker, instant) noexcept {
  for (std::uint64_t i = 0; i < points_per_worker; ++i)
    ring_.remove(point_of(worker, i), worker);
}

void consistent_hash::offered(worker&, instant) noexcept {
  ++offered_;
}

void consistent_hash::withdrawn(worker&, instant) noexcept {
  --offered_;
}

void consistent_hash::assigned(worker& worker, task& task, instant) noexcept {
  ++in_flight_;
  const auto& key = task.notes().key;
  if (!key)
    return;
  auto& there = pins_[*key];
  there.on = &worker;
  ++there.tasks;
}

void consistent_hash::unassigned(worker&, task& task, instant) noexcept {
  --in_flight_;
  const auto& key = task.notes().key;
  if (!key)
    return;
  auto there = pins_.find(*key);
  if (--there->second.tasks == 0)
    pins_.erase(there);
}

/// Returns the worker that has tasks of the key in flight; nullptr if there is
/// none.
worker* consistent_hash::pinned(std::uint64_t key) const noexcept {
  auto i = pins_.find(key);
  return i != pins_.end() ? i->second.on : nullptr;
}

/// Returns the bound on tasks in flight. A worker below this bound may get the
/// next task.
double consistent_hash::most_in_flight() const noexcept {
  return std::ceil(balance_ * static_cast<double>(in_flight_ + 1)
                   / static_cast<double>(offered_));
}

worker* consistent_hash::choose(const task& task, instant) noexcept {
  if (offered_ == 0)
    return nullptr;
  const auto& key = task.notes().key;
  if (auto* home = key ? pinned(*key) : nullptr)
    return home->offered ? home : nullptr;
  auto most = most_in_flight();
  return ring_.find_from(point_of(task), [most](const worker& each) {
    return each.offered && static_cast<double>(each.in_flight) < most;
  });
}

worker* consistent_hash::choose_among(const std::vector<worker*>& some,
                                      const task& task, instant) noexcept {
  const auto& key = task.notes().key;
  if (!key)
    return winner_of_tie(some);
  auto is_one_of_some = [&some](const worker& server) {
    auto i = std::lower_bound(
      some.begin(), some.end(), &server,
      [](const worker* x, const worker* y) { return x->number < y->number; });
    return i != some.end() && *i == &server;
  };
  if (auto* home = pinned(*key))
    return is_one_of_some(*home) ? home : nullptr;
  return ring_.find_from(point_of(task), is_one_of_some);
}

bool consistent_hash::keeps_order(const task& task) const noexcept {
  return task.notes().key.has_value();
}

bool consistent_hash::is_tied(const task& task) const noexcept {
  const auto& key = task.notes().key;
  return key && pinned(*key) != nullptr;
}

} // namespace libpool
