#pragma once

#include "libpool/actors/caf/port/tracked_element.hpp"

#include <caf/detail/default_mailbox.hpp>
#include <caf/fwd.hpp>
#include <caf/mailbox_element.hpp>

#include <cstddef>
#include <exception>

namespace libpool {

/// Mailbox of an actor that can be a worker of managed pools. When the actor
/// takes a shell, the mailbox returns the message of the client instead. When
/// the actor requests the next message, the mailbox reports the end of that
/// message to the pool. Other messages pass unchanged.
///
/// Threads: those of any mailbox of CAF.
class worker_mailbox final : public caf::detail::default_mailbox {
public:
  explicit worker_mailbox(caf::scheduled_actor& owner) noexcept
    : owner_(owner) {
    // nop
  }

  /// Returns the mailbox of the actor if the mailbox is a `worker_mailbox`;
  /// otherwise nullptr.
  static worker_mailbox* of(caf::scheduled_actor& actor) noexcept;

  caf::intrusive::inbox_result
  push_back(caf::mailbox_element_ptr element) override;
  caf::mailbox_element_ptr pop_front() override;
  bool try_block() override;
  bool closed() const noexcept override;
  std::size_t close(const caf::error& reason) override;
  std::size_t size() override;

  /// Records that the handler of the last message of the actor has thrown.
  void handler_has_thrown(const std::exception_ptr& thrown) noexcept;

  /// Lets the pool that sent the last message of the actor answer this message,
  /// if the pool knows the client.
  void take_over_answer() noexcept;

  /// Reports the ends of the messages of the actor to the pools that sent the
  /// messages, and gives back messages that the actor has not handled. Called
  /// in the thread that ends the actor, before the end of the actor is
  /// reported.
  void owner_ended();

  /// Returns the element whose message the actor handles; nullptr if there is
  /// none.
  tracked_element* handled() const noexcept {
    return current_.of;
  }

  /// Whether the mailbox accepts no more messages. Can be called from any
  /// thread.
  bool is_shut() const noexcept {
    return default_mailbox::closed();
  }

private:
  /// Message that the actor has received, with its tracked element.
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
