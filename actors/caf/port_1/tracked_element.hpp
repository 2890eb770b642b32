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

#include <exception>
#include <optional>
#include <string>

namespace libpool {

/// A client's message on its way through the mailbox of a worker. It reports
/// when the worker's handler begins and ends, without the help of the worker,
/// and can be recalled until it begins.
///
/// The message that is sent is a shell: a message without a sender, whose
/// content is a ticket for the element. The worker's mailbox, a
/// `worker_mailbox`, takes the client's message out of the shell when the
/// worker gets it: this is the start. The end is the moment when the worker
/// asks for the next message. A shell that is destroyed elsewhere reports this
/// as well.
///
/// A worker that blocks has no such mailbox; a `stand_in` sends the message to
/// it as a request. The start is the moment of sending, the end is the answer.
/// Such a message cannot be recalled.
///
/// The worker may be a pool. It sends the shell on inside an element of its
/// own, and reports how the message ended.
///
/// Threads: the owner loads, sends and recalls. The worker begins and ends.
class tracked_element final : public fact_node, public element_record {
public:
  /// Measures times with `clock`, if there is one.
  tracked_element(element_owner& owner, caf::actor_clock* clock,
                  bool counts_cpu_time) noexcept;
  ~tracked_element();

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

  /// Returns the element whose shell `element` is, of any pool; nullptr if
  /// `element` is not a shell.
  static tracked_element* from(const caf::mailbox_element& element) noexcept {
    auto types = element.payload.types(); // to compare lists costs more
    return types.size() == 1 && types[0] == caf::type_id_v<task_ticket>
             ? element.payload.get_as<task_ticket>(0).element()
             : nullptr;
  }

  /// Begins the element, for an actor without a mailbox. The sender and the id
  /// of the shell become those of the client's message. Returns false if the
  /// element was recalled.
  bool open();

  /// Returns the content of the client's message.
  /// @pre the element has begun
  caf::message& content() noexcept;

  /// Sends the shell on to a worker of a direct pool. The worker may report the
  /// start and the end.
  static void pass_on(caf::mailbox_element_ptr element,
                      caf::abstract_actor& worker, execution_context* host);

  /// Notes that the message is sent on to `worker`.
  void goes_to(caf::abstract_actor& worker) noexcept;

  /// Directs answers to `client` again, instead of an actor that stood for the
  /// client.
  /// @pre the element has begun, and no handler has it
  void belongs_to(caf::strong_actor_ptr client) noexcept;

  /// Notes that the pool that has the element refuses it and is about to
  /// destroy it. The element may have begun, but was not handled.
  void give_back(errc why, std::string words = {}) noexcept;

  // -- of the worker's mailbox ------------------------------------------------

  /// Stores the shell in the element again.
  void came_home(caf::mailbox_element_ptr shell) noexcept;

  /// Begins the element and returns the client's message. Returns nullptr if
  /// the element was recalled, or if the worker handles no more messages. In
  /// that case `over` must be called.
  caf::mailbox_element_ptr begin_with_message();

  /// Takes back a message that the worker has skipped. Returns the shell, which
  /// waits in its place.
  caf::mailbox_element_ptr skipped(caf::mailbox_element_ptr message);

  /// Continues with the next message of the lease, after the handler has
  /// returned. Returns false if `over` must be called instead.
  bool goes_on() noexcept;

  /// Tells the owner that the worker is done with the element.
  void over() noexcept;

  /// Called when the shell was destroyed.
  void lost_shell() noexcept;

  /// Notes an exception of the handler of `message`, which is being handled.
  void has_thrown(const caf::mailbox_element& message,
                  const std::exception_ptr& thrown) noexcept;

  /// Lets the owner answer the request whose handler has thrown, if the owner
  /// knows the client. Removes the client from `message`, which the worker
  /// sees.
  void take_over_answer(caf::mailbox_element& message) noexcept;

  // -- of the stand-in --------------------------------------------------------

  /// The worker ended before it got the message.
  void came_back() noexcept;

  /// The worker has answered.
  void was_answered() noexcept;

  /// The worker will not answer.
  void was_dropped(bool has_crashed) noexcept;

  bool is_of_blocking_worker() const noexcept {
    return to_.blocking != nullptr;
  }

private:
  caf::mailbox_element_ptr take_shell();
  void ask_by_stand_in(execution_context* host);
  bool has_ended_plainly() const noexcept;
  void reload(caf::mailbox_element_ptr message) noexcept;
  bool begin();
  /// Returns the client's message, which is in the element of the outermost
  /// pool.
  caf::mailbox_element_ptr& message() noexcept;
  bool takes_shells() const noexcept {
    return to_.has_mailbox || to_.pool != nullptr;
  }

  void note_given(bool is_given) noexcept;
  execution_context* end() noexcept;
  use find_use() const noexcept;
  bool has_crashed();
  void forget() noexcept;

  caf::mailbox_element* shell_ = nullptr; // at any place
  caf::weak_actor_ptr stand_in_;
  bool shell_is_home_ = false;
  bool is_given_ = false; // an actor has the client's message
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
