#pragma once

#include "libpool/actors/caf/port/types.hpp"
#include "libpool/actors/gather/collectors.hpp"
#include "libpool/actors/gathering.hpp"
#include "libpool/actors/managed/endings.hpp"
#include "libpool/actors/managed/intake.hpp"
#include "libpool/actors/managed/managed_front.hpp"
#include "libpool/actors/managed/managed_task.hpp"
#include "libpool/actors/managed/pool_clock.hpp"
#include "libpool/actors/managed/recycler.hpp"
#include "libpool/actors/managed/roster.hpp"
#include "libpool/core/dispatcher.hpp"
#include "libpool/core/gather_book.hpp"
#include "libpool/core/gather_plan.hpp"
#include "libpool/core/instant.hpp"

#include <caf/fwd.hpp>
#include <caf/message.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

namespace libpool {

/// Messages of a managed pool that are handled by several tasks each. A
/// `gather_book` chooses the workers, and decides when further workers are
/// asked. This class makes and cancels the tasks in the turn of the pool. The
/// answers are joined by a collector, in the threads that bring them.
///
/// Cost:    that of the `gather_book`.
/// Threads: the pool's, except for `decided` and `wanted`.
class gathers final : public gather_owner {
public:
  /// The parts of the pool that gathers use.
  struct surroundings {
    managed_front& pool;
    recycler& tasks;
    const roster& workers;
    const endings& end;
    libpool::intake& intake;
    libpool::dispatcher& dispatcher;
    pool_clock& clock;
    /// Whether tasks must remember their client.
    bool tells_settled;
  };

  /// `options` is nullptr if each message makes one task.
  gathers(const gathering* options, const surroundings& around);

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
  void was_sent(part_task& task) {
    book_.sent(task, around_.clock.now());
  }

  /// Notes that the worker no longer has the task.
  void came_back(managed_task& task, managed_worker& worker) {
    if (!task.is_part || around_.end.has_ended())
      return; // the pool fails the task with all others
    if (auto decision = book_.came_back(static_cast<part_task&>(task), worker))
      carry_out(*decision);
  }

  /// Notes the end of a task, and ends its message after the last one.
  void left(part_task& task);

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

  /// Time at which `time_passed` must be called; `never` if none.
  instant next_tick() const noexcept {
    return asks_further() ? book_.next_tick() : never;
  }

  const gather_book& book() const noexcept {
    return book_;
  }

private:
  using host_ptr = execution_context*;

  // Start of a message.
  void ask_for_parts(managed_task& task, std::unique_ptr<joiner> join,
                     instant came);
  message_parts split(caf::message& content) const;
  errc reason_against(std::size_t parts, managed_task& task) const;
  void make_tasks(managed_gather& message, std::size_t most);
  void ask_workers(managed_task& task, std::unique_ptr<joiner> join,
                   instant came);
  managed_gather& begin(managed_task& task, std::unique_ptr<joiner> join,
                        std::size_t parts, instant came);
  void recycle(managed_task& task);
  void ask(managed_gather& message, std::size_t part, caf::message content,
           gather_worker* worker);

  // Further tasks of a message.
  bool asks_further() const noexcept;
  void carry_out(const gather_decision& decision, host_ptr host = nullptr);

  // End of a message.
  void cancel_rest(managed_gather& message);
  void drop(managed_task& task);
  managed_gather& new_gather();
  void end(managed_gather& message);

  const surroundings around_;
  const std::unique_ptr<gathering> how_;
  const std::shared_ptr<gather_plan> plan_;
  const std::shared_ptr<collectors> collectors_;
  gather_book book_;
  std::vector<std::unique_ptr<managed_gather>> all_;
  std::deque<managed_gather*> unmade_; // messages with parts without tasks
  std::vector<managed_gather*> free_;  // collectors may still refer to these
};

} // namespace libpool
