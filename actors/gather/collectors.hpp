#pragma once

#include "libpool/actors/caf/port/types.hpp"
#include "libpool/core/gather_plan.hpp"

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
///
/// Threads: any.
class gather_owner {
public:
  /// The collector of the message has answered it, and needs no more; nullptr
  /// if it is being destroyed.
  virtual void decided(gather& message, caf::strong_actor_ptr collector,
                       execution_context* host) = 0;

  /// The votes on the message want so many more workers to be asked.
  virtual void wanted(gather& message, caf::strong_actor_ptr collector,
                      std::size_t more, execution_context* host) = 0;

protected:
  gather_owner() = default;
  gather_owner(const gather_owner&) = default;
  gather_owner& operator=(const gather_owner&) = default;
  ~gather_owner() = default;
};

/// The collectors of one pool. A collector that has served a message serves the
/// next one: in the long run hardly any is made.
///
/// Cost:    takes and gives back under a mutex. At most 1024 are kept, beyond
///          the collectors in use.
/// Threads: any.
class collectors : public std::enable_shared_from_this<collectors> {
public:
  /// The votes of the plan decide, and the results are joined in the order of
  /// the parts if `ordered`. `told` is the managed pool that has the requests,
  /// if any, which keeps `owner`.
  explicit collectors(std::shared_ptr<const gather_plan> plan,
                      bool ordered = false, caf::actor_addr told = nullptr,
                      gather_owner* owner = nullptr);

  /// A collector that serves no message, and that nothing else refers to.
  caf::strong_actor_ptr take(caf::actor_system& system);

  /// The collector has served its message; other objects may still refer to it.
  void give_back(caf::strong_actor_ptr collector_handle);

  /// Keeps none any more.
  void close();

  const gather_plan& plan() const noexcept {
    return *plan_;
  }

  bool are_ordered() const noexcept {
    return ordered_;
  }

  const caf::actor_addr& told() const noexcept {
    return told_;
  }

  /// @pre `told` is there
  gather_owner& owner() const noexcept {
    return *owner_;
  }

private:
  const std::shared_ptr<const gather_plan> plan_;
  const bool ordered_;
  const caf::actor_addr told_;
  gather_owner* const owner_;
  std::mutex mutex_;
  std::deque<caf::strong_actor_ptr> free_; // the oldest first
  bool closed_ = false;
};

/// The collector behind `ptr`, which is one.
collector& collector_behind(const caf::strong_actor_ptr& ptr) noexcept;

} // namespace libpool
