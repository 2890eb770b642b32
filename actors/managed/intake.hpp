#pragma once

#include "libpool/actors/caf/passage.hpp"
#include "libpool/actors/caf/port/tracked_element.hpp"
#include "libpool/actors/caf/port/types.hpp"
#include "libpool/actors/caf/queued_element.hpp"
#include "libpool/actors/managed/answers.hpp"
#include "libpool/actors/managed/kind_names.hpp"
#include "libpool/actors/managed/managed_task.hpp"
#include "libpool/actors/managed/node_book.hpp"
#include "libpool/actors/managed/packer.hpp"
#include "libpool/actors/managed_setup.hpp"
#include "libpool/actors/selection.hpp"
#include "libpool/core/dispatcher.hpp"
#include "libpool/core/instant.hpp"
#include "libpool/core/lease_book.hpp"
#include "libpool/core/shared_restrictions.hpp"

#include <caf/fwd.hpp>
#include <caf/mailbox_element.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace libpool {

/// Makes tasks of the messages of a managed pool. Keeps messages for which no
/// task was made yet, and calls the functions of the user that describe a task.
///
/// A message that an outer pool tracks is not looked at, since a look would
/// start it. Its `passage` describes it.
///
/// Errors: a task is refused if a function of the user throws; `crash` of the
///         task has the text.
class intake {
public:
  /// Makes tasks for `to`. Intercepted replies use `by`.
  intake(caf::actor_system& system, const managed_setup& options,
         dispatcher& to, const answers& by);

  intake(const intake&) = delete;
  intake& operator=(const intake&) = delete;

  ~intake() = default;

  /// Destroys the waiting messages without answers to their clients. To be
  /// called only when the pool is destroyed.
  void clear();

  /// To be called when the dispatcher exists. Allows leases, unless an option
  /// needs each task separately. `gathers`: each message makes several tasks.
  void begin(bool gathers);

  /// Whether `pack` must be called with a message before it waits. Can be
  /// called from any thread.
  bool packs_early() const noexcept {
    return packs_early_;
  }

  /// Replaces the content of a message that goes to another node with bytes, in
  /// the thread of the sender. Not for messages to the pool itself, or of an
  /// outer pool.
  void pack(caf::mailbox_element_ptr& element) const;

  /// Whether tasks need more members than a message.
  bool needs_extras() const noexcept {
    return needs_extras_;
  }

  /// Whether the message is work, as far as can be told without a look that
  /// would start it.
  static bool is_plain_work(caf::mailbox_element& message);

  /// Whether the client has sent the message with high priority.
  static bool is_urgent(caf::mailbox_element& element) noexcept;

  /// Whether `pool` may let the message wait as it is: the message is not
  /// urgent, has not passed `pool` before, and does not belong to a stream.
  static bool may_wait(caf::mailbox_element& element,
                       const element_owner& pool) noexcept;

  /// Messages that wait without tasks, and leases.
  lease_book<queued_element>& book() noexcept {
    return book_;
  }

  const lease_book<queued_element>& book() const noexcept {
    return book_;
  }

  /// Returns a task that describes the message, accepted at `came`, while its
  /// line is chosen. The task has the flow, the priority, the key and the kind
  /// of the message, as far as the policy uses them, and a deadline of its own.
  /// nullptr: a function of the user threw, or the deadline has passed. Valid
  /// until the next call.
  task* describe_choice(caf::mailbox_element& element, instant came);

  /// Gives the new task `task` the flow and the priority, but no message.
  static void make_plain(managed_task& task, const flow_key& flow,
                         std::int64_t priority);

  /// Makes `task` a task for the message for which `describe_choice` was just
  /// called, and which was accepted at `came`.
  /// @pre messages have no deadlines of their own
  void make_first(managed_task& task, caf::mailbox_element_ptr element,
                  instant came) const;

  /// Gives the task the key and the deadline of the message for which
  /// `describe_choice` was just called.
  void give_choice(managed_task& task) const noexcept {
    if (const auto& key = choice_.notes().key)
      task.own_notes().key = key;
    task.has_key = true;
    give_deadline(task);
  }

