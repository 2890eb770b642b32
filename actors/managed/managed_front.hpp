#pragma once

#include "libpool/actors/caf/element_record.hpp"
#include "libpool/actors/caf/pool_front.hpp"
#include "libpool/actors/caf/port/types.hpp"

#include <caf/error.hpp>

#include <functional>
#include <utility>

namespace libpool {

/// A managed pool as its parts know it: an actor that calls commands in the
/// order of its facts.
class managed_front : public pool_front, public element_owner {
public:
  using command = std::function<void(execution_context*)>;

  using pool_front::pool_front;

  /// Calls `fact` in the turn of the pool. Can be called from any thread.
  virtual void tell(command fact, execution_context* host) = 0;

  /// Ends the actor.
  void end(caf::error reason, execution_context* host) {
    if (cleanup(std::move(reason), host))
      unregister_from_system();
  }
};

} // namespace libpool
