#pragma once

#include "libpool/actors/caf/cpu_time.hpp"
#include "libpool/actors/caf/passage.hpp"
#include "libpool/actors/caf/port/return_path.hpp"
#include "libpool/actors/caf/port/types.hpp"
#include "libpool/core/dispatcher.hpp"
#include "libpool/core/instant.hpp"
#include "libpool/sync/thread_number.hpp"

#include <caf/abstract_actor.hpp>
#include <caf/actor_clock.hpp>
#include <caf/actor_control_block.hpp>
#include <caf/error.hpp>
#include <caf/fwd.hpp>
#include <caf/mailbox_element.hpp>
#include <caf/message.hpp>
#include <caf/message_id.hpp>

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
class queued_element;
class tracked_element;
template <class Message>
class lease;
struct task_facts;

/// The pool that a tracked element belongs to. The pool is told when the worker
/// is done with the element.
class element_owner {
public:
  element_owner() noexcept;
  element_owner(const element_owner&) = delete;
  element_owner& operator=(const element_owner&) = delete;

  /// The worker is done with `element`, which belongs to the owner again.
  /// `host` is the execution context of the worker; nullptr if the worker does
  /// not run in the scheduler.
  virtual void ended(tracked_element& element,
                     execution_context* host) noexcept = 0;

  /// A handler of `element` has returned, and its worker goes on with the next
  /// message of the lease. `sender` is the sender of the request that the
  /// handler has handled. Called only after `pass_answers`.
  virtual void went_on(const caf::strong_actor_ptr& /*sender*/,
                       execution_context*) noexcept {
    // nop
  }

  /// The handler of the message of `passage` began at `began` in the pool or at
  /// the node that has the message.
  virtual void began_inside(const std::shared_ptr<passage>& passage,
                            instant began, execution_context* host) = 0;

  /// The pool that has the message of `sent` has given up on the message, which
  /// may still run, and is about to answer its client. Can be called from any
  /// thread.
  virtual void settled_inside(const std::shared_ptr<passage>& sent, errc why,
                              execution_context* host) = 0;

  /// Whether the client of a request from `sender` is known to have ended. Can
  /// be called from any thread.
  virtual bool has_lost_client(const caf::strong_actor_ptr& /*sender*/) const {
    return false;
  }

  /// Whether the request from `sender` was answered, and not with an error. Can
  /// be called from any thread.
  virtual bool has_result(const caf::strong_actor_ptr& /*sender*/) const {
    return true;
  }

  /// Returns what the pool knows of the message of `handled`; nullptr if the
  /// pool has taken the message back. Called by the handler of the message.
  virtual std::shared_ptr<const task_facts>
  facts_of(const tracked_element& /*handled*/) {
    return nullptr;
  }

  /// Number that no other owner in this process has or had.
  std::uint64_t serial_number() const noexcept {
    return serial_number_;
  }

protected:
  ~element_owner() = default;

private:
  const std::uint64_t serial_number_;
};

/// How a message ended in an inner pool, as reported by that pool.
struct inner_end {
  outcome how = outcome::completed;
  errc why{};
  caf::error reason;
};

/// State of a client's message on its way through the mailbox of a worker: the
/// part of `tracked_element` that does not depend on the version of CAF.
///
/// Threads: the owner loads and recalls an element, and reads it after its end.
///          The worker begins and ends it. The pool that has it holds it.
class element_record {
public:
  /// Worker that gets the element, by the ways in which it can be used.
  struct receiver {
    caf::abstract_actor* actor = nullptr;
    /// The worker, if it does not block.
    caf::scheduled_actor* scheduled = nullptr;
    /// The worker, if it blocks.
    caf::blocking_actor* blocking = nullptr;
    /// The worker, if it is a pool or a pipeline.
    inner_pool* pool = nullptr;
    /// Whether the worker has a mailbox that tracks elements, and does not
    /// block.
    bool has_mailbox = false;
    /// Whether the worker can handle several messages of one lease.
    bool goes_on = false;
    /// Whether the worker drops recalled messages without an answer.
    bool lets_recall = false;
  };

  /// Owners of an element and of the elements that it carries.
  struct lineage {
    std::uint64_t owner;
    std::shared_ptr<const lineage> before;
  };

  /// What the worker did with the element.
  enum class use : std::uint8_t {
    /// The worker has not looked at the element.
    unopened,
    /// The worker skipped the element, or dropped it before the worker ended.
    skipped,
    /// The worker skipped the element, and CAF told the client that its request
    /// failed.
    bounced,
    /// The handler has run.
    handled,
    /// The element was empty: an outer pool had recalled its message.
    empty,
  };

