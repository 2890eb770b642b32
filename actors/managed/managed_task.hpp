#pragma once

#include "libpool/actors/caf/tracked_element.hpp"
#include "libpool/actors/managed/detour.hpp"
#include "libpool/core/errc.hpp"
#include "libpool/core/instant.hpp"
#include "libpool/core/task.hpp"
#include "libpool/core/worker_number.hpp"

#include <caf/actor.hpp>
#include <caf/mailbox_element.hpp>
#include <caf/message.hpp>

#include <boost/intrusive/list.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace libpool {

struct gather;
struct managed_worker;

/// A task of a managed pool, and what belongs to it.
struct managed_task : task {
  /// The client's message, while it is not in a mailbox.
  caf::mailbox_element_ptr what;
  /// What carries it, while it is in a mailbox.
  tracked_element* carrier = nullptr;
  bool is_request = false;
  /// Whether any of the following is set.
  bool has_extras = false;
  /// The way of the answer, if the pool may have to step in.
  std::shared_ptr<detour> way;
  /// The content, if it may have to be sent again.
  caf::message content;
  /// Whether the handler has returned, and only the answer is missing.
  bool awaits_answer = false;
  /// Who has sent it, where that has to be remembered.
  caf::strong_actor_ptr client;
  caf::message_id id;
  /// The same as it came, and the last worker, where somebody wants to know.
  caf::strong_actor_ptr asker;
  caf::message_id asked;
  caf::actor worker;
  /// What is known of the last crash, or of why it is refused.
  std::string crash;
  /// Whether it was answered with an error, as far as the pool can see.
  bool answered_with_error = false;

  // Where the client or the worker is another pool:

  /// What that pool has told of the message, and its element, once that has
  /// begun: destroyed when this task is over.
  std::shared_ptr<passage> from_outer;
  caf::mailbox_element_ptr outer;
  /// To whom the worker answers, in place of who is named in that.
  caf::strong_actor_ptr stand_in;
  /// What the pool that is the worker was told of the message.
  std::shared_ptr<passage> to_inner;
  /// Why it cannot be sent.
  errc lost{};

  // Where messages are handled by several tasks:

  /// Of the tasks for one message, and which of them it is.
  struct gather* gather = nullptr;
  std::size_t part = 0;
  /// The one that alone may run it, if it was asked for.
  managed_worker* asked_of = nullptr;
  bool is_for_one = false;
  boost::intrusive::list_member_hook<> gather_hook;
  boost::intrusive::list_member_hook<> asked_hook;
};

template <auto Hook>
using managed_task_list = boost::intrusive::list<
  managed_task, boost::intrusive::member_hook<
                  managed_task, boost::intrusive::list_member_hook<>, Hook>>;

/// A message that is handled by several tasks, as long as there are any.
struct gather {
  /// Who waits for their answers.
  caf::strong_actor_ptr collector;
  caf::strong_actor_ptr client;
  caf::message_id id;
  std::shared_ptr<const tracked_element::lineage> before;
  managed_task_list<&managed_task::gather_hook> tasks;
  instant came;
  /// How many tasks were asked for so far, without those in place of another.
  std::size_t parts = 0;
  /// Whether the collector may want more, and tells when it does not.
  bool is_awaited = false;
  // Where some workers are asked:
  caf::message content;
  std::vector<worker_number> asked;
  /// When the first worker got its task.
  instant sent = never;
  /// When another one is to be asked.
  instant hedge_at = never;
};

} // namespace libpool