  /// Notes the deadline of a message that has waited, for `give_deadline`.
  void note_deadline(instant deadline) noexcept {
    choice_.deadline = deadline;
  }

  /// Gives the task the deadline that was noted last, or that of the message
  /// for which `describe_choice` was just called, if messages have deadlines of
  /// their own.
  void give_deadline(managed_task& task) const noexcept {
    if (!has_own_deadlines())
      return;
    task.deadline = choice_.deadline;
    task.has_deadline = true;
  }

  /// Whether messages have deadlines of their own.
  bool has_own_deadlines() const noexcept {
    return options_.deadline_of != nullptr;
  }

  /// Makes the new task `task` a task for the message. Returns the message if
  /// an outer pool tracks it.
  tracked_element* load(managed_task& task,
                        caf::mailbox_element_ptr element) const;

  /// Makes the new task `task` a task for the message, which has waited.
  void load(managed_task& task, const queued_element& waited) const {
    load(task, waited.take());
    if (waited.is_intercepted())
      take_interceptor(task);
  }

  /// Gives the new task the interceptor that is the sender of its message.
  void take_interceptor(managed_task& task) const;

  /// Returns the message as an entry of a line. A message of an outer pool
  /// cannot follow others in a lease, because that pool is told of its end at
  /// once.
  queued_element queued(caf::mailbox_element_ptr element) const {
    auto is_alone = tracked_element::from(*element) != nullptr;
    auto is_to_pass = intercepts_ && element->mid.is_request();
    return {std::move(element), is_alone ? follows::no : follows::yes,
            is_to_pass};
  }

  /// Whether the selection means the message, which waits in a line or lease
  /// of the flow. A message for which a function of the user throws is not
  /// meant.
  bool is_meant(const selection& by, const flow_key& flow,
                const queued_element& message) const;

  /// Whether the selection means the message of the task. The client of a
  /// message that a worker has is known only if the pool intercepts answers or
  /// describes messages.
  bool is_meant(const selection& by, const managed_task& task) const;

  /// The same for a message that may ask further workers.
  bool is_meant(const selection& by, const managed_gather& message) const;

  /// Whether answers of requests are intercepted. Can be called from any
  /// thread.
  bool intercepts() const noexcept {
    return intercepts_;
  }

  /// Whether requests may be tried again after errors.
  bool retries_errors() const noexcept {
    return options_.retry_on != nullptr;
  }

  /// Intercepts the answer of the message, which goes to a worker in a lease.
  /// Returns the interceptor; nullptr if its answer need not pass the pool.
  /// @pre intercepts()
  std::shared_ptr<reply_interceptor> intercept(queued_element& message) const;

  /// Whether messages have flows that the policy does not use. Each message
  /// then needs a task.
  bool throttles() const noexcept {
    return throttles_ && !dispatcher_.has_flows();
  }

  /// Whether tasks have flows.
  bool has_flows() const noexcept {
    return dispatcher_.has_flows() || throttles_;
  }

  /// Whether messages are described.
  bool describes() const noexcept {
    return notes_clients_ || options_.trace_of != nullptr;
  }

  /// Sets the empty `note` to the description of the message for `on_settled`
  /// and for traces. Returns false if a function of the user throws.
  /// @pre describes()
  bool describe(message_note& note, const queued_element& message);

  /// Describes the message of the task, which is settled, unless the message
  /// was described before or was lost. Exceptions of the user are ignored.
  void describe_late(managed_task& task) noexcept;

  /// Prepares a task that was accepted at `came`: calls the functions of the
  /// user, and secures the task. Returns the reason to refuse the task; errc{}
  /// if none.
  errc prepare(managed_task& task, instant came);

  /// Prepares the message for a worker: keeps the content if the task may be
  /// retried, and intercepts the reply if the pool may have to answer instead.
  /// Returns the reason to cancel the task; errc{} if none.
  errc secure(managed_task& task);

  /// Describes and secures a task for which `prepare` was not called. Returns
  /// the reason to cancel the task; errc{} if none.
  errc describe_and_secure(managed_task& task);

  /// Prepares the task, whose message came at `came`, and submits it, or
  /// refuses it.
  void take_in(managed_task& task, instant came, instant now);

