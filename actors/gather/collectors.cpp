#include "libpool/actors/gather/collectors.hpp"

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
caf::strong_actor_ptr collectors::take() {
  std::lock_guard<std::mutex> guard{mutex_};
  for (auto looks = 4; looks > 0 && !free_.empty(); --looks) {
    auto result = std::move(free_.front());
    free_.pop_front();
    if (result->strong_refs.load(std::memory_order_acquire) == 1)
      return result;
    free_.push_back(std::move(result));
  }
  return nullptr;
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

} // namespace libpool
