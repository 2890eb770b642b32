#pragma once

#include "libpool/actors/caf/port/return_path.hpp"
#include "libpool/actors/caf/port/tracked_element.hpp"
#include "libpool/actors/managed/reply_interceptor.hpp"
#include "libpool/actors/this_task.hpp"
#include "libpool/core/gather.hpp"
#include "libpool/core/instant.hpp"
#include "libpool/core/task.hpp"
#include "libpool/core/worker_number.hpp"

#include <caf/actor.hpp>
#include <caf/mailbox_element.hpp>
#include <caf/message.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace libpool {

struct managed_worker;

/// Description of a message for `on_settled` and for traces.
struct message_note {
  /// Whether `kind` and `trace` are set, as far as the pool uses them.
  bool is_made = false;
  /// Client that is answered; nullptr if the message is not a request.
  caf::strong_actor_ptr asker;
  /// Id of the message.
  caf::message_id asked;
  /// Names of the types of the message. The string outlives the task. nullptr:
  /// unknown, or `kind_of` is set.
  const std::string* types = nullptr;
  /// Result of `kind_of` as a text; used if `types` is nullptr.
  std::string kind;
  /// Result of `trace_of`.
  std::string trace;
  /// Name of the result of `id_of`.
  std::string id;
};

/// Names of a task in a recording.
struct recorded_names {
  /// Name of the kind, see `task::kind_name`.
  const std::string* kind = nullptr;
  /// Number of the client, see `task::recorded_client`.
  std::uint32_t client = 0;

  friend bool operator==(const recorded_names& x, const recorded_names& y) {
    return x.kind == y.kind && x.client == y.client;
  }
};

/// What a pool keeps of some tasks, because an option or another pool asks for
/// it.
struct task_extras final : owner_notes {
  /// Result of `deadline_of`.
  std::optional<duration> patience;
  /// Interceptor that the answer passes; nullptr if the pool never answers
  /// instead.
  std::shared_ptr<reply_interceptor> interceptor;
  /// Whether the pool has packed the content.
  bool is_packed = false;
  /// The packed content, while the message has the unpacked one and may be sent
  /// again.
  caf::message packed;
  /// Whether the handler has returned, and only the answer is missing.
  bool awaits_answer = false;
  /// Whether the worker has answered with an error, as far as the pool knows.
  bool answered_with_error = false;
  /// Sender and id of the message, if the pool must remember them.
  caf::strong_actor_ptr client;
  caf::message_id id;
  /// Description of the message, and the last worker, for `on_settled`.
  message_note note;
  caf::actor worker;
  std::optional<worker_number> last_worker;
  std::string node;
  /// What the handler can know of the task; nullptr unless it has asked, or is
  /// asked to stop.
  std::shared_ptr<task_facts> facts;
  /// Answer of the run of the task, for all tasks that share the run.
  worker_answer answer;
  /// Number of the task whose run has settled this one; 0: none has.
  std::uint64_t joined = 0;
  /// Text of the reason why the task crashed its last worker, or is refused.
  std::string crash;

  // Where messages go to workers in batches:

  /// Message of the task, while a worker has the message of its batch.
  caf::mailbox_element_ptr single;
  /// Place of the message in the batch in which it was last sent, from 0.
  std::size_t place = 0;
  /// Number of messages in the batch that the task led when it was last sent.
  std::size_t batch_size = 0;
  /// Answers to these messages, by place; empty: not known.
  std::vector<caf::message> parts;

  // Where the client or the worker is another pool:

  /// What the outer pool has told about the message, and the element of that
  /// pool once it has begun. The element is kept until the task is settled.
  std::shared_ptr<passage> from_outer;
  caf::mailbox_element_ptr outer;
  /// The actor that the worker answers, in place of the sender in `from_outer`.
  caf::strong_actor_ptr stand_in;
  /// What the inner pool that is the worker was told about the message.
  std::shared_ptr<passage> to_inner;

  /// The extras of a task without any.
  static const task_extras none;
};

/// A task of a managed pool, with its message.
struct managed_task : task {
  managed_task() noexcept
    : is_request(false), has_place(false), was_handled(false), is_part(false) {
    // nop
  }

