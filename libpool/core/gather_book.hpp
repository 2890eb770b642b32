#pragma once

#include "libpool/core/errc.hpp"
#include "libpool/core/gather.hpp"
#include "libpool/core/gather_plan.hpp"
#include "libpool/core/instant.hpp"
#include "libpool/core/restriction.hpp"
#include "libpool/core/task.hpp"
#include "libpool/export.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace libpool {

/// Decision of a `gather_book` about a task of a gathered message. The owner of
/// the book carries the decision out before it tells the book the next fact.
struct gather_decision {
  /// What to do. `ask`: make one more task for `worker`. `replace`: cancel the
  /// task without a result, and make another one with the same number for
  /// `worker`. `remove`: cancel the task without a failure, because its only
  /// worker, `worker`, was removed from the pool. `move`: let only `worker` run
  /// the task. `cancel`: cancel the task, which has failed.
  enum class kind : std::uint8_t { ask, replace, remove, move, cancel };

  /// What to do.
  kind is = kind::ask;
  /// Message that the task belongs to.
  gather& message;
  /// The task; nullptr if `is` is `ask`.
  gather_part* task = nullptr;
  /// Number of the task among the tasks of the message.
  std::size_t number = 0;
  /// Worker of the decision; nullptr: any worker, or none.
  gather_worker* worker = nullptr;
  /// Reason why the task is cancelled; `errc{}` if it is not.
  errc why{};
};

/// Rules of a pool for gathered messages, that is, messages that several tasks
/// handle: which workers are asked, when a second worker is asked because the
/// first one takes long (hedging), and what becomes of a task whose worker has
/// left. Unless a message is divided into parts, no worker begins two of its
/// tasks.
///
/// The book asks the workers with the fewest tasks, of equals the worker that
/// was chosen longest ago. A paused worker is asked only when a message begins,
/// and only if other workers are too few.
///
/// Cost:    O(workers) to choose one worker; O(workers log workers) to choose
///          several; O(log messages) for each message that may be hedged.
/// Threads: one at a time.
class LIBPOOL_EXPORT gather_book {
public:
  /// Workers of the pool; nullptr stands for any worker.
  using worker_list = std::vector<gather_worker*>;

  /// Makes a book without messages. `plan`: choice of the workers; nullptr if
  /// messages are not gathered. `serving`: returns the workers that can get
  /// tasks, in the order in which they joined.
  gather_book(std::shared_ptr<gather_plan> plan,
              std::function<worker_list()> serving);

  /// Choice of the workers, as the plan makes it.
  const scatter& asks() const noexcept {
    return asks_;
  }

  /// Whether a second worker may be asked if the first one takes long.
  bool has_patience() const noexcept {
    return has_patience_;
  }

  /// Sets `workers` to the workers that a new message asks, one for each task.
  /// Returns the reason why the message is refused; `errc{}` if it is not.
  /// @pre the message is not divided into parts
  errc choose(worker_list& workers) const;

  // -- facts about messages ---------------------------------------------------

  /// Records that a message begins with that many tasks, which the owner makes.
  /// @pre the message has no tasks
  void began(gather& message, std::size_t tasks);

  /// Records that the client needs no further result. The owner cancels the
  /// tasks that have not begun if `asks().stops_rest`.
  void decided(gather& message);

  /// Returns the decision to ask one more worker to handle the message, as its
  /// votes request; none if no worker can be asked.
  std::optional<gather_decision> ask_another(gather& message);

  // -- facts about tasks ------------------------------------------------------

  /// Records that a task was made for a message, and lets only `worker` run it
  /// unless that is nullptr. Called before the task is submitted.
  static void made(gather& message, task& self, gather_part& part,
                   std::size_t number, gather_worker* worker);

  /// Records that the task was sent to a worker. The patience begins with the
  /// first task.
  void sent(gather_part& part, instant now);

  /// Records that the worker has the task no longer. Returns what to do
  /// with the task; none: nothing. If the task is the only one of its message,
  /// the patience begins again with the next worker.
  std::optional<gather_decision> came_back(gather_part& part,
                                           gather_worker& worker);

  /// Returns what to do with one of the tasks that a worker has left behind,
  /// and that only this worker may run; none if the worker has no such
  /// task. Called again until the result is none.
  /// @pre the worker does not serve
  std::optional<gather_decision> take_left_behind(gather_worker& worker);

  /// Records the end of the task, which the message forgets.
  void released(gather_part& part, instant now);

  // -- hedging ----------------------------------------------------------------

  /// Returns the decision to ask a second worker to handle a message whose
  /// patience has ended; none if no such message is left for which a worker can
  /// be asked. Called again until the result is none.
  std::optional<gather_decision> time_passed(instant now);

  /// Time at which the next patience ends; `never` if none.
  instant next_tick() const noexcept {
    return due_.empty() ? never : due_.begin()->first;
  }

  /// Number of messages that have begun.
  std::uint64_t messages() const noexcept {
    return messages_;
  }

  /// Number of messages for which a second worker was asked because the
  /// patience had ended.
  std::uint64_t hedged() const noexcept {
    return hedged_;
  }

private:
  using decision = std::optional<gather_decision>;

  gather_worker* unasked(const gather& message, const restriction* where) const;
  decision ask(gather& message, const restriction* where) const;
  void forget_patience(gather& message);
  decision hedge(gather& message);
  decision orphaned(gather_part& part);
  decision ask_elsewhere(gather_part& part, gather_worker& worker);
  bool may_wait_for_any(const gather_part& part,
                        const gather_worker& worker) const;

  const std::shared_ptr<gather_plan> plan_;
  const std::function<worker_list()> serving_;
  const scatter asks_;
  /// Whether a message has a single task that any worker may run.
  const bool asks_any_worker_;
  const bool has_patience_;
  std::multimap<instant, gather*> due_; // by the end of the patience
  std::uint64_t messages_ = 0;
  std::uint64_t hedged_ = 0;
};

} // namespace libpool
