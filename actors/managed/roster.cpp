#include "libpool/actors/managed/roster.hpp"

#include "libpool/actors/pool_stats.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace libpool {

std::string words_of(const managed_worker& worker) {
  member_stats named;
  named.number = static_cast<std::uint64_t>(worker.number);
  named.name = worker.name;
  return describe(named);
}

managed_worker& roster::add(std::unique_ptr<managed_worker> worker) {
  auto& added = *worker;
  added.number = worker_number{joined_++};
  added.alone.only = {added.number};
  workers_.emplace(added.number, std::move(worker));
  serving_.emplace(added.receiver.actor, &added);
  seats_ += added.seats;
  is_bereft_ = false;
  return added;
}

managed_worker* roster::find(worker_number number) const {
  auto i = workers_.find(number);
  return i == workers_.end() ? nullptr : i->second.get();
}

bool roster::serves(const managed_worker& worker) const {
  auto i = serving_.find(worker.receiver.actor);
  return i != serving_.end() && i->second == &worker;
}

managed_worker* roster::find_present(const caf::abstract_actor& actor) const {
  auto* serving = find(actor);
  if (serving != nullptr || leaving() == 0)
    return serving;
  auto i = std::find_if(
    workers_.begin(), workers_.end(),
    [&](const auto& each) { return each.second->receiver.actor == &actor; });
  return i != workers_.end() ? i->second.get() : nullptr;
}

std::vector<managed_worker*> roster::serving() const {
  std::vector<managed_worker*> result;
  for (auto& [number, each] : workers_)
    if (each->is == worker::condition::serving)
      result.push_back(each.get());
  return result;
}

std::vector<managed_worker*> roster::all() const {
  std::vector<managed_worker*> result;
  for (auto& [number, each] : workers_)
    result.push_back(each.get());
  return result;
}

void roster::resizes(const managed_worker& worker, std::size_t seats) {
  if (serves(worker))
    seats_ = seats_ - worker.seats + seats;
}

void roster::take_out(const managed_worker& worker) {
  if (!serves(worker))
    return;
  serving_.erase(worker.receiver.actor);
  seats_ -= worker.seats;
}

void roster::presume_dead(managed_worker& worker) {
  take_out(worker);
  worker.is_presumed_dead = true;
  ++presumed_dead_;
}

bool roster::died(const managed_worker& worker) {
  auto served = worker.is_presumed_dead || serves(worker);
  if (worker.is_presumed_dead)
    --presumed_dead_;
  take_out(worker);
  is_bereft_ = is_bereft_
               || (served && serving_.empty() && presumed_dead_ == 0);
  return served;
}

std::unique_ptr<managed_worker> roster::remove(const managed_worker& worker) {
  auto i = workers_.find(worker.number);
  auto result = std::move(i->second);
  workers_.erase(i);
  return result;
}

bool roster::has_nobody() const {
  auto has_nobody = [](const auto& each) { return each.second->has_nobody; };
  return seats_ == 0 && presumed_dead_ == 0
         && std::all_of(serving_.begin(), serving_.end(), has_nobody);
}

} // namespace libpool
