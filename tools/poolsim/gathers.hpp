#pragma once

#include "arrivals.hpp"
#include "job.hpp"
#include "result.hpp"
#include "scenario.hpp"

#include "libpool/core/dispatcher.hpp"
#include "libpool/core/gather_book.hpp"
#include "libpool/core/gather_plan.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

namespace poolsim {

/// A message that is handled by several tasks, until the last of them has
/// ended.
struct gathered_message : libpool::gather {
  std::size_t id = 0;
  arrival from;
  duration came{0};
  std::unique_ptr<libpool::gather_votes> votes;
  /// Time at which the votes must be told the time.
  duration tick = duration::max();
  bool found_nobody = false;
};

/// Messages that the plan of a scenario gathers, as in a managed pool. A
/// `gather_book` chooses the workers, and decides when further workers are
/// asked. This class counts the outcomes of tasks, and cancels tasks that are
/// not needed.
///
/// Cost: that of the `gather_book`; O(log messages) for each message that is
///       due.
class gathers {
public:
  /// Submits a task for a worker, or for any worker if that is nullptr. Returns
  /// the number of the task's row.
  using task_maker = std::function<std::size_t(
    gathered_message&, std::size_t number, libpool::gather_worker*)>;

  /// `serving`: workers of the pool, in the order in which they joined. `pool`
  /// need not exist before the first fact.
  gathers(const scenario& scenario, arrivals& arrivals,
          libpool::dispatcher& pool, const std::vector<server*>& serving,
          task_maker make_task);

  /// Whether messages are handled by several tasks.
  bool are_on() const noexcept {
    return plan_ != nullptr;
  }

  // -- facts ------------------------------------------------------------------

  void came(const arrival& message, duration now);

  // Facts about tasks of messages:

  void sent(job& task, duration now);
  void came_back(job& task, server& server, duration now);
  void settled(job& task, libpool::outcome outcome, duration now);
  void released(job& task, duration now);

  /// Records that the worker has left. Other workers are asked in its place.
  void left(server& server, duration now);

  void time_passed(duration now);

  // -- questions --------------------------------------------------------------

  /// Returns the time at which `time_passed` must be called; `duration::max()`
  /// if there is none.
  duration next_tick() const {
    auto tick = book_.next_tick().time_since_epoch();
    return due_.empty() ? tick : std::min(tick, due_.begin()->first);
  }

  /// Returns the rows of the messages, with the flows of the scenario.
  message_books close();

private:
  libpool::errc choose(libpool::gather_book::worker_list& workers) const;
  gathered_message& open(const arrival& message, std::size_t tasks,
                         duration now);
  void ask(gathered_message& message, std::size_t number,
           libpool::gather_worker* worker);
  void carry_out(const libpool::gather_decision& decision, duration now);
  void decide(gathered_message& message, duration now);
  void ask_more(gathered_message& message, std::size_t more, duration now);
  void settle(gathered_message& message, message_fate is, libpool::errc why,
              duration now);
  message_row& new_row(const arrival& message, duration now);
  void schedule(gathered_message& message);
  void forget_if_ended(gathered_message& message);
  libpool::instant time(duration now) const;

  arrivals& arrivals_;
  libpool::dispatcher& pool_;
  const task_maker make_task_;
  const std::shared_ptr<libpool::gather_plan> plan_;
  libpool::gather_book book_;
  const std::size_t parts_;
  /// Messages that are not answered or have open tasks, by `id`.
  std::map<std::size_t, gathered_message> messages_;
  std::set<std::pair<duration, gathered_message*>> due_; // votes
  message_books books_;
};

} // namespace poolsim
