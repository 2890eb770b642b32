#pragma once

#include "arrivals.hpp"
#include "job.hpp"
#include "result.hpp"
#include "scenario.hpp"

#include "libpool/core/decision.hpp"
#include "libpool/core/gather_plan.hpp"

#include <cstddef>
#include <list>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace poolsim {

/// Interface of the simulation for the tasks of gathered messages.
class task_maker {
public:
  /// Submits a task for the worker `server`, or for any worker if `server` is
  /// nullptr. Returns the number of the task's row.
  virtual std::size_t make_task(const arrival& from, gathered_message& of,
                                std::size_t number, server* server) = 0;

  /// Cancels a task that is not needed any more.
  virtual void cancel(job& task, libpool::errc why) = 0;

  /// Whether the pool could hold that many tasks at a time.
  virtual bool can_hold(std::size_t tasks) const = 0;

  /// Returns the serving workers, in the order in which they joined.
  virtual std::vector<server*> serving() = 0;

protected:
  task_maker() = default;
  task_maker(const task_maker&) = default;
  task_maker& operator=(const task_maker&) = default;
  ~task_maker() = default;
};

/// A message that is handled by several tasks, until the last of them has
/// ended.
struct gathered_message {
  std::list<gathered_message>::iterator self;
  std::size_t id = 0;
  arrival from;
  duration came{0};
  std::unique_ptr<libpool::gather_votes> votes;
  std::vector<job*> open; // tasks
  std::set<std::size_t> asked;
  std::size_t tasks = 0;
  /// Time at which the first worker got its task.
  std::optional<duration> sent;
  duration patience_ends = duration::max();
  /// Time at which `time_passed` must be called.
  duration due = duration::max();
  bool found_nobody = false;
  bool is_answered = false;
  /// Whether a user has cancelled the message, so that no other worker is
  /// asked.
  bool is_cancelled = false;
};

/// Messages that the plan of a scenario gathers, as in a managed pool. The
/// class asks the workers with the fewest tasks, counts the outcomes of tasks,
/// asks further workers if a worker has left or takes long, and cancels tasks
/// that are not needed.
///
/// Cost: O(workers log workers) for each message; O(log messages) for each
///       message that is due.
class gathers {
public:
  gathers(const scenario& of, arrivals& from, task_maker& maker);

  /// Whether messages are handled by several tasks.
  bool are_on() const noexcept {
    return plan_ != nullptr;
  }

  // -- facts ------------------------------------------------------------------

  void came(const arrival& message, duration now);

  // Facts about tasks of messages:

  void sent(job& task, duration now);
  void settled(job& task, libpool::outcome how, duration now);
  void released(job& task);

  /// Records that the worker has left, in good order or not. Other workers are
  /// asked in its place.
  void left(server& server, bool in_good_order);

  void time_passed(duration now);

  // -- questions --------------------------------------------------------------

  /// Returns the time at which `time_passed` must be called; `duration::max()`
  /// if there is none.
  duration next_tick() const {
    return due_.empty() ? duration::max() : due_.begin()->first;
  }

  /// Returns the rows of the messages, with the flows of the scenario.
  message_books close();

private:
  bool asks_any_worker() const;
  std::size_t how_many() const;
  gathered_message& open(const arrival& message, std::size_t tasks,
                         duration now);
  void ask(gathered_message& of, std::size_t number, server* server);
  server* unasked(const gathered_message& of) const;
  std::vector<server*> askable() const;
  std::vector<server*> fewest_tasks() const;
  void ask_another(gathered_message& of, server& server, duration now);
  void lose_patience(gathered_message& of, duration now);
  void replace(job& task, bool in_good_order);
  void decide(gathered_message& of, duration now);
  void ask_more(gathered_message& of, std::size_t more, duration now);
  void settle(gathered_message& of, message_fate is, libpool::errc why,
              duration now);
  void refuse(const arrival& message, libpool::errc why, duration now);
  void schedule(gathered_message& of);
  void forget_if_over(gathered_message& of);
  libpool::instant time(duration now) const;

  arrivals& arrivals_;
  task_maker& maker_;
  const std::unique_ptr<libpool::gather_plan> plan_;
  const libpool::scatter asks_;
  const std::size_t parts_;
  std::list<gathered_message> messages_; // not answered, or with open tasks
  std::set<std::pair<duration, gathered_message*>> due_;
  std::vector<std::unique_ptr<libpool::gather_votes>> spare_;
  message_books books_;
};

} // namespace poolsim