  /// Result of `recall`. `is_held`: a pool holds the element.
  enum class recall_result : std::uint8_t { done, has_started, is_held };

  /// Makes an element of `owner`. Times are measured with `clock`; nullptr:
  /// times are not measured.
  element_record(element_owner& owner, caf::actor_clock* clock,
                 bool counts_cpu_time) noexcept
    : owner_(owner), clock_(clock), counts_cpu_time_(counts_cpu_time) {
    // nop
  }

  element_record(const element_record&) = delete;
  element_record& operator=(const element_record&) = delete;

  // -- of the owner -----------------------------------------------------------

  /// Makes `passage` known to the worker, which is a pool.
  void announce(std::shared_ptr<passage> passage) noexcept {
    passage_ = std::move(passage);
  }

  /// Directs answers to `client`, if any, instead of the sender of the loaded
  /// message.
  void answer_to(caf::strong_actor_ptr client) noexcept {
    answers_to_ = std::move(client);
  }

  /// Removes and returns the receiver of answers, if the element has not begun.
  caf::strong_actor_ptr take_answer_to() noexcept {
    return std::move(answers_to_);
  }

  /// Notes that the element was made for a message that passed the pools
  /// `before`.
  void descend_from(std::shared_ptr<const lineage> before) noexcept {
    before_ = std::move(before);
  }

  /// Returns the lineage of an element that is made for the message of this
  /// element.
  std::shared_ptr<const lineage> line() const {
    return std::make_shared<lineage>(lineage{owner_.serial_number(), before_});
  }

  /// Keeps the messages that handlers have handled: workers see shared content,
  /// and `unload` returns the last message as it was sent. Holds until the
  /// element is loaded again.
  /// @pre the message is not an element of another pool
  void keep_message() noexcept {
    keeps_message_ = true;
  }

  /// Makes the worker handle the messages of `further` before it reports the
  /// end. Valid until the element is loaded again or recalled.
  /// @pre the worker has a mailbox, and does not block
  void follow_with(libpool::lease<queued_element>& further) noexcept {
    lease_ = &further;
  }

  /// Tells the owner of the handlers that have returned before the worker goes
  /// on with the lease, so that answers of requests can pass. Holds until the
  /// element is loaded again.
  void pass_answers() noexcept {
    passes_answers_ = true;
  }

  /// Makes the worker report the end of a handler that has not answered its
  /// request with a result, before it goes on with the lease. Holds until the
  /// element is loaded again. Requires `pass_answers`.
  void stop_at_errors() noexcept {
    stops_at_errors_ = true;
  }

  /// Has `handler_in_thread` find the element while its handler runs. Holds
  /// until the element is loaded again.
  /// @pre the worker has a mailbox, and does not block
  void note_thread() noexcept {
    notes_thread_ = true;
  }

  /// Element whose handler a thread runs.
  struct noted_handler {
    /// The element. If the worker has skipped it, it may be elsewhere by now,
    /// or destroyed.
    const element_record* element = nullptr;
    const element_owner* owner = nullptr;
    const caf::abstract_actor* actor = nullptr;
    caf::scheduled_actor* worker = nullptr;
  };

  /// Returns the element whose handler the calling thread runs, if
  /// `note_thread` was called for the element; otherwise empty.
  static const noted_handler& handler_in_thread() noexcept;

  /// Returns the lease whose messages follow this one; nullptr if none.
  libpool::lease<queued_element>* lease() const noexcept {
    return lease_;
  }

  /// Returns the id of the message. The element has come back.
  caf::message_id message_id() const noexcept;

  /// Tries to take the task back. After a success, the worker drops the element
  /// in its mailbox without an answer.
  recall_result recall() noexcept;

  /// Returns the task that the element was loaded for; nullptr after a recall.
  libpool::task* task() const noexcept {
    return task_;
  }

  bool has_started() const noexcept {
    return stage_.load(std::memory_order_acquire) == stage::started;
  }

  /// Time at which the handler of the last message began; `never` if no handler
  /// has begun since the element was loaded. Can be called from any thread.
  instant started_at() const noexcept {
    return started_at_.load(std::memory_order_relaxed);
  }

  instant ended_at() const noexcept {
    return ended_at_;
  }

  /// Processor time of the handler; zero if processor time is not measured.
  duration cpu_time() const noexcept {
    return cpu_time_;
  }

