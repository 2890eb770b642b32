#pragma once

#include "libpool/actors/caf/passage.hpp"
#include "libpool/actors/caf/port/fact_node.hpp"
#include "libpool/actors/caf/port/return_path.hpp"
#include "libpool/actors/caf/port/task_ticket.hpp"
#include "libpool/actors/caf/port/type_ids.hpp"
#include "libpool/actors/caf/port/types.hpp"
#include "libpool/core/dispatcher.hpp"
#include "libpool/core/instant.hpp"

#include <caf/abstract_actor.hpp>
#include <caf/actor_clock.hpp>
#include <caf/actor_control_block.hpp>
#include <caf/error.hpp>
#include <caf/fwd.hpp>
#include <caf/mailbox_element.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace libpool {

class inner_pool;
class lease;
class tracked_element;
struct managed_task;

/// The pool that a tracked element belongs to, which is told of its begin and
/// end.
class element_owner {
public:
  element_owner() noexcept;
  element_owner(const element_owner&) = delete;
  element_owner& operator=(const element_owner&) = delete;

  /// The worker is done with `element`, which is the owner's again. `host` is
  /// where the worker runs, or nullptr if that is not in the scheduler.
  virtual void ended(tracked_element& element,
                     execution_context* host) noexcept = 0;

  /// Tells it from all others that there ever were in this process.
  std::uint64_t serial_number() const noexcept {
    return serial_number_;
  }

protected:
  ~element_owner() = default;

private:
  const std::uint64_t serial_number_;
};

/// How a message has ended in an inner pool, as that pool says.
struct inner_end {
  outcome how = outcome::completed;
  errc why{};
  caf::error reason;
};

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
class tracked_element final : public fact_node {
public:
  /// The worker that gets the element.
  struct receiver {
    caf::abstract_actor* actor = nullptr;
    /// The worker, if it does not block.
    caf::scheduled_actor* scheduled = nullptr;
    /// The worker, if it blocks.
    caf::blocking_actor* blocking = nullptr;
    /// The worker, if it is a pool or a pipeline.
    inner_pool* pool = nullptr;
    /// Whether the worker has a `worker_mailbox`; otherwise it is a pool, or a
    /// `stand_in` asks it.
    bool has_mailbox = false;
    /// Whether the worker can be left several messages at a time.
    bool goes_on = false;
    /// Whether the worker drops in silence messages that are taken back from
    /// it.
    bool lets_recall = false;
  };

  /// The owners of an element and of the elements that it carries.
  struct lineage {
    std::uint64_t owner;
    std::shared_ptr<const lineage> before;
  };

  /// The fate of the element at the worker.
  enum class use : std::uint8_t {
    /// Never looked at.
    unopened,
    /// Skipped or dropped, before the worker ended.
    skipped,
    /// The worker has skipped it, and CAF has told the client that its request
    /// failed.
    bounced,
    /// Its handler has run.
    handled,
    /// There was nothing to do: an outer pool had taken it back.
    empty,
  };

  /// The outcome of an attempt to take the element back.
  enum class recall_result : std::uint8_t { done, has_started, is_held };

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

  /// The worker, which is a pool, learns of the message by `by`.
  void announce(std::shared_ptr<passage> by) noexcept {
    passage_ = std::move(by);
  }

  /// Has answers go to `client`, if any, and not to the sender of the loaded
  /// message.
  void answer_to(caf::strong_actor_ptr client) noexcept {
    answers_to_ = std::move(client);
  }

  /// The receiver of answers, if the element has not begun.
  caf::strong_actor_ptr take_answer_to() noexcept {
    return std::move(answers_to_);
  }

  /// Notes that the element was made on behalf of one that had passed other
  /// pools before.
  void descend_from(std::shared_ptr<const lineage> before) noexcept {
    before_ = std::move(before);
  }

  /// The ancestors of an element that is made on behalf of this one.
  std::shared_ptr<const lineage> line() const {
    return std::make_shared<lineage>(lineage{owner_.serial_number(), before_});
  }

  /// Has the worker go on with the messages of `further` before it tells the
  /// end. Ends when the element is loaded anew, or was recalled.
  /// @pre the worker has a mailbox, and does not block
  void follow_with(libpool::lease& further) noexcept {
    lease_ = &further;
  }

  /// The messages with which the worker goes on, if any.
  libpool::lease* lease() const noexcept {
    return lease_;
  }

  /// The id of the message that is in the element, which has come back.
  caf::message_id message_id() const noexcept;

  /// Tries to take the task back. On success the worker's mailbox drops the
  /// shell in silence.
  recall_result recall() noexcept;

  /// Takes the task from a worker which is dead, and does not give it back by
  /// itself. The element changes nothing any more. Returns false if it is
  /// about to give the task back after all.
  bool abandon() noexcept;

  /// Returns the message as it was loaded, or nothing once it was handled,
  /// unless it is an element of another pool.
  caf::mailbox_element_ptr unload() noexcept;

  /// The task that it was loaded for; nullptr once it was recalled.
  managed_task* task() const noexcept {
    return task_;
  }

  bool has_started() const noexcept {
    return stage_.load(std::memory_order_acquire) == stage::started;
  }

  instant started_at() const noexcept {
    return started_at_;
  }

