#include "libpool/actors/gather/collectors.hpp"

#include "libpool/actors/gather/collector.hpp"

#include <caf/actor_config.hpp>
#include <caf/actor_system.hpp>
#include <caf/make_actor.hpp>

#include <atomic>
#include <utility>

namespace libpool {

collectors::collectors(std::shared_ptr<const gather_plan> plan, bool ordered,
                       caf::actor_addr told, gather_owner* owner)
  : plan_(std::move(plan)),
    ordered_(ordered),
    told_(std::move(told)),
    owner_(owner) {
  // nop
}

/// Others have most likely let go of the oldest ones.
caf::strong_actor_ptr collectors::take(caf::actor_system& system) {
  {
    std::lock_guard<std::mutex> guard{mutex_};
    for (auto looks = 4; looks > 0 && !free_.empty(); --looks) {
      auto result = std::move(free_.front());
      free_.pop_front();
      if (result->strong_refs.load(std::memory_order_acquire) == 1)
        return result;
      free_.push_back(std::move(result));
    }
  }
  caf::actor_config cfg;
  return caf::make_actor<collector, caf::strong_actor_ptr>(
    system.next_actor_id(), system.node(), &system, cfg, shared_from_this());
}

void collectors::give_back(caf::strong_actor_ptr collector_handle) {
  constexpr std::size_t most = 1024;
  std::lock_guard<std::mutex> guard{mutex_};
  if (!closed_ && free_.size() < most)
    free_.push_back(std::move(collector_handle));
}

void collectors::close() {
  std::deque<caf::strong_actor_ptr> dropped; // outside of the lock
  std::lock_guard<std::mutex> guard{mutex_};
  closed_ = true;
  dropped.swap(free_);
}

collector& collector_behind(const caf::strong_actor_ptr& ptr) noexcept {
  return static_cast<collector&>(*ptr->get());
}

} // namespace libpool
