#pragma once

#include <caf/actor_addr.hpp>
#include <caf/actor_control_block.hpp>
#include <caf/fwd.hpp>

#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>

namespace libpool {

class collector;
struct gather;

/// Whoever asks workers on behalf of collectors.
class gather_owner {
public:
  /// A collector that has asked for `what` has its answer, and needs no more.
  virtual void decided(gather& what, caf::strong_actor_ptr collector,
                       caf::execution_unit* host) = 0;

protected:
  gather_owner() = default;
  gather_owner(const gather_owner&) = default;
  gather_owner& operator=(const gather_owner&) = default;
  ~gather_owner() = default;
};

/// The collectors of one pool. Those that have served a message serve the next
/// one: in the long run hardly any is made.
///
/// Cost:    takes and gives back under a mutex. At most 1024 are kept, beyond
///          those in use.
/// Threads: any.
class collectors : public std::enable_shared_from_this<collectors> {
public:
  /// `told` is the managed pool that has their requests, if any, and `owner`
  /// the same.
  explicit collectors(caf::actor_addr told = nullptr,
                      gather_owner* owner = nullptr);

  /// One that serves nothing, and that nobody else refers to.
  caf::strong_actor_ptr take(caf::actor_system& system);

  /// `what` has served its message; somebody may still refer to it.
  void give_back(caf::strong_actor_ptr what);

  /// Keeps none any more.
  void close();

  const caf::actor_addr& told() const noexcept {
    return told_;
  }

  /// @pre `told` is there
  gather_owner& owner() const noexcept {
    return *owner_;
  }

private:
  const caf::actor_addr told_;
  gather_owner* const owner_;
  std::mutex mutex_;
  std::deque<caf::strong_actor_ptr> free_; // the oldest first
  bool closed_ = false;
};

/// The collector behind `ptr`, which is one.
collector& collector_behind(const caf::strong_actor_ptr& ptr) noexcept;

} // namespace libpool
