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

/// A client's message on its way through the mailbox of a worker. It tells when
/// the worker's handler begins and when it has ended, without the help of the
/// worker, and can be taken back until it begins.
///
/// What is sent is a shell: a message from nobody whose content is a ticket
/// that stands for the element. The worker's mailbox, see `worker_mailbox`,
/// takes the client's message out of the shell when the worker gets it: that is
/// the start. When the worker asks for the next message, that is the end. A
/// shell that is destroyed elsewhere says so.
///
/// A worker that blocks has no such mailbox and is asked by a `stand_in`: the
/// start is when it is sent the message, the end is its
/// answer, and nothing can be taken back.
///
/// The worker may be a pool, which sends the shell on inside one of its own,
/// and says how it has ended there.
///
/// Threads: the owner loads, sends and recalls; the worker begins and ends.
class tracked_element final : public fact_node, public element_record {
public:
  /// Times are measured by `clock`, if any.
  tracked_element(element_owner& owner, caf::actor_clock* clock,
                  bool counts_cpu_time) noexcept;
  ~tracked_element();

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

  /// The element whose shell `element` is, this pool's or another's; nullptr if
  /// it is none.
  static tracked_element* from(const caf::mailbox_element& element) noexcept {
    auto types = element.payload.types(); // to compare lists costs more
    return types.size() == 1 && types[0] == caf::type_id_v<task_ticket>
             ? element.payload.get_as<task_ticket>(0).element()
             : nullptr;
  }

  /// Begins, for an actor that handles it without a mailbox: the shell shows
  /// the client then. Returns false if it was taken back.
  bool open();

  /// The content of the client's message.
  /// @pre it has begun
  caf::message& content() noexcept;

  /// Sends the shell on to the worker of a direct pool, which may tell.
  static void pass_on(caf::mailbox_element_ptr element,
                      caf::abstract_actor& worker, execution_context* host);

  /// Notes that it is sent on to `worker`.
  void goes_to(caf::abstract_actor& worker) noexcept;

  /// Answers go to this client again, and not to an actor that stood for it.
  /// @pre it has begun, and no handler has it
  void belongs_to(caf::strong_actor_ptr client) noexcept;

  /// The pool that has it refuses it, and is about to destroy it: it may have
  /// begun, but has not been handled.
  void give_back(errc why, std::string words = {}) noexcept;

  // -- of the worker's mailbox ------------------------------------------------

  /// The shell is the element's again.
  void came_home(caf::mailbox_element_ptr shell) noexcept;

  /// Begins. Returns the client's message; nullptr if it was taken back, or the
  /// worker handles nothing more. Then `over` is to be called.
  caf::mailbox_element_ptr begin_with_message();

  /// The worker has skipped the message. Returns the shell, which waits in its
  /// place.
  caf::mailbox_element_ptr skipped(caf::mailbox_element_ptr message);

  /// Takes the next message of the lease after the worker's handler has
  /// returned. Returns false if the pool is to be told that it is `over`.
  bool goes_on() noexcept;

  /// Tells the owner that the worker is done with it.
  void over() noexcept;

  /// The shell was destroyed.
  void lost_shell() noexcept;

  /// The handler of `message` has thrown, which is being handled.
  void has_thrown(const caf::mailbox_element& message,
                  const std::exception_ptr& thrown) noexcept;

  /// The owner answers the request whose handler has thrown, if it knows the
  /// client: the worker does not see that any more in `message`.
  void take_over_answer(caf::mailbox_element& message) noexcept;

  // -- of the stand-in --------------------------------------------------------

  /// The worker has ended before it got the message.
  void came_back() noexcept;

  /// The worker has answered.
  void was_answered() noexcept;

  /// The worker never answers.
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
  /// Where the client's message is: in the element of the outermost pool.
  caf::mailbox_element_ptr& message() noexcept;
  bool takes_shells() const noexcept {
    return to_.has_mailbox || to_.pool != nullptr;
  }

  void note_given(bool is_given) noexcept;
  execution_context* end() noexcept;
  use find_use() const noexcept;
  bool has_crashed();
  void forget() noexcept;

  caf::mailbox_element* shell_ = nullptr; // wherever it is
  caf::weak_actor_ptr stand_in_;
  bool shell_is_home_ = false;
  bool is_given_ = false; // somebody has the client's message
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
