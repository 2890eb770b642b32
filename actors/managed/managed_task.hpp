#pragma once

#include "libpool/actors/caf/port/tracked_element.hpp"
#include "libpool/actors/managed/reply_interceptor.hpp"
#include "libpool/core/instant.hpp"
#include "libpool/core/task.hpp"
#include "libpool/core/worker_number.hpp"

#include <caf/actor.hpp>
#include <caf/mailbox_element.hpp>
#include <caf/message.hpp>

#include <boost/intrusive/list.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace libpool {

struct gather;
struct managed_worker;
struct waiting_line;

/// A task of a managed pool, with its message and its client.
struct managed_task : task {
  /// The client's message, while it is not in a mailbox.
  caf::mailbox_element_ptr element;
  /// The element that carries the message, while that is in a mailbox.
  tracked_element* carrier = nullptr;
  bool is_request = false;
  /// Whether the message has waited, and so counts as accepted, before the task
  /// was made of it.
  bool has_waited = false;
  /// Whether it is cancelled since no worker can do it: as if it were refused.
  bool is_turned_away = false;
  /// The line that it stands for, whose first message it gets when it goes.
  waiting_line* head_of = nullptr;
  /// Whether it has got that, and is next of its line: others may go with it.
  bool leads = false;
  /// Whether any of the following members is set.
  bool has_extras = false;
  /// The interceptor that the answer passes, if the pool may have to step in.
  std::shared_ptr<reply_interceptor> interceptor;
  /// The content, if the message may have to be sent again.
  caf::message content;
  /// Whether bytes stand for the content.
  bool is_packed = false;
  /// Whether the handler has returned, and only the answer is missing.
  bool awaits_answer = false;
  /// The sender and the id of the message, where the pool has to remember them.
  caf::strong_actor_ptr client;
  caf::message_id id;
  /// The sender and the id as they came, and the last worker, for `on_settled`.
  caf::strong_actor_ptr asker;
  caf::message_id asked;
  caf::actor worker;
  std::optional<worker_number> last_worker;
  std::string node;
  /// The kind of the message, for people.
  std::string kind_name;
  /// The types of the message that a worker has, while the pool is recorded;
  /// nullptr if they are not known.
  const std::string* type_names = nullptr;
  /// What `trace_of` has said.
  std::string trace_id;
  /// Why the task has crashed its last worker, or is refused, in words.
  std::string crash;
  /// Whether the worker has answered with an error, as far as the pool can see.
  bool answered_with_error = false;

  // Where the client or the worker is another pool:

  /// The facts that the outer pool has told of the message, and its element,
  /// once that has begun: destroyed when this task is over.
  std::shared_ptr<passage> from_outer;
  caf::mailbox_element_ptr outer;
  /// The actor that the worker answers, in place of the sender named there.
  caf::strong_actor_ptr stand_in;
  /// The facts that the inner pool, which is the worker, was told of the
  /// message.
  std::shared_ptr<passage> to_inner;

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
  /// The collector that waits for their answers.
  caf::strong_actor_ptr collector;
  caf::strong_actor_ptr client;
  caf::message_id id;
  std::shared_ptr<const tracked_element::lineage> before;
  managed_task_list<&managed_task::gather_hook> tasks;
  instant came;
  /// How many tasks were asked for so far, without tasks in place of another.
  std::size_t parts = 0;
  /// Whether the collector may want more, and tells when it does not.
  bool is_awaited = false;
  // Where some workers are asked:
  caf::message content;
  /// Workers that have a task of the message, or have begun one.
  std::vector<worker_number> asked;
  /// Whether a second worker was asked because patience had ended.
  bool is_hedged = false;
  /// When the first worker got its task.
  instant sent = never;
  /// When another one is to be asked.
  instant hedge_at = never;
};

} // namespace libpool