  use used() const noexcept {
    return use_;
  }

  /// Returns how the handler ended.
  ending how() const noexcept {
    return how_;
  }

  /// Exit reason of the worker, if the reason is a failure.
  const caf::error& reason() const noexcept {
    return reason_;
  }

  /// Text of the exception that the handler threw, or of the pool that gave the
  /// element back; empty if unknown.
  const std::string& thrown() const noexcept {
    return thrown_;
  }

  /// How the task ended in the inner pool; unset if the worker is not a pool,
  /// or did not report it.
  const std::optional<inner_end>& inside() const noexcept {
    return inside_;
  }

  /// Removes and returns the return path of the request that crashed the
  /// worker.
  return_path take_client() noexcept {
    return {std::move(client_), client_id_};
  }

  // -- of another pool, which has it ------------------------------------------

  /// Whether `owner` has sent the message before. A pool can be a worker of
  /// another pool.
  bool has_passed(const element_owner& owner) const noexcept;

  /// Returns what other pools may know about the message before it begins.
  const std::shared_ptr<passage>& announced() const noexcept {
    return passage_;
  }

  /// Protects the element and its message from recalls until `let_go`. Returns
  /// false if the element was already recalled.
  bool hold() noexcept;
  void let_go() noexcept;

  /// Whether this element was recalled, or an element that it carries.
  bool is_recalled() const noexcept;

  /// Number of the task in the pool that has the element; 0 if none. Can be
  /// called from any thread.
  std::uint64_t number_inside() const noexcept {
    return number_inside_.load(std::memory_order_relaxed);
  }

  void known_inside_as(std::uint64_t number) noexcept {
    number_inside_.store(number, std::memory_order_relaxed);
  }

  /// Tells the owner when the handler began at the node that has the message.
  void tell_begin(instant began, execution_context* host) const {
    if (passage_ != nullptr)
      owner_.began_inside(passage_, began, host);
  }

  /// Notes how the message ended in the pool that has the element and has begun
  /// it. That pool answers the client.
  void settled(inner_end end) noexcept {
    inside_ = std::move(end);
  }

  /// Why the element was given back unhandled; errc{} if no reason is known.
  errc given_back() const noexcept {
    return use_ == use::handled || !inside_ ? errc{} : inside_->why;
  }

  /// Marks the task as completed, for an actor that answered it without a
  /// handler. An exception that is being handled in this thread does not belong
  /// to the task.
  void has_been_answered() noexcept {
    exceptions_ = std::numeric_limits<int>::max();
  }

protected:
  enum class stage : std::uint8_t { queued, held, started, recalled };

  ~element_record() = default;

  /// Starts again with `message`. `outer` is the element of another pool that
  /// `message` is; nullptr if it is not one.
  void start_over(libpool::task& task, caf::mailbox_element_ptr message,
                  element_record* outer, const receiver& client,
                  bool keeps_client);

  /// Replaces the message that was handled with `message`, the next one of the
  /// lease.
  void replace_message(caf::mailbox_element_ptr message) noexcept;

  void keep_client(const caf::strong_actor_ptr& client);

  /// Whether the client of the message is known to have ended.
  bool has_lost_client(const caf::mailbox_element& message) const {
    return message.mid.is_request() && message.sender != nullptr
           && owner_.has_lost_client(message.sender);
  }

  /// Whether the answer to the last request permits that the worker goes on.
  bool has_result() const {
    return !stops_at_errors_ || asker_ == nullptr || owner_.has_result(asker_);
  }

  /// Lets the answer of the handler pass that has returned.
  void let_answer_pass(execution_context* host) noexcept {
    if (passes_answers_ && asker_ != nullptr)
      owner_.went_on(std::exchange(asker_, nullptr), host);
  }

  /// Tries to begin. Returns false if the element was recalled.
  bool leave_queue() noexcept;

  /// Notes the client, and hides it from the other pools that know the passage.
  void note_client(const caf::strong_actor_ptr& client, caf::message_id id);

  void note_start();
  void note_end();
  void runs_in_thread(bool runs) const noexcept;

  /// Notes an exception of the handler. `was_open`: the request had neither an
  /// answer nor a promise.
  void note_thrown(const std::exception_ptr& thrown, bool was_open) noexcept;

  /// Whether the element was started by the calling thread.
  bool runs_here() const noexcept;

  /// Whether the worker still handles messages.
  bool can_begin() const noexcept {
    return !to_.actor->getf(caf::abstract_actor::is_shutting_down_flag
                            | caf::abstract_actor::is_terminated_flag);
  }