  instant ended_at() const noexcept {
    return ended_at_;
  }

  /// The processor time of the handler; zero unless it is counted.
  duration cpu_time() const noexcept {
    return cpu_time_;
  }

  use used() const noexcept {
    return use_;
  }

  /// How the handler has ended.
  ending how() const noexcept {
    return how_;
  }

  /// Why the worker has ended, if that is a failure.
  const caf::error& reason() const noexcept {
    return reason_;
  }

  /// The words of the handler's exception; empty if they are not known.
  const std::string& thrown() const noexcept {
    return thrown_;
  }

  /// How the task has ended in the worker, if that is a pool that has said so.
  const std::optional<inner_end>& inside() const noexcept {
    return inside_;
  }

  /// The way back to the sender of the request that has crashed the worker.
  return_path take_client() noexcept {
    return {std::move(client_), client_id_};
  }

  // -- of another pool, which has it ------------------------------------------

  /// The element whose shell `element` is, this pool's or another's; nullptr if
  /// it is none.
  static tracked_element* from(const caf::mailbox_element& element) noexcept {
    return element.payload.match_elements<task_ticket>()
             ? element.payload.get_as<task_ticket>(0).element()
             : nullptr;
  }

  /// Whether `owner` has sent it on before: pools may be workers of pools.
  bool has_passed(const element_owner& owner) const noexcept;

  /// The facts that other pools may know of the message before it begins.
  const std::shared_ptr<passage>& announced() const noexcept {
    return passage_;
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

  /// Keeps the element and its message from being taken back, until it is let
  /// go. Returns false if it was taken back.
  bool hold() noexcept;
  void let_go() noexcept;

  /// Whether it was taken back.
  bool is_recalled() const noexcept {
    return stage_.load(std::memory_order_acquire) == stage::recalled;
  }

  /// The pool that has it refuses it, and is about to destroy it: it may have
  /// begun, but has not been handled.
  void give_back(errc why) noexcept;

  /// The pool that has it, and has begun, says how it has ended there. It
  /// answers by itself.
  void settled(inner_end how) noexcept {
    inside_ = std::move(how);
  }

  /// Why it was given back unhandled; errc{} if that was not said.
  errc given_back() const noexcept {
    return use_ == use::handled || !inside_ ? errc{} : inside_->why;
  }

  /// Ends the task well, for an actor that has it without a handler: an
  /// exception that is being handled in this thread has nothing to do with it.
  void has_been_answered() noexcept {
    exceptions_ = std::numeric_limits<int>::max();
  }

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
  enum class stage : std::uint8_t { queued, held, started, recalled };

  caf::mailbox_element_ptr take_shell();
  void ask_by_stand_in(execution_context* host);
  bool has_ended_plainly() const noexcept;
  void reload(caf::mailbox_element_ptr message) noexcept;
  bool begin();
  /// Whether the worker handles messages still.
  bool can_begin() const noexcept {
    return !to_.actor->getf(caf::abstract_actor::is_shutting_down_flag
                            | caf::abstract_actor::is_terminated_flag);
  }

  /// Where the client's message is: in the element of the outermost pool.
  caf::mailbox_element_ptr& message() noexcept;
  bool takes_shells() const noexcept {
    return to_.has_mailbox || to_.pool != nullptr;
  }

  void note_given(bool is_given) noexcept;
  void note_start();
  execution_context* end() noexcept;
  use find_use() const noexcept;
  bool has_crashed();
  void forget() noexcept;
  instant now() const {
    return clock_ != nullptr ? instant{clock_->now()} : instant{};
  }

  element_owner& owner_;
  caf::actor_clock* clock_;
  managed_task* task_ = nullptr;
  caf::mailbox_element_ptr element_;
  tracked_element* outer_ = nullptr; // whose shell that is
  libpool::lease* lease_ = nullptr;
  caf::mailbox_element* shell_ = nullptr; // wherever it is
  bool shell_is_home_ = false;
  std::shared_ptr<const lineage> before_; // of the message in this element
  std::shared_ptr<passage> passage_;
  std::optional<inner_end> inside_;
  caf::strong_actor_ptr answers_to_;
  caf::weak_actor_ptr stand_in_;
  receiver to_;
  std::atomic<stage> stage_{stage::queued};
  use use_ = use::unopened;
  ending how_ = ending::completed;
  int exceptions_ = std::numeric_limits<int>::max();
  bool keeps_client_ = false;
  bool is_empty_ = false;   // an outer pool had taken it back
  bool is_dropped_ = false; // by a worker that had skipped it, and has quit
  bool is_given_ = false;   // somebody has the client's message
  bool has_thrown_ = false;
  bool was_open_ = false; // a request without an answer or a promise
  const bool counts_cpu_time_;
  instant started_at_{};
  instant ended_at_{};
  duration cpu_time_{0};   // until it has ended: of the thread, when it started
  std::size_t thread_ = 0; // where it has started
  caf::error reason_;
  std::string thrown_;
  caf::strong_actor_ptr client_;
  caf::message_id client_id_;
};

/// Destroys an element that was kept until it was answered. A task of a managed
/// pool ends well by this, even if an exception is being handled in this
/// thread.
void let_go(caf::mailbox_element_ptr element) noexcept;

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
