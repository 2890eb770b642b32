#pragma once

#include "libpool/actors/caf/kind_names.hpp"
#include "libpool/actors/caf/passage.hpp"
#include "libpool/actors/caf/port/tracked_element.hpp"
#include "libpool/actors/caf/port/types.hpp"
#include "libpool/actors/managed/answers.hpp"
#include "libpool/actors/managed/managed_task.hpp"
#include "libpool/actors/managed/node_book.hpp"
#include "libpool/actors/managed/packer.hpp"
#include "libpool/actors/managed_setup.hpp"
#include "libpool/actors/selection.hpp"
#include "libpool/core/dispatcher.hpp"
#include "libpool/core/flow_book.hpp"
#include "libpool/core/instant.hpp"
#include "libpool/core/joint_run.hpp"
#include "libpool/core/shared_restrictions.hpp"

#include <caf/fwd.hpp>
#include <caf/mailbox_element.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace libpool {

/// Makes tasks of the messages of a managed pool, and calls the functions of
/// the user that describe a task.
///
/// A message that an outer pool tracks is not looked at, since a look would
/// start it. Its `passage` describes it.
///
/// Errors: a task is refused if a function of the user throws; `crash` of the
///         task has the text.
class intake {
public:
  /// Makes tasks for `dispatcher`. Intercepted replies use `answers`.
  intake(caf::actor_system& system, const managed_setup& options,
         dispatcher& dispatcher, const answers& answers);

  intake(const intake&) = delete;
  intake& operator=(const intake&) = delete;

  ~intake() = default;

  /// To be called when the dispatcher exists. `gathers`: each message makes
  /// several tasks.
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

  /// Whether the message is work, as far as can be told without a look that
  /// would start it.
  static bool is_plain_work(caf::mailbox_element& message);

  /// Whether messages have deadlines of their own.
  bool has_own_deadlines() const noexcept {
    return options_.deadline_of != nullptr;
  }

  /// Makes the new task `task` a task for the message. Returns the message if
  /// an outer pool tracks it.
  tracked_element* load(managed_task& task,
                        caf::mailbox_element_ptr&& element) const;

  /// Whether the selection means the message of the task. The client of a
  /// message that a worker has is known only if the pool intercepts answers or
  /// describes messages.
  bool is_meant(const selection& selection, const managed_task& task) const;

  /// The same for a message that may ask further workers.
  bool is_meant(const selection& selection,
                const managed_gather& message) const;

  /// Whether answers of requests are intercepted. Can be called from any
  /// thread.
  bool intercepts() const noexcept {
    return intercepts_;
  }

  /// Whether messages may be tried again.
  bool retries() const noexcept {
    return retries_;
  }

  /// Whether messages have flows that the policy does not use.
  bool throttles() const noexcept {
    return throttles_ && !dispatcher_.needs().has_flows;
  }

  /// Whether tasks have flows.
  bool has_flows() const noexcept {
    return dispatcher_.needs().has_flows || throttles_;
  }

  /// Whether the user names the flows of tasks; otherwise each client is one.
  bool names_flows() const noexcept {
    return options_.flow_of != nullptr || options_.throttled_by != nullptr;
  }

  /// Whether messages are described.
  bool describes() const noexcept {
    return notes_clients_ || options_.trace_of != nullptr;
  }

  /// Describes the message of the task, which is settled, unless the message
  /// was described before or was lost. Exceptions of the user are ignored.
  void describe_late(managed_task& task) noexcept;

  /// Prepares a task that was accepted at `came`: calls the functions of the
  /// user. Returns the reason to refuse the task; errc{} if none.
  errc prepare(managed_task& task, instant came) {
    return is_plain_ && !task.urgent ? errc{} : prepare_now(task, came);
  }

  /// Intercepts the reply to the task's message, which is about to be sent, if
  /// the pool may have to answer instead, or tasks share the run. Intercepts
  /// the reply to a message that was handled before once more.
  void intercept(managed_task& task) const {
    if (intercepts_ && task.extras().interceptor == nullptr
        && (task.is_request || run_of(task) != nullptr))
      intercept_now(task);
    if (task.was_handled)
      intercept_again(task);
  }

  /// Prepares the task, whose message came at `came`, and submits it, or
  /// refuses it.
  void take_in(managed_task& task, instant came, instant now);

  /// Refuses the task, which no worker can do.
  void turn_away(managed_task& task, errc why);

  /// Makes the task, which has just come back, wait for `worker` alone.
  void wait_for(managed_task& task, managed_worker& worker);

  /// Returns the kind and the client of the task, which is about to be sent.
  /// @pre the pool is recorded
  recorded_names recorded_names_of(const managed_task& task) {
    return {kind_known_of(task), client_of(task)};
  }

  /// Returns the number of the client of the task in the recorder, for
  /// `task::recorded_client`; 0 if messages have flows, or no client is known.
  /// @pre the pool is recorded; no worker has the task
  std::uint32_t client_of(const managed_task& task) const;

  /// Returns the name of the kind of the task, which is about to be sent:
  /// `kind_of` or the types of its message. The text stays valid. nullptr: the
  /// kind is unknown, since a look at the message would start it.
  const std::string* kind_known_of(const managed_task& task);

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
  errc prepare_now(managed_task& task, instant came);
  const message_content& content_of_task(const managed_task& task) const;
  std::uint32_t client_number(const caf::strong_actor_ptr& sender) const;
  void describe(managed_task& task);
  void describe(message_note& note, const message_content& content);
  bool has_id(const std::string& id, const message_content& content) const;
  void ask_user(managed_task& task, const message_content& content);
  void ask_places(managed_task& task, const message_content& content);
  void ask_nodes(managed_task& task, const message_content& content);
  void ask_batch(managed_task& task, const message_content& content);
  reply_interceptor::hold hold_for(const managed_task& task) const noexcept;
  void intercept_now(managed_task& task) const;
  void intercept_again(managed_task& task) const;

  const managed_setup& options_;
  dispatcher& dispatcher_;
  const answers& answers_;
  const bool retries_;
  const bool intercepts_;  // the replies to requests
  const bool asks_places_; // where tasks are to run
  const bool notes_clients_;
  const bool throttles_; // by flows that the policy may not know
  kind_names kind_names_;
  flow_book flows_;
  shared_restrictions restrictions_;
  node_book nodes_;
  std::optional<packer> packer_; // where tasks go to other nodes
  bool packs_early_ = false;
  bool is_plain_ = false; // whether nothing is asked or kept of messages
};

inline tracked_element* intake::load(managed_task& task,
                                     caf::mailbox_element_ptr&& element) const {
  auto* outer = tracked_element::from(*element);
  if (outer != nullptr) {
    task.own_extras().from_outer = outer->announced();
    task.is_alone = true; // the outer pool is told of its end at once
  }
  auto* passage = task.extras().from_outer.get();
  auto id = passage != nullptr ? passage->way.id : element->mid;
  task.urgent = id.is_urgent_message();
  task.repeatable = retries_;
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

} // namespace libpool
