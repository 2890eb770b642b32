#pragma once

#include "libpool/actors/caf/element_record.hpp"
#include "libpool/actors/caf/port/shared_content.hpp"
#include "libpool/actors/caf/port/types.hpp"

#include <caf/abstract_actor.hpp>
#include <caf/fwd.hpp>
#include <caf/mailbox_element.hpp>
#include <caf/message.hpp>

#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <typeinfo>

namespace libpool {

/// Message of a client in the mailbox of a worker. The element reports to the
/// pool that owns it when the handler of the worker begins and ends, without
/// help of the worker. The message can be recalled until the handler begins.
///
/// The start is the first call of `content()`, with which an actor looks at a
/// message. The end is the destruction of the message by the actor, after the
/// handler has returned. Before the start, the element has no sender and the id
/// of an asynchronous message, so that CAF does not answer the client if the
/// worker ends. At the start, the element becomes the message of the client.
///
/// The worker may be a pool. An inner pool sends the element on inside its own
/// element, and reports how the message ended.
///
/// Source:  an actor of CAF 0.17 makes a message its current message, then
///          categorises the message by its content before any other use, and
///          destroys the message before the next message becomes the current
///          message.
/// Threads: the owner loads, sends and recalls. The worker looks and ends.
class tracked_element final : public caf::mailbox_element,
                              public element_record {
public:
  using element_record::element_record;

  /// Returns the element whose message the actor handles; nullptr if there is
  /// none.
  static tracked_element* handled_by(caf::local_actor& actor) noexcept;

  /// Returns what the owner knows of the message, see `element_owner`.
  std::shared_ptr<const task_facts> facts() const {
    return owner_.facts_of(*this);
  }

  // -- called by the owner ----------------------------------------------------

  /// Loads `message`, the message of `task`, into the element. If
  /// `keeps_client`, the element keeps the sender of a request.
  void load(libpool::task& task, caf::mailbox_element_ptr message,
            const receiver& client, bool keeps_client);

  /// Sends the element to its receiver. The end is always reported to the
  /// owner, even if sending fails.
  void send(execution_context* host) noexcept;

  /// Takes the task back from a worker that has ended and has not reported the
  /// end of the task. After that, the element has no effect. Returns false if
  /// the worker is about to report the end.
  bool abandon() noexcept;

  /// Removes and returns the loaded message. Returns nullptr if the message was
  /// handled, unless it was kept or is an element of another pool.
  caf::mailbox_element_ptr unload() noexcept;

  // -- called by another pool that has the element ----------------------------

  /// Returns `element` as a tracked element of any pool; nullptr if `element`
  /// is not a tracked element.
  static tracked_element* from(caf::mailbox_element& element) noexcept {
    // The type has one type_info object: comparing addresses is enough.
    return &typeid(element) == &typeid(tracked_element)
             ? static_cast<tracked_element*>(&element)
             : nullptr;
  }

  /// Begins the element. For actors without a mailbox. Returns false if the
  /// element was recalled.
  bool open();

  /// Puts content back that was taken out of the element.
  /// @pre the element has begun
  void put_back(caf::message content);

  /// Sends the element on to a worker of a direct pool. If the worker can be
  /// tracked, it reports the start and the end.
  static void pass_on(caf::mailbox_element_ptr element,
                      caf::abstract_actor& worker, execution_context* host);

  /// Directs answers to `client` again, instead of an actor in place of the
  /// client.
  /// @pre the element has begun, and is not in a handler
  void belongs_to(caf::strong_actor_ptr client) noexcept;

  /// Records that the pool that has the element refuses the element, and is
  /// about to destroy it. The element may have begun, but was not handled.
  void give_back(errc why, std::string words = {}) noexcept;

  // -- called by the worker ---------------------------------------------------

  message_content& content() override;
  const message_content& content() const override;
  caf::message move_content_to_message() override;
  caf::message copy_content_to_message() const override;
  void request_deletion(bool) const noexcept override;

  /// Records an exception of the handler. Called while the exception is being
  /// handled.
  void has_thrown(const std::exception_ptr& thrown) noexcept;

  /// Lets the owner, if it knows the client, answer the request whose handler
  /// has thrown. Hides the client from the worker.
  void take_over_answer() noexcept;

private:
  bool goes_on() noexcept;
  bool has_ended_plainly() const noexcept;
  void reload(caf::mailbox_element_ptr message) noexcept;
  bool begin();
  message_content& first_look();
  message_content& shown();
  bool is_second_look() const noexcept;
  void look_again();
  bool drops_it() noexcept;
  execution_context* end() noexcept;
  bool is_destroyed_unhandled() const noexcept;
  use find_use() const noexcept;
  bool has_crashed();

  /// Whether a policy of the user that sees the element is throwing in this
  /// thread. In this case, no actor has handled the element.
  bool is_failed_by_policy() const noexcept;

  void forget() noexcept;

  shared_content shared_;     // what the worker sees if the message is kept
  bool is_witnessed_ = false; // exceptions of the worker are recorded
  unsigned looks_ = 0;
};

} // namespace libpool
