#pragma once

#include "libpool/actors/caf/port/tracked_element.hpp"

#include <caf/detail/default_mailbox.hpp>
#include <caf/fwd.hpp>
#include <caf/mailbox_element.hpp>

#include <cstddef>
#include <exception>

namespace libpool {

/// Mailbox of an actor that can be a worker of managed pools. It takes clients'
/// messages out of shells when the actor asks for the next message, and tells
/// the pools of the end when the actor asks again. For other messages it works
/// like any mailbox.
///
/// Threads: as CAF's mailboxes.
class worker_mailbox final : public caf::detail::default_mailbox {
public:
  explicit worker_mailbox(caf::scheduled_actor& owner) noexcept
    : owner_(owner) {
    // nop
  }

  /// Returns the mailbox of the actor if it is a worker_mailbox; otherwise
  /// nullptr.
  static worker_mailbox* of(caf::scheduled_actor& actor) noexcept;

  caf::intrusive::inbox_result
  push_back(caf::mailbox_element_ptr element) override;
  caf::mailbox_element_ptr pop_front() override;
  bool try_block() override;
  bool closed() const noexcept override;
  std::size_t close(const caf::error& reason) override;
  std::size_t size() override;

  /// Notes that the handler of the actor's last message has thrown.
  void handler_has_thrown(const std::exception_ptr& thrown) noexcept;

  /// Lets the pool that sent that message answer it, if the pool can.
  void take_over_answer() noexcept;

  /// Reports the ends of the actor's messages to their pools, and gives back
  /// messages that the actor has not handled. Called in the thread that ends
  /// the actor, before the end of the actor is reported.
  void owner_ended();

  /// Whether the mailbox accepts no more messages. Can be called from any
  /// thread.
  bool is_shut() const noexcept {
    return default_mailbox::closed();
  }

private:
  /// A message that the actor has received.
  struct given {
    tracked_element* of = nullptr;
    caf::mailbox_element* message = nullptr;
  };

  void settle();
  caf::mailbox_element_ptr give(tracked_element& next);
  std::size_t drop_all(const caf::error& reason);

  caf::scheduled_actor& owner_;
  given current_;
  tracked_element* next_of_lease_ = nullptr;
  bool is_turn_of_others_ = true;
  bool was_shut_early_ = false;
  std::size_t dropped_early_ = 0;
};

} // namespace libpool
