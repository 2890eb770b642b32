#pragma once

#include "libpool/actors/caf/command_element.hpp"
#include "libpool/actors/caf/fact_inbox.hpp"
#include "libpool/actors/caf/handling_loop.hpp"
#include "libpool/actors/caf/watch.hpp"

#include <caf/mailbox_element.hpp>

#include <cstddef>

namespace libpool {

/// An actor without mailbox and turn: what it is told is handled in the thread
/// that tells it, one thread at a time, see `handling_loop`. So what it keeps
/// needs no lock, none is held when CAF or the user is called, and nobody
/// waits.
///
/// What comes back while it handles, in the same thread or another one, is
/// handled after that.
class serial_actor : public watcher {
public:
  using watcher::enqueue;

  void enqueue(caf::mailbox_element_ptr what,
               caf::execution_unit* host) override;

protected:
  using watcher::watcher;

  using command = command_element::function;

  /// Has `what` called when its turn comes: before this returns, unless another
  /// thread handles.
  void tell(command what, caf::execution_unit* host);

  /// For whoever does what others must not interrupt, such as a beginning:
  /// waits while another thread handles.
  /// @pre the caller does not handle, and hardly anybody else knows the actor
  void begin_handling() noexcept;

  /// Handles what has come meanwhile.
  void end_handling(caf::execution_unit* host);

  /// A message has come. Called one at a time.
  virtual void received(caf::mailbox_element_ptr what,
                        caf::execution_unit* host) = 0;

  /// Called, one at a time, when all that had come is handled.
  virtual void handled_all(caf::execution_unit*) {
    // nop
  }

private:
  friend class handling_loop<serial_actor>;

  void begin_round() noexcept {
    // nop
  }

  std::nullptr_t end_round(caf::execution_unit* host) {
    handled_all(host);
    return nullptr;
  }

  static bool facts_can_wait() noexcept {
    return false;
  }

  void handle(fact_inbox::fact what, caf::execution_unit* host);

  handling_loop<serial_actor> loop_{*this};
};

} // namespace libpool