  /// Returns what the pool keeps of some tasks; default values if it keeps
  /// nothing.
  const task_extras& extras() const noexcept {
    const auto& owned = notes().owned;
    return owned != nullptr ? static_cast<const task_extras&>(*owned)
                            : task_extras::none;
  }

  /// Returns what the pool keeps of some tasks, to be changed.
  task_extras& own_extras() {
    auto& owned = own_notes().owned;
    if (owned == nullptr)
      owned = std::make_unique<task_extras>();
    return static_cast<task_extras&>(*owned);
  }

  bool is_request : 1;
  /// Whether a place among the waiting tasks was reserved for the task.
  bool has_place : 1;
  /// Whether a worker has handled the message, which may be sent again.
  bool was_handled : 1;
  /// Whether the task is a `part_task`.
  bool is_part : 1;
  /// The client's message, unless it is in a mailbox.
  caf::mailbox_element_ptr element;
  /// The element that carries the message, while it is in a mailbox.
  tracked_element* carrier = nullptr;
};

static_assert(sizeof(managed_task) <= 128); // two cache lines

/// A task of a message that is handled by several tasks.
struct part_task final : managed_task, gather_part {
  part_task() noexcept {
    is_part = true;
  }
};

/// Returns the part of a gathered message that the task is; nullptr: none.
inline const gather_part* part_in(const managed_task& task) noexcept {
  return task.is_part ? &static_cast<const part_task&>(task) : nullptr;
}

/// Whether only one worker, which serves, may run the task.
inline bool is_asked_of_one(const managed_task& task) noexcept {
  const auto* part = part_in(task);
  return part != nullptr && part->asked_of != nullptr;
}

/// Returns what an outer pool has told about the message of the task; nullptr:
/// nothing.
const std::shared_ptr<passage>& sent_as(const managed_task& task);

/// Returns what the handler of the task can know of it, in the present run.
task_facts& facts_for(managed_task& task);

/// Whether the handler of the task is asked to stop.
inline bool is_asked_to_stop(const managed_task& task) noexcept {
  return task.extras().facts != nullptr && task.extras().facts->stops;
}

/// Forgets what a handler could know, since the handler has ended.
inline void forget_facts(managed_task& task) {
  if (task.extras().facts != nullptr)
    task.own_extras().facts = nullptr;
}

/// Returns the name of the kind in the description; empty if it has none.
inline const std::string* kind_in(const message_note& note) noexcept {
  return note.types != nullptr ? note.types : &note.kind;
}

/// Notes the names of the task in recordings.
inline void set_names(managed_task& task, const recorded_names& names) {
  auto& notes = task.own_notes();
  notes.kind_name = names.kind;
  notes.recorded_client = names.client;
}

/// Forgets the names of the task in recordings.
inline void forget_names(managed_task& task) {
  if (task.has_notes())
    set_names(task, {});
}

/// Returns the name of the kind of the task, also if the task was sent before
/// the pool was recorded; empty if unknown.
inline const std::string* kind_name_of(const managed_task& task) noexcept {
  const auto* known = task.notes().kind_name;
  return known != nullptr ? known : kind_in(task.extras().note);
}

/// A message that is handled by several tasks, until the last of them has
/// ended.
struct managed_gather : gather {
  /// The collector that waits for the answers.
  caf::strong_actor_ptr collector;
  caf::strong_actor_ptr client;
  caf::message_id id;
  std::shared_ptr<const tracked_element::lineage> before;
  /// What an outer pool has told about the message; nullptr: nothing.
  std::shared_ptr<passage> from_outer;
  instant came;
  /// Parts, the last `unmade` of them without tasks; empty if all parts have
  /// tasks.
  std::vector<caf::message> rest;
  /// Whether places among the waiting tasks are reserved for these parts.
  bool has_places = false;
  /// Flow of the message; only if `is_awaited`.
  flow_key flow;
  /// Content of the message, if all tasks have the same.
  caf::message content;
};

/// Returns the gathered message that the task belongs to; nullptr: none.
inline managed_gather* gather_of(const managed_task& task) noexcept {
  const auto* part = part_in(task);
  return part != nullptr ? static_cast<managed_gather*>(part->gather) : nullptr;
}

} // namespace libpool
