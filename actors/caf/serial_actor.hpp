#pragma once

#include "libpool/actors/caf/fact_inbox.hpp"
#include "libpool/actors/caf/handling_loop.hpp"
#include "libpool/actors/caf/port/command_element.hpp"
#include "libpool/actors/caf/port/types.hpp"
#include "libpool/actors/caf/watch.hpp"
#include "libpool/sync/thread_number.hpp"

#include <caf/mailbox_element.hpp>

#include <atomic>
#include <cstddef>
#include <future>
#include <memory>

namespace libpool {

/// An actor without mailbox and turn: a message is handled in the thread that
/// sends it, one thread at a time, see `handling_loop`. So the state of the
/// actor needs no lock, none is held when CAF or the user is called, and no
/// thread waits.
///
/// A message that comes back while the actor handles, in this thread or another
/// one, is handled after that.
class serial_actor : public watcher {
public:
  void deliver(caf::mailbox_element_ptr&& element, execution_context* host);

protected:
  using watcher::watcher;

  using command = command_element::function;

  /// Calls `call` when its turn comes: before this returns, unless another
  /// thread handles.
  void tell(command call, execution_context* host);

  /// Waits while another thread handles, and handles from then on. For a part
  /// that others must not interrupt, such as a beginning.
  /// @pre the caller does not handle, and hardly any other thread knows the
  ///      actor
  void begin_handling() noexcept;

  /// Handles the messages that have come meanwhile.
  void end_handling(execution_context* host);

  /// What `look` returns, which is called when its turn comes. Waits for that,
  /// also while the calling thread handles: then it is called at once.
  template <class Look>
  auto ask(Look look) {
    if (handling_.load(std::memory_order_relaxed) == thread_number())
      return look();
    auto result = std::make_shared<std::promise<decltype(look())>>();
    tell([look, result](execution_context*) { result->set_value(look()); },
         nullptr);
    return result->get_future().get();
  }

  /// A message has come. Called one at a time.
  virtual void received(caf::mailbox_element_ptr element,
                        execution_context* host) = 0;

  /// Called, one at a time, when all that had come is handled.
  virtual void handled_all(execution_context*) {
    // nop
  }

private:
  friend class handling_loop<serial_actor>;

  static constexpr auto no_thread = static_cast<std::size_t>(-1);

  void begin_round() noexcept {
    handling_.store(thread_number(), std::memory_order_relaxed);
  }

  std::nullptr_t end_round(execution_context* host) {
    handled_all(host);
    handling_.store(no_thread, std::memory_order_relaxed);
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
  std::atomic<std::size_t> handling_{no_thread}; // the number of the thread
};

} // namespace libpool
