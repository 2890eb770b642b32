#include "libpool/actors/caf/inner_pool.hpp"

#include "libpool/actors/caf/port/front_actor.hpp"
#include "libpool/actors/caf/port/types.hpp"
#include "libpool/actors/caf/watch.hpp"

#include <algorithm>

namespace libpool {

void outer_pools::add(const caf::actor_addr& pool, worker_number number) {
  std::lock_guard<std::mutex> guard{mutex_};
  entries_.push_back({pool, number});
}

void outer_pools::remove(const caf::actor_addr& pool, worker_number number) {
  auto is_it = [&](const entry& each) {
    return each.pool == pool && each.number == number;
  };
  std::lock_guard<std::mutex> guard{mutex_};
  entries_.erase(std::remove_if(entries_.begin(), entries_.end(), is_it),
                 entries_.end());
}

bool outer_pools::empty() const {
  std::lock_guard<std::mutex> guard{mutex_};
  return entries_.empty();
}

void outer_pools::tell(const room_report& report, execution_context* host) {
  std::vector<entry> entries;
  {
    std::lock_guard<std::mutex> guard{mutex_};
    if (!entries_.empty())
      std::rotate(entries_.begin(), entries_.begin() + 1, entries_.end());
    entries = entries_;
  }
  for (auto& each : entries)
    if (auto pool = reach(each.pool))
      static_cast<watcher*>(pool->get())
        ->worker_has_room(each.number, report, host);
}

} // namespace libpool
