#pragma once

#include "libpool/actors/caf/fact_inbox.hpp"
#include "libpool/actors/caf/handling_loop.hpp"
#include "libpool/actors/caf/port/command_element.hpp"
#include "libpool/actors/caf/port/types.hpp"
#include "libpool/actors/caf/watch.hpp"

#include <caf/mailbox_element.hpp>

#include <cstddef>
#include <future>
#include <memory>

namespace libpool {

/// An actor without a mailbox or a turn in the scheduler. A message is handled
/// in a thread that sends to the actor, one message at a time, see
/// `handling_loop`. The state of the actor needs no lock, no lock is held while
/// CAF or the user is called, and no thread waits.
///
/// A message that is sent to the actor while it handles another one, in any
/// thread, is handled afterwards.
class serial_actor : public watcher {
public:
  void deliver(caf::mailbox_element_ptr&& element, execution_context* host);

protected:
  using watcher::watcher;

  using command = command_element::function;

  /// Calls `call` in the order of facts. The call happens before this returns,
  /// unless another thread handles.
  void tell(command call, execution_context* host);

  /// Makes the caller the handling thread, after a wait if another thread
  /// handles. For a part that must not be interrupted, such as a start.
  /// @pre the caller does not handle, and hardly any other thread knows the
  ///      actor
  void begin_handling() noexcept;

  /// Ends `begin_handling`, and handles the messages that came meanwhile.
  void end_handling(execution_context* host);

  /// Returns the result of `look`, which is called in the order of facts, or
  /// immediately if the calling thread handles. Waits for the call.
  template <class Look>
  auto ask(Look look) {
    if (loop_.is_handling())
      return look();
    auto result = std::make_shared<std::promise<decltype(look())>>();
    tell([look, result](execution_context*) { result->set_value(look()); },
         nullptr);
    return result->get_future().get();
  }

  /// Handles a message. Calls do not overlap.
  virtual void received(caf::mailbox_element_ptr element,
                        execution_context* host) = 0;

  /// Called when no message is left. Calls do not overlap.
  virtual void handled_all(execution_context*) {
    // nop
  }

private:
  friend class handling_loop<serial_actor>;

  static void round_begins() noexcept {
    // nop
  }

  std::nullptr_t end_round(execution_context* host) {
    handled_all(host);
    return nullptr;
  }

  static instant patient_until() noexcept {
    return fact_inbox::impatient;
  }

  void handle(fact_inbox::fact fact, execution_context* host);

  template <class Iterator>
  void handle_all(Iterator first, Iterator last, execution_context* host) {
    for (; first != last; ++first)
      handle(*first, host);
  }

  handling_loop<serial_actor> loop_{*this};
};

} // namespace libpool