  /// Refuses the task, which no worker can do. Cancels it instead if its
  /// message has waited and therefore counts as accepted.
  void turn_away(managed_task& task, errc why, instant came, instant now);

  /// Makes the task, which has just come back, wait for `worker` alone.
  void wait_for(managed_task& task, managed_worker& worker);

  /// Returns the kind and the client of the task, which is about to be sent.
  /// @pre the pool is recorded
  recorded_names recorded_names_of(const managed_task& task);

  /// Returns the kind and the client of the leased message.
  /// @pre the pool is recorded
  recorded_names recorded_names_of(const queued_element& message) {
    return {kind_known_of(message), client_of(message)};
  }

  /// Returns the number of the client of the message in the recorder, for
  /// `task::recorded_client`; 0 if messages have flows, or no client is known.
  /// @pre the pool is recorded
  std::uint32_t client_of(const queued_element& message) const;

  /// Returns the name of the kind of the task, which is about to be sent:
  /// `kind_of` or the types of its message. The text stays valid. nullptr: the
  /// kind is unknown, since a look at the message would start it.
  const std::string* kind_known_of(const managed_task& task);

  /// Returns the types of the leased message as a text, which stays valid.
  const std::string* kind_known_of(const queued_element& message) {
    return &kind_names_.name_of(message.element().content());
  }

  /// The nodes, and the restrictions of tasks to nodes.
  node_book& nodes() noexcept {
    return nodes_;
  }

  const node_book& nodes() const noexcept {
    return nodes_;
  }

  /// Replaces the restriction of the waiting task with one to these workers,
  /// and returns it.
  restriction& only_on(managed_task& task, std::vector<worker_number> workers);

  /// Releases the restriction of the waiting task, if it has one.
  void let_go_of_restriction(managed_task& task);

  /// Releases what a settled task got from here.
  void forget(managed_task& task) {
    if (task.notes().where != nullptr)
      let_go_of_restriction(task);
  }

private:
  bool looks_at_contents() const noexcept;
  instant deadline_from(instant came, std::optional<duration> own) const;
  bool classify(managed_task& task);
  const message_content& content_of_task(const managed_task& task) const;
  std::uint32_t client_number(const caf::strong_actor_ptr& sender) const;
  void describe(managed_task& task);
  void describe(message_note& note, const message_content& content);
  bool has_id(const std::string& id, const message_content& content) const;
  void ask_user(managed_task& task, const message_content& content) const;
  void ask_places(managed_task& task, const message_content& content);
  void ask_nodes(managed_task& task, const message_content& content);
  void intercept(managed_task& task) const;

  const managed_setup& options_;
  dispatcher& dispatcher_;
  const answers& answers_;
  const bool retries_;
  const bool intercepts_; // the replies to requests
  const bool needs_extras_;
  const bool asks_places_; // where tasks are to run
  const bool notes_clients_;
  const bool throttles_; // by flows that the policy may not know
  kind_names kind_names_;
  shared_restrictions restrictions_;
  node_book nodes_;
  std::optional<packer> packer_; // where tasks go to other nodes
  task choice_;                  // stands for a new message
  bool asks_choice_ = false;     // whether messages are described for that
  bool packs_early_ = false;
  lease_book<queued_element> book_;
};

inline tracked_element* intake::load(managed_task& task,
                                     caf::mailbox_element_ptr element) const {
  auto* outer = tracked_element::from(*element);
  if (outer != nullptr) {
    task.own_extras().from_outer = outer->announced();
    task.is_alone = true; // the outer pool is told of its end at once
  }
  auto* passage = task.extras().from_outer.get();
  auto id = passage != nullptr ? passage->way.id : element->mid;
  task.urgent = id.is_urgent_message();
  task.is_request = id.is_request();
  if (notes_clients_) {
    auto& note = task.own_extras().note;
    if (task.is_request)
      note.asker = passage != nullptr ? passage->way.sender : element->sender;
    note.asked = id;
  }
  task.element = std::move(element);
  return outer;
}

/// Keeps a copy of the content of the task's message, so that it can be sent
/// again. The message loses its content. Returns false if this throws; the text
/// is in `crash`.
bool keep_content(managed_task& task);

} // namespace libpool
