#pragma once

#include "libpool/actors/caf/passage.hpp"
#include "libpool/actors/caf/port/tracked_element.hpp"
#include "libpool/actors/caf/port/types.hpp"
#include "libpool/actors/managed/answers.hpp"
#include "libpool/actors/managed/kind_names.hpp"
#include "libpool/actors/managed/leases.hpp"
#include "libpool/actors/managed/managed_task.hpp"
#include "libpool/actors/managed/node_book.hpp"
#include "libpool/actors/managed/packer.hpp"
#include "libpool/actors/managed/waiting_messages.hpp"
#include "libpool/actors/managed_setup.hpp"
#include "libpool/core/dispatcher.hpp"
#include "libpool/core/instant.hpp"
#include "libpool/core/shared_restrictions.hpp"

#include <caf/fwd.hpp>
#include <caf/mailbox_element.hpp>

#include <optional>
#include <utility>
#include <vector>

namespace libpool {

/// Makes tasks of the messages of a managed pool: it keeps messages of which no
/// task was made yet, and has the functions of the user say what kind of a task
/// each one is.
///
/// A message that an outer pool tracks is not looked at, since that would start
/// it: it comes with a `passage`, which has all that there is to know.
///
/// Errors: what functions of the user throw refuses the task; `crash` of the
///         task says what that was.
class intake {
public:
  /// Tasks are for `to`; replies are intercepted `by` what answers.
  intake(caf::actor_system& system, const managed_setup& options,
         const dispatcher& to, const answers& by);

  /// The dispatcher is made. Allows leases unless something has to see each
  /// task on its own; `gathers`: messages make several tasks each.
  void begin(bool gathers);

  /// Whether `pack` is to be called with a message before it waits for
  /// anything. From any thread.
  bool packs_early() const noexcept {
    return packs_early_;
  }

  /// Makes bytes of the message, which is to go to another node, in the thread
  /// of whoever sends it. No message for the pool itself, nor an outer pool's.
  void pack(caf::mailbox_element_ptr& element) const;

  /// Whether tasks have more than a message.
  bool needs_extras() const noexcept {
    return needs_extras_;
  }

  /// The messages of which no task was made yet.
  waiting_messages& waiting() noexcept {
    return waiting_;
  }

  const waiting_messages& waiting() const noexcept {
    return waiting_;
  }

  /// Whether there is a line of them for each flow, for which one task stands.
  bool goes_by_lines() const noexcept {
    return leases_.are_on() && dispatcher_.has_flows();
  }

  /// The flow of the message; none if the user's function throws.
  std::optional<flow_key> flow_of(caf::mailbox_element& element) const;

  /// Whether the message goes before others, as its client has sent it.
  static bool is_urgent(caf::mailbox_element& element) noexcept;

  /// Whether an outer pool tracks the message, and `pool` may let it wait
  /// behind others as it is: it is not urgent, and has not passed that pool
  /// before.
  static bool is_outer_work(caf::mailbox_element& element,
                            const element_owner& pool) noexcept;

  /// Those of them that go to workers together with a task.
  libpool::leases& leases() noexcept {
    return leases_;
  }

  const libpool::leases& leases() const noexcept {
    return leases_;
  }

  /// Makes `task`, which is new, one that stands for the line.
  static void make_head(managed_task& task, waiting_line& of);

  /// Makes it one for the first message of a flow that waits.
  void make_first(managed_task& task, caf::mailbox_element_ptr element,
                  flow_key flow) const;

  /// Makes `task`, which is new, one for the message. Returns the message if an
  /// outer pool tracks it.
  tracked_element* load(managed_task& task,
                        caf::mailbox_element_ptr element) const;

  /// Gets a task ready that came then: asks the user about it, and has its
  /// reply intercepted if the pool may have to step in. Returns why the task is
  /// to be refused, if it is.
  errc prepare(managed_task& task, instant came);

  /// Returns the types of a message in words. Stays where it is.
  const std::string& types_of(const message_content& content) {
    return kind_names_.name_of(content);
  }

  /// The nodes, and which tasks may run on which.
  node_book& nodes() noexcept {
    return nodes_;
  }

  /// The restriction to these workers, in the place of the task's, which waits.
  restriction& only_on(managed_task& task, std::vector<worker_number> workers);

  /// Takes back the restriction of the task, which waits, if it has one.
  void let_go_of_restriction(managed_task& task);

  /// The task is over: takes back what it was given here.
  void forget(managed_task& task) {
    if (asks_places_ || packer_)
      forget_places(task);
    task.is_packed = false;
    if (dispatcher_.has_flows()) {
      task.flow = flow_key{};
      task.width = 1;
    }
  }

private:
  bool looks_at_contents() const noexcept;
  bool classify(managed_task& task);
  void ask_user(managed_task& task, const message_content& content) const;
  void ask_places(managed_task& task, const message_content& content);
  void ask_nodes(managed_task& task, const message_content& content);
  void forget_places(managed_task& task);
  void intercept(managed_task& task) const;

  const managed_setup& options_;
  const dispatcher& dispatcher_; // only asked for its needs
  const answers& answers_;
  const bool retries_;
  const bool intercepts_; // the replies to requests
  const bool needs_extras_;
  const bool asks_places_; // where tasks are to run
  kind_names kind_names_;
  shared_restrictions restrictions_;
  node_book nodes_;
  std::optional<packer> packer_; // where tasks go to other nodes
  bool packs_early_ = false;
  waiting_messages waiting_;
  libpool::leases leases_{waiting_};
};

inline tracked_element* intake::load(managed_task& task,
                                     caf::mailbox_element_ptr element) const {
  auto* outer = tracked_element::from(*element);
  task.has_extras = needs_extras_ || outer != nullptr;
  if (outer != nullptr)
    task.from_outer = outer->announced();
  auto* passage = task.from_outer.get();
  auto id = passage != nullptr ? passage->way.id : element->mid;
  task.urgent = id.is_urgent_message();
  task.is_request = id.is_request();
  if (answers_.tells_settled()) {
    if (task.is_request)
      task.asker = passage != nullptr ? passage->way.sender : element->sender;
    task.asked = id;
  }
  task.element = std::move(element);
  return outer;
}

/// Keeps the content of the task's message, so that it can be sent again. The
/// message loses it. Returns false if it throws, which `crash` tells.
bool keep_content(managed_task& task);

} // namespace libpool