  instant now() const {
    return clock_ != nullptr ? instant{clock_->now()} : instant{};
  }

  element_owner& owner_;
  caf::actor_clock* clock_;
  libpool::task* task_ = nullptr;
  caf::mailbox_element_ptr element_;
  element_record* outer_ = nullptr; // the element that `element_` is
  libpool::lease<queued_element>* lease_ = nullptr;
  std::shared_ptr<const lineage> before_; // of the message in this element
  std::shared_ptr<passage> passage_;
  std::optional<inner_end> inside_;
  caf::strong_actor_ptr answers_to_;
  receiver to_;
  std::atomic<stage> stage_{stage::queued};
  std::atomic<std::uint64_t> number_inside_{0};
  use use_ = use::unopened;
  ending how_ = ending::completed;
  int exceptions_ = std::numeric_limits<int>::max();
  bool keeps_client_ = false;
  bool keeps_message_ = false;
  bool passes_answers_ = false;
  bool stops_at_errors_ = false;
  bool notes_thread_ = false;
  bool is_empty_ = false;   // an outer pool's element could not begin
  bool is_dropped_ = false; // by a worker that had skipped it, and has quit
  bool has_thrown_ = false;
  bool was_open_ = false; // a request without an answer or a promise
  const bool counts_cpu_time_;
  std::atomic<instant> started_at_{never};
  instant ended_at_{};
  duration cpu_time_{0};   // until the end: of the thread at the start
  std::size_t thread_ = 0; // of the start
  caf::error reason_;
  std::string thrown_;
  caf::strong_actor_ptr client_;
  caf::message_id client_id_;
  caf::strong_actor_ptr asker_;  // sender of the request, if answers pass
  caf::strong_actor_ptr sender_; // of the message, if it is kept
};

// Functions that are called for each message.

inline bool element_record::leave_queue() noexcept {
  auto seen = stage::queued;
  while (!stage_.compare_exchange_strong(
    seen, stage::started, std::memory_order_acq_rel, std::memory_order_acquire))
    if (seen != stage::held)
      return false;
  return true;
}

inline void element_record::note_client(const caf::strong_actor_ptr& client,
                                        caf::message_id id) {
  client_id_ = id;
  if (id.is_request() && (keeps_client_ || passes_answers_))
    keep_client(client);
  if (keeps_message_)
    sender_ = keeps_client_ ? client : nullptr;
  if (passage_ != nullptr) {
    passage_->content = caf::message{}; // or it would be shared
    passage_->way.sender = nullptr;
  }
}

inline bool element_record::runs_here() const noexcept {
  return thread_ == thread_number();
}

inline void element_record::note_start() {
  thread_ = thread_number();
  started_at_.store(now(), std::memory_order_relaxed);
  if (notes_thread_)
    runs_in_thread(true);
  if (counts_cpu_time_)
    cpu_time_ = cpu_time_of_thread();
}

/// An element that was recalled while the worker looked at it has no start: its
/// end counts as the start.
inline void element_record::note_end() {
  ended_at_ = now();
  if (notes_thread_)
    runs_in_thread(false);
  if (passes_answers_)
    asker_ = nullptr;
  if (started_at() == never)
    started_at_.store(ended_at_, std::memory_order_relaxed);
  if (counts_cpu_time_)
    cpu_time_ = runs_here() ? cpu_time_of_thread() - cpu_time_ : duration{0};
}

inline void
element_record::replace_message(caf::mailbox_element_ptr message) noexcept {
  message->next = nullptr;
  client_ = nullptr;
  element_ = std::move(message);
  outer_ = nullptr;
}

/// Returns `actor` as a receiver of tracked elements; std::nullopt if messages
/// to actors of this kind cannot be tracked.
std::optional<element_record::receiver>
trackable(caf::abstract_actor& actor) noexcept;

/// Whether messages to the actor cannot be tracked only because `set_up` was
/// not called.
bool lacks_set_up(caf::abstract_actor& actor) noexcept;

/// Reports the ends of the messages of the actor to the pools that sent the
/// messages, before the end of the actor is reported. `host` is the execution
/// context of the actor; nullptr if the actor has ended already.
void tell_ends_in(caf::abstract_actor& actor, execution_context* host);

/// Whether the worker is closed: it handles no more messages, and gives back
/// each message that it gets.
bool is_closed(const element_record::receiver& worker) noexcept;

} // namespace libpool
