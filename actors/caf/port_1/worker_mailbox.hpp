#pragma once

#include "libpool/actors/caf/port/tracked_element.hpp"

#include <caf/detail/default_mailbox.hpp>
#include <caf/fwd.hpp>
#include <caf/mailbox_element.hpp>

#include <cstddef>
#include <exception>

namespace libpool {

/// The mailbox of an actor that can work for managed pools: takes clients'
/// messages out of shells when the actor asks for the next message, and tells
/// their pools when it asks again. For other messages it is like any mailbox.
///
/// Threads: as CAF's.
class worker_mailbox final : public caf::detail::default_mailbox {
public:
  explicit worker_mailbox(caf::scheduled_actor& owner) noexcept
    : owner_(owner) {
    // nop
  }

  /// The mailbox of the actor, if it is one of these.
  static worker_mailbox* of(caf::scheduled_actor& actor) noexcept;

  caf::intrusive::inbox_result
  push_back(caf::mailbox_element_ptr element) override;
  caf::mailbox_element_ptr pop_front() override;
  bool try_block() override;
  bool closed() const noexcept override;
  std::size_t close(const caf::error& reason) override;
  std::size_t size() override;

  /// The handler of the message that the actor has got last has thrown.
  void handler_has_thrown(const std::exception_ptr& thrown) noexcept;

  /// The pool that has sent that message answers it, if it can.
  void take_over_answer() noexcept;

  /// The actor has ended, in this thread, and is about to tell. Its pools are
  /// told of the ends of their messages before that, and get back what it has
  /// not handled.
  void owner_ended();

  /// Whether nothing comes in any more. From any thread.
  bool is_shut() const noexcept {
    return default_mailbox::closed();
  }

private:
  /// A message that the actor has got.
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
