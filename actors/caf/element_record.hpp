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

/// The facts about a client's message on its way through the mailbox of a
/// worker: what tracked elements have in common, whichever CAF they are for.
///
/// Threads: the owner loads, recalls, and reads once it has ended; the worker
///          begins and ends; whichever pool has it holds.
class element_record {
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
    /// Whether the worker has a mailbox of its own, which tracks, and does not
    /// block.
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

  element_record(const element_record&) = delete;
  element_record& operator=(const element_record&) = delete;

  // -- of the owner -----------------------------------------------------------

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

  /// Tries to take the task back. On success the worker drops what is in its
  /// mailbox in silence.
  recall_result recall() noexcept;

  /// The task that it was loaded for; nullptr once it was recalled.
  managed_task* task() const noexcept {
    return task_;
  }

  bool has_started() const noexcept {
    return stage_.load(std::memory_order_acquire) == stage::started;
  }

  /// When the handler of its last message has begun; `never` if none has since
  /// it was loaded. From any thread.
  instant started_at() const noexcept {
    return started_at_.load(std::memory_order_relaxed);
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

  /// The words of the handler's exception, or of the pool that has given it
  /// back; empty if they are not known.
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

  /// Whether `owner` has sent it on before: pools may be workers of pools.
  bool has_passed(const element_owner& owner) const noexcept;

  /// The facts that other pools may know of the message before it begins.
  const std::shared_ptr<passage>& announced() const noexcept {
    return passage_;
  }

  /// Keeps the element and its message from being taken back, until it is let
  /// go. Returns false if it was taken back.
  bool hold() noexcept;
  void let_go() noexcept;

  /// Whether it was taken back, or an element that it carries.
  bool is_recalled() const noexcept;

  /// The number by which the pool that has it knows it; 0 if it has none. From
  /// any thread.
  std::uint64_t number_inside() const noexcept {
    return number_inside_.load(std::memory_order_relaxed);
  }

  void known_inside_as(std::uint64_t number) noexcept {
    number_inside_.store(number, std::memory_order_relaxed);
  }

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

protected:
  enum class stage : std::uint8_t { queued, held, started, recalled };

  /// Times are measured by `clock`, if any.
  element_record(element_owner& owner, caf::actor_clock* clock,
                 bool counts_cpu_time) noexcept
    : owner_(owner), clock_(clock), counts_cpu_time_(counts_cpu_time) {
    // nop
  }

  ~element_record() = default;

  /// Begins anew with `message`, which is an element of another pool if there
  /// is an `outer` one.
  void start_over(managed_task& task, caf::mailbox_element_ptr message,
                  tracked_element* outer, const receiver& to,
                  bool keeps_client);

  /// The message that was handled makes room for `message`, of its lease.
  void replace_message(caf::mailbox_element_ptr message) noexcept;

  /// Tries to begin. Returns false if it was taken back.
  bool leave_queue() noexcept;

  /// Notes whom it is for, which others are not told any more.
  void note_client(const caf::strong_actor_ptr& client, caf::message_id id);

  void note_start();
  void note_end();

  /// The handler has thrown, which is being handled.
  void note_thrown(const std::exception_ptr& thrown, bool was_open) noexcept;

  /// Whether it has started in this thread.
  bool runs_here() const noexcept;

  /// Whether the worker handles messages still.
  bool can_begin() const noexcept {
    return !to_.actor->getf(caf::abstract_actor::is_shutting_down_flag
                            | caf::abstract_actor::is_terminated_flag);
  }

  instant now() const {
    return clock_ != nullptr ? instant{clock_->now()} : instant{};
  }

  element_owner& owner_;
  caf::actor_clock* clock_;
  managed_task* task_ = nullptr;
  caf::mailbox_element_ptr element_;
  tracked_element* outer_ = nullptr; // that is in it
  libpool::lease* lease_ = nullptr;
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
  bool is_empty_ = false;   // an outer pool's element could not begin
  bool is_dropped_ = false; // by a worker that had skipped it, and has quit
  bool has_thrown_ = false;
  bool was_open_ = false; // a request without an answer or a promise
  const bool counts_cpu_time_;
  std::atomic<instant> started_at_{never};
  instant ended_at_{};
  duration cpu_time_{0};   // until it has ended: of the thread, when it started
  std::size_t thread_ = 0; // where it has started
  caf::error reason_;
  std::string thrown_;
  caf::strong_actor_ptr client_;
  caf::message_id client_id_;
};

// Handlers begin and end by these.

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
  if (keeps_client_ && id.is_request())
    client_ = client;
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
  if (counts_cpu_time_)
    cpu_time_ = cpu_time_of_thread();
}

/// One that was taken back while the worker looked has no handler that could
/// have begun.
inline void element_record::note_end() {
  ended_at_ = now();
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

/// Destroys an element that was kept until it was answered. A task of a managed
/// pool ends well by this, even if an exception is being handled in this
/// thread.
void let_go(caf::mailbox_element_ptr element) noexcept;

} // namespace libpool
