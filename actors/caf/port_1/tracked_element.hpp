#pragma once

#include "libpool/actors/caf/element_record.hpp"
#include "libpool/actors/caf/port/fact_node.hpp"
#include "libpool/actors/caf/port/task_ticket.hpp"
#include "libpool/actors/caf/port/type_ids.hpp"
#include "libpool/actors/caf/port/types.hpp"

#include <caf/abstract_actor.hpp>
#include <caf/actor_control_block.hpp>
#include <caf/fwd.hpp>
#include <caf/mailbox_element.hpp>
#include <caf/message.hpp>

#include <exception>
#include <memory>
#include <string>

namespace libpool {

/// Message of a client on the way to a worker. The element reports to the pool
/// that owns it when the handler of the worker begins and ends, without help of
/// the worker. The message can be recalled until the handler begins.
///
/// The element sends a shell: a message without a sender, whose content is a
/// `task_ticket`. The mailbox of the worker, a `worker_mailbox`, replaces the
/// shell by the message of the client when the worker takes the message: this
/// is the start. The end is the moment when the worker requests the next
/// message. A shell that is destroyed elsewhere reports its destruction.
///
/// A blocking worker has no `worker_mailbox`. A `stand_in` sends the message to
/// such a worker as a request. The start is the moment of sending, the end is
/// the answer. Such a message cannot be recalled.
///
/// The worker may be a pool. An inner pool sends the shell on inside its own
/// element, and reports how the message ended.
///
/// Threads: the owner loads, sends and recalls. The worker begins and ends.
class tracked_element final : public fact_node, public element_record {
public:
  using element_record::element_record;
  ~tracked_element();

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
            const receiver& to, bool keeps_client);

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

  /// Returns the tracked element of any pool whose shell is `element`; nullptr
  /// if `element` is not a shell.
  static tracked_element* from(const caf::mailbox_element& element) noexcept {
    auto types = element.payload.types(); // cheaper than comparing lists
    return types.size() == 1 && types[0] == caf::type_id_v<task_ticket>
             ? element.payload.get_as<task_ticket>(0).element()
             : nullptr;
  }

  /// Begins the element. For actors without a mailbox. The shell gets the
  /// sender and the id of the message of the client. Returns false if the
  /// element was recalled.
  bool open();

  /// Returns the content of the message of the client.
  /// @pre the element has begun
  caf::message& content() noexcept;

  /// Sends the shell on to a worker of a direct pool. If the worker can be
  /// tracked, it reports the start and the end.
  static void pass_on(caf::mailbox_element_ptr element,
                      caf::abstract_actor& worker, execution_context* host);

  /// Records that the message is sent on to `worker`.
  void goes_to(caf::abstract_actor& worker) noexcept;

  /// Directs answers to `client` again, instead of an actor in place of the
  /// client.
  /// @pre the element has begun, and is not in a handler
  void belongs_to(caf::strong_actor_ptr client) noexcept;

  /// Records that the pool that has the element refuses the element, and is
  /// about to destroy it. The element may have begun, but was not handled.
  void give_back(errc why, std::string words = {}) noexcept;

  // -- called by the mailbox of the worker ------------------------------------

  /// Stores the shell, which has arrived, in the element.
  void came_home(caf::mailbox_element_ptr shell) noexcept;

  /// Begins the element, and returns the message of the client. Returns nullptr
  /// if the element was recalled, or if the worker handles no more messages;
  /// `over` must then be called.
  caf::mailbox_element_ptr begin_with_message();

  /// Takes back `message`, which the worker has skipped. Returns the shell,
  /// which waits in place of `message`.
  caf::mailbox_element_ptr skipped(caf::mailbox_element_ptr message);

  /// Continues with the next message of the lease after the handler has
  /// returned. Returns false if the lease does not continue; `over` must then
  /// be called.
  bool goes_on() noexcept;

  /// Reports to the owner that the worker is done with the element.
  void over() noexcept;

  /// Called when the shell has been destroyed.
  void lost_shell() noexcept;

  /// Records an exception of the handler of `message`. Called while the
  /// exception is being handled.
  void has_thrown(const caf::mailbox_element& message,
                  const std::exception_ptr& thrown) noexcept;

  /// Lets the owner, if it knows the client, answer the request whose handler
  /// has thrown. Removes the client from `message`, which the worker sees.
  void take_over_answer(caf::mailbox_element& message) noexcept;

  // -- called by the stand-in -------------------------------------------------

  /// Called when the worker has ended before it got the message.
  void came_back() noexcept;

  /// Called when the worker has answered.
  void was_answered() noexcept;

  /// Called when the worker will not answer.
  void was_dropped(bool has_crashed) noexcept;

  bool is_of_blocking_worker() const noexcept {
    return to_.blocking != nullptr;
  }

private:
  tracked_element* outer() const noexcept {
    return static_cast<tracked_element*>(outer_);
  }

  caf::mailbox_element_ptr take_shell();
  void ask_by_stand_in(execution_context* host);
  bool has_ended_plainly() const noexcept;
  void reload(caf::mailbox_element_ptr message) noexcept;
  bool begin();
  /// Returns the message of the client, which is in the element of the
  /// outermost pool.
  caf::mailbox_element_ptr& message() noexcept;
  bool takes_shells() const noexcept {
    return to_.has_mailbox || to_.pool != nullptr;
  }

  void note_given(bool is_given) noexcept;
  execution_context* end() noexcept;
  use find_use() const noexcept;
  bool has_crashed();
  void forget() noexcept;

  caf::mailbox_element* shell_ = nullptr; // also while it is in a mailbox
  caf::weak_actor_ptr stand_in_;
  caf::message kept_; // content of the message, if it is kept
  bool shell_is_home_ = false;
  bool is_given_ = false; // an actor has the message of the client
};

} // namespace libpool
