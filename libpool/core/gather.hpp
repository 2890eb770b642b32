#pragma once

#include "libpool/core/instant.hpp"
#include "libpool/core/restriction.hpp"
#include "libpool/core/task.hpp"
#include "libpool/core/worker.hpp"
#include "libpool/core/worker_number.hpp"

#include <boost/intrusive/list.hpp>

#include <cstddef>
#include <map>
#include <optional>
#include <vector>

namespace libpool {

struct gather;
struct gather_worker;

/// Part of a task that connects it with its gathered message. The members are
/// kept by the `gather_book`.
struct gather_part {
  /// The task; nullptr if `gather` is nullptr.
  task* self = nullptr;
  /// Message that the task belongs to; nullptr: none.
  struct gather* gather = nullptr;
  /// Number of the task among the tasks of the message, from 0. A task that
  /// replaces another task has the number of that task.
  std::size_t part = 0;
  /// Only worker that may run the task; nullptr: any worker may run the task,
  /// or the worker has left.
  gather_worker* asked_of = nullptr;
  /// Whether only one worker may run the task, even if that worker has left.
  bool is_for_one = false;
  /// Links of the task in the list of the tasks of the message.
  boost::intrusive::list_member_hook<> gather_hook;
  /// Links of the task in the list of the tasks that only one worker may run.
  boost::intrusive::list_member_hook<> asked_hook;
};

/// List of tasks of gathered messages.
template <auto Hook>
using gather_part_list = boost::intrusive::list<
  gather_part, boost::intrusive::member_hook<
                 gather_part, boost::intrusive::list_member_hook<>, Hook>>;

/// A worker of a pool whose messages may be handled by several tasks each.
struct gather_worker : worker {
  /// Restriction to this worker. Set before the worker joins.
  restriction alone;
  /// Whether a user has removed the worker from the pool, or the worker has
  /// left in good order. Set before the tasks of the worker come back.
  bool is_taken_out = false;
  /// Tasks that only this worker may run, kept by the `gather_book`.
  gather_part_list<&gather_part::asked_hook> asked;
};

/// A gathered message, that is, a message that several tasks handle, as its
/// `gather_book` sees it. The creator must keep the message until `has_ended`
/// returns true.
struct gather {
  /// Tasks of the message that were made and not released.
  gather_part_list<&gather_part::gather_hook> open;
  /// Number of tasks that were asked for, without replacements.
  std::size_t parts = 0;
  /// Number of these tasks that were not made yet. Set by the creator; default:
  /// 0.
  std::size_t unmade = 0;
  /// Workers that have a task of the message, or have begun one. Workers are
  /// missing if any worker may run the only task, and the book has no patience.
  std::vector<worker_number> asked;
  /// Whether the message ends only after `gather_book::decided` was called,
  /// because further workers may be asked until then.
  bool is_awaited = false;
  /// Whether the client needs no further result.
  bool is_decided = false;
  /// Whether a user has cancelled the message, so that no further worker is
  /// asked. Set by the creator.
  bool is_cancelled = false;
  /// Whether a second worker was asked because the patience had ended.
  bool is_hedged = false;
  /// Time at which the first worker got its task; `never`: not known.
  instant sent = never;
  /// Place among the messages for which a second worker is asked later; none:
  /// no second worker is asked.
  std::optional<std::multimap<instant, gather*>::iterator> due;

  /// Whether the message has tasks that were not released, or not made yet.
  bool has_tasks() const noexcept {
    return !open.empty() || unmade > 0;
  }

  /// Whether the message has no tasks and gets none.
  bool has_ended() const noexcept {
    return !has_tasks() && !is_awaited;
  }
};

} // namespace libpool
