#pragma once

#include "libpool/actors/caf/handles.hpp"
#include "libpool/actors/caf/serial_actor.hpp"
#include "libpool/nodes/actors/actor_calls.hpp"

#include <caf/actor.hpp>
#include <caf/actor_control_block.hpp>
#include <caf/exit_reason.hpp>

#include <utility>

namespace libpool {

/// An actor that brings messages of other programs to a pool. It keeps
/// references to the pool and to itself until the pool ends.
class pool_guest : public serial_actor {
public:
  void worker_died(worker_number number, const caf::error&,
                   execution_context* host) override {
    act([this, number](execution_context* here) { note_end(number, here); },
        host);
  }

protected:
  static constexpr worker_number number_of_pool{0};

  pool_guest(caf::actor_config& cfg, caf::actor pool)
    : serial_actor(cfg), pool_(std::move(pool)) {
    // nop
  }

  /// Calls `open`, which lets other threads know this actor, and handles what
  /// they send afterwards. Exceptions of `open` are passed on.
  /// @pre called once, before other threads know this actor
  template <class Open>
  void open_with(Open open) {
    self_ = reach(address());
    register_at_system(); // other threads call this actor
    begin_handling();
    try {
      open();
    } catch (...) {
      end(nullptr);
      end_handling(nullptr);
      throw;
    }
    watch(actor_behind(pool_), *this, number_of_pool);
    end_handling(nullptr);
  }

  /// Calls `call` when its turn comes, unless this actor has ended by then.
  void act(command call, execution_context* host) {
    tell(
      [this, call = std::move(call)](execution_context* here) {
        if (self_ != nullptr)
          call(here);
      },
      host);
  }

  void received(caf::mailbox_element_ptr element,
                execution_context* host) override {
    refuse(*element, ctrl(), host);
  }

  /// Handles the end of a worker that is watched.
  virtual void note_end(worker_number, execution_context* host) {
    end(host);
  }

  /// Releases what the actor refers to.
  virtual void release() = 0;

  caf::actor pool_; // until this actor ends

private:
  void end(execution_context* host) {
    auto last = std::exchange(self_, nullptr);
    pool_ = nullptr;
    release();
    cleanup(caf::exit_reason::user_shutdown, host);
    unregister_from_system();
  }

  caf::strong_actor_ptr self_; // until it ends
};

} // namespace libpool
