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

/// A client's message on its way through the mailbox of a worker. It reports
/// when the worker's handler begins and ends, without the help of the worker,
/// and can be recalled until it begins.
///
/// The first look of an actor at a message is a call of `content()`: this is
/// the start. The actor destroys the message after the handler has returned:
/// this is the end. Before the start, a tracked element has no sender and the
/// id of an ordinary asynchronous message, so that CAF does not answer the
/// client if the worker ends. At the start, it becomes the client's message.
///
/// The worker may be a pool. It sends the element on inside an element of its
/// own, and reports how the message ended.
///
/// Source:  actors of CAF 0.17 note a message as the current one, then
///          categorise it by its content before they do anything else with it,
///          and destroy it before they note another one.
/// Threads: the owner loads, sends and recalls. The worker looks and ends.
class tracked_element final : public caf::mailbox_element,
                              public element_record {
public:
  /// Measures times with `clock`, if there is one.
  tracked_element(element_owner& owner, caf::actor_clock* clock,
                  bool counts_cpu_time) noexcept;

  // -- of the owner -----------------------------------------------------------

  /// Puts `message`, as a part of `task`, into the element. If `keeps_client`,
  /// the element remembers the sender of a request.
  void load(managed_task& task, caf::mailbox_element_ptr message,
            const receiver& to, bool keeps_client);

  /// Sends the element. Its owner is told of the end in every case.
  void send(execution_context* host) noexcept;

  /// Takes the task from a worker that has ended without giving it back.
  /// Afterwards the element changes nothing. Returns false if the element is
  /// about to come back.
  bool abandon() noexcept;

  /// Returns the message as it was loaded; nullptr if it was handled, unless it
  /// is an element of another pool.
  caf::mailbox_element_ptr unload() noexcept;

  // -- of another pool, which has it ------------------------------------------

  /// Returns `element` as a tracked element, of any pool; nullptr if it is not
  /// one.
  static tracked_element* from(caf::mailbox_element& element) noexcept {
    // The type is described in one place: comparing that is enough.
    return &typeid(element) == &typeid(tracked_element)
             ? static_cast<tracked_element*>(&element)
             : nullptr;
  }

  /// Begins the element, for an actor without a mailbox. Returns false if the
  /// element was recalled.
  bool open();

  /// Puts content back that was taken out.
  /// @pre the element has begun
  void put_back(caf::message content);

  /// Sends the element on to a worker of a direct pool. The worker may report
  /// the start and the end.
  static void pass_on(caf::mailbox_element_ptr element,
                      caf::abstract_actor& worker, execution_context* host);

  /// Directs answers to `client` again, instead of an actor that stood for the
  /// client.
  /// @pre the element has begun, and no handler has it
  void belongs_to(caf::strong_actor_ptr client) noexcept;

  /// Notes that the pool that has the element refuses it and is about to
  /// destroy it. The element may have begun, but was not handled.
  void give_back(errc why, std::string words = {}) noexcept;

  // -- of the worker ----------------------------------------------------------

  message_content& content() override;
  const message_content& content() const override;
  caf::message move_content_to_message() override;
  caf::message copy_content_to_message() const override;
  void request_deletion(bool) const noexcept override;

  /// Notes an exception of the handler, which is being handled.
  void has_thrown(const std::exception_ptr& thrown) noexcept;

  /// Lets the owner answer the request whose handler has thrown, if the owner
  /// knows the client. Hides the client from the worker.
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

  bool is_witnessed_ = false; // exceptions of the worker are noted
  unsigned looks_ = 0;
};

/// Returns how to send to `actor`; unset if actors of its kind cannot be
/// tracked.
std::optional<tracked_element::receiver>
trackable(caf::abstract_actor& actor) noexcept;

/// Whether the only reason why the actor cannot be tracked is a missing
/// `set_up`.
bool lacks_set_up(caf::abstract_actor& actor) noexcept;

/// Reports the ends of the actor's messages to their pools, before the actor's
/// end is reported. `host` is the execution context of the actor; nullptr if
/// the actor ended before.
void tell_ends_in(caf::abstract_actor& actor, execution_context* host);

/// Whether the actor handles no more messages, and gives back each message that
/// it gets.
bool is_closed(const tracked_element::receiver& worker) noexcept;

} // namespace libpool
