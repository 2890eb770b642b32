#pragma once

#include "libpool/actors/caf/port/types.hpp"
#include "libpool/actors/gather/collectors.hpp"
#include "libpool/actors/gathering.hpp"
#include "libpool/actors/managed/endings.hpp"
#include "libpool/actors/managed/hedging.hpp"
#include "libpool/actors/managed/intake.hpp"
#include "libpool/actors/managed/managed_task.hpp"
#include "libpool/actors/managed/pool_clock.hpp"
#include "libpool/actors/managed/recycler.hpp"
#include "libpool/actors/managed/roster.hpp"
#include "libpool/core/dispatcher.hpp"
#include "libpool/core/gather_plan.hpp"
#include "libpool/core/instant.hpp"

#include <caf/actor_addr.hpp>
#include <caf/fwd.hpp>
#include <caf/message.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

namespace libpool {

/// Messages of a managed pool that are handled by several tasks each, as the
/// plan says.
///
/// The part of the pool runs in the pool's turn. The answers are joined by a
/// collector, in the threads that bring them.
///
/// Cost:    O(workers) for each message to choose workers; O(log n) where the
///          plan has patience with n messages.
/// Threads: the pool's, except for `decided` and `wanted`.
class gathers final : public gather_owner {
public:
  using command = std::function<void(execution_context*)>;

  /// The parts of the pool that gathers use.
  struct surroundings {
    recycler& tasks;
    const roster& workers;
    const endings& end;
    libpool::intake& intake;
    libpool::dispatcher& dispatcher;
    pool_clock& clock;
    caf::actor_system& system;
    /// Calls a command in the order of facts. Can be called from any thread.
    std::function<void(command, execution_context*)> tell;
    /// Whether tasks must remember their client.
    bool tells_settled;
  };

  /// `how` is nullptr if each message makes one task. `self` is the pool.
  gathers(const gathering* how, caf::actor_addr self, surroundings around);

  gathers(const gathers&) = delete;
  gathers& operator=(const gathers&) = delete;
  ~gathers();

  /// Whether messages are handled by several tasks.
  bool are_on() const noexcept {
    return plan_ != nullptr;
  }

  /// Makes tasks of the message of `task`, and recycles `task`. If the
  /// message has many parts, only the first tasks are made; `make_more` makes
  /// the others.
  void scatter(managed_task& task, instant came);

  /// Whether tasks are to be made of further parts.
  bool has_more() const noexcept {
    return !unmade_.empty();
  }

  /// Makes tasks of further parts of a message, at most `most`. Messages take
  /// turns.
  void make_more(std::size_t most);

  // -- facts about tasks, all but `came_back` of messages that are gathered ---

  /// Notes that the task was given to a worker.
  void was_sent(managed_task& task) {
    if (hedging_.has_patience())
      was_sent_with_patience(task);
  }

  /// Notes that the worker `from` no longer has the task.
  void came_back(managed_task& task, managed_worker& from) {
    if (task.asked_of != nullptr)
      came_back_from_one(task);
    else if (hedging_.has_patience())
      came_back_from_any(task, from);
  }

  /// Notes the end of a task, and ends its message after the last one.
  void left(managed_task& task);

  /// Withdraws the parts that the worker has not begun: another worker is
  /// asked, or the part is cancelled.
  void give_up_on(managed_worker& worker);

  /// Cancels the messages for which `is_meant` returns true: no further worker
  /// is asked to handle them. Returns the number of messages that were not
  /// cancelled before. Looks only at messages that may ask further workers.
  ///
  /// Cost: O(messages that are gathered).
  template <class F>
  std::size_t cancel(F is_meant) {
    std::size_t result = 0;
    for (const auto& each : all_)
      if (each->is_awaited && !each->is_cancelled && is_meant(*each)) {
        each->is_cancelled = true;
        ++result;
      }
    return result;
  }

  void time_passed(instant now, execution_context* host);

  // -- facts that collectors tell ---------------------------------------------

  void decided(gather& message, caf::strong_actor_ptr collector,
               execution_context* host) override;
  void wanted(gather& message, caf::strong_actor_ptr collector,
              std::size_t more, execution_context* host) override;

  // -- questions --------------------------------------------------------------

  /// Whether a second worker may be asked after some time.
  bool has_patience() const noexcept {
    return hedging_.has_patience();
  }

  /// Time at which `time_passed` must be called; `never` if none.
  instant next_tick() const noexcept {
    return hedging_.next();
  }

  /// Number of messages that came.
  std::uint64_t messages() const noexcept {
    return hedging_.messages();
  }

  /// Number of messages for which a second worker was asked after the patience.
  std::uint64_t hedged() const noexcept {
    return hedging_.hedged();
  }

private:
  using host_ptr = execution_context*;

  // Start of a message.
  void ask_for_parts(managed_task& task, std::unique_ptr<joiner> join,
                     instant came);
  message_parts split(caf::message& content) const;
  void note_too_many(std::size_t parts, managed_task& task) const;
  void make_tasks(gather& message, std::size_t most);
  void forget_rest(gather& message);
  void ask_everybody(managed_task& task, std::unique_ptr<joiner> join,
                     instant came);
  void ask_some(managed_task& task, std::unique_ptr<joiner> join, instant came);
  gather& begin(managed_task& task, std::unique_ptr<joiner> join,
                std::size_t parts, instant came);
  void turn_away(managed_task& task, errc why, instant came);
  void recycle(managed_task& task);
  void ask(gather& message, std::size_t part, caf::message content,
           managed_worker* worker);
  bool asks_any_worker() const noexcept;

  // Choice of the workers.
  std::vector<managed_worker*> least_used() const;
  std::size_t number_to_ask(const std::vector<managed_worker*>& workers) const;
  managed_worker* unasked(const gather& message,
                          const restriction* where = nullptr) const;

  // A further worker for a message.
  void was_sent_with_patience(managed_task& task);
  void hedge(gather& message, host_ptr host);
  void ask_more(gather& message, caf::strong_actor_ptr collector,
                std::size_t more, host_ptr host);

  // End of a message.
  void cancel_rest(gather& message);
  void came_back_from_one(managed_task& task);
  void came_back_from_any(managed_task& task, managed_worker& from);
  void ask_elsewhere(managed_task& task, managed_worker& from);
  void give_to(managed_task& task, managed_worker& worker);
  bool may_wait_for_any(const managed_task& task,
                        const managed_worker& from) const;
  void orphaned(managed_task& task);
  void drop(managed_task& task);
  gather& new_gather();
  void end(gather& message);

  const surroundings around_;
  const std::unique_ptr<gathering> how_;
  const std::shared_ptr<gather_plan> plan_;
  const libpool::scatter asks_;
  const std::shared_ptr<collectors> collectors_;
  std::vector<std::unique_ptr<gather>> all_;
  std::deque<gather*> unmade_; // messages with parts without tasks
  std::vector<gather*> free_;  // collectors may still refer to these
  hedging hedging_;
};

} // namespace libpool
