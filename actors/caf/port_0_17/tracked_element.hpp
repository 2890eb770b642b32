#pragma once

#include "libpool/actors/caf/element_record.hpp"
#include "libpool/actors/caf/port/types.hpp"

#include <caf/abstract_actor.hpp>
#include <caf/fwd.hpp>
#include <caf/mailbox_element.hpp>
#include <caf/message.hpp>

#include <exception>
#include <optional>
#include <string>
#include <typeinfo>

namespace libpool {

/// A client's message on its way through the mailbox of a worker. It tells when
/// the worker's handler begins and when it has ended, without the help of the
/// worker, and can be taken back until it begins.
///
/// An actor's first look at a message is `content()`: that is the start. It
/// destroys the message after the handler has returned: that is the end. Before
/// the start, a tracked element shows no sender and the id of an ordinary
/// asynchronous message, so that CAF does not answer in its place when the
/// worker dies; at the start it becomes the client's message.
///
/// The worker may be a pool, which sends the element on inside one of its own,
/// and says how it has ended there.
///
/// Source:  actors of CAF 0.17 categorise a message by its content before they
///          do anything else with it, note it as the current one before that,
///          and destroy it before they note another one.
/// Threads: the owner loads, sends and recalls; the worker looks and ends.
class tracked_element final : public caf::mailbox_element,
                              public element_record {
public:
  /// Times are measured by `clock`, if any.
  tracked_element(element_owner& owner, caf::actor_clock* clock,
                  bool counts_cpu_time) noexcept;

  // -- of the owner -----------------------------------------------------------

  /// Puts `message`, as part of `task`, into the element. With `keeps_client`
  /// the element remembers the sender of a request.
  void load(managed_task& task, caf::mailbox_element_ptr message,
            const receiver& to, bool keeps_client);

  /// Sends the element, which tells its owner of the end whatever happens.
  void send(execution_context* host) noexcept;

  /// Takes the task from a worker which is dead, and does not give it back by
  /// itself. The element changes nothing any more. Returns false if it is
  /// about to give the task back after all.
  bool abandon() noexcept;

  /// Returns the message as it was loaded, or nothing once it was handled,
  /// unless it is an element of another pool.
  caf::mailbox_element_ptr unload() noexcept;

  // -- of another pool, which has it ------------------------------------------

  /// `element` as an element of a managed pool, this one's or another's;
  /// nullptr if it is none.
  static tracked_element* from(caf::mailbox_element& element) noexcept {
    // The type is described in one place: comparing that is enough.
    return &typeid(element) == &typeid(tracked_element)
             ? static_cast<tracked_element*>(&element)
             : nullptr;
  }

  /// Begins, for an actor that handles it without a mailbox. Returns false if
  /// it was taken back.
  bool open();

  /// The element has its content again, which was taken.
  /// @pre it has begun
  void put_back(caf::message content);

  /// Sends the element on to the worker of a direct pool, which may tell.
  static void pass_on(caf::mailbox_element_ptr element,
                      caf::abstract_actor& worker, execution_context* host);

  /// Answers go to this client again, and not to an actor that stood for it.
  /// @pre it has begun, and no handler has it
  void belongs_to(caf::strong_actor_ptr client) noexcept;

  /// The pool that has it refuses it, and is about to destroy it: it may have
  /// begun, but has not been handled.
  void give_back(errc why, std::string words = {}) noexcept;

  // -- of the worker ----------------------------------------------------------

  message_content& content() override;
  const message_content& content() const override;
  caf::message move_content_to_message() override;
  caf::message copy_content_to_message() const override;
  void request_deletion(bool) const noexcept override;

  /// The handler has thrown, which is being handled.
  void has_thrown(const std::exception_ptr& thrown) noexcept;

  /// The owner answers the request whose handler has thrown, if it knows the
  /// client: the worker does not see that any more.
  void take_over_answer() noexcept;

private:
  bool goes_on() noexcept;
  bool has_ended_plainly() const noexcept;
  void reload(caf::mailbox_element_ptr message) noexcept;
  bool begin();
  message_content& first_look();
  bool is_second_look() const noexcept;
  void look_again();
  bool drops_it() noexcept;
  execution_context* end() noexcept;
  bool is_destroyed_unhandled() const noexcept;
  use find_use() const noexcept;
  bool has_crashed();
  void forget() noexcept;

  bool is_witnessed_ = false; // its worker's exceptions are noted
  unsigned looks_ = 0;
};

/// How to send to `actor`, if that is of a kind that can be tracked.
std::optional<tracked_element::receiver>
trackable(caf::abstract_actor& actor) noexcept;

/// Whether the actor cannot be tracked for nothing but that the user has
/// forgotten `set_up`.
bool lacks_set_up(caf::abstract_actor& actor) noexcept;

/// The actor has ended, and is about to tell. Has pools told before that of
/// the ends of what they have sent it. `host` is where it runs; nullptr if it
/// has ended before.
void tell_ends_in(caf::abstract_actor& actor, execution_context* host);

/// Whether the actor handles nothing more, and gives back what it gets.
bool is_closed(const tracked_element::receiver& worker) noexcept;

} // namespace libpool
