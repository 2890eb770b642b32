#pragma once

#include "scenario.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <queue>
#include <tuple>
#include <vector>

namespace poolsim {

/// A thread of a client.
struct caller {
  const poolsim::client* of = nullptr;
  std::size_t client = 0;
  std::size_t thread = 0;
  std::size_t submitted = 0;
  /// Number of the planned submission, if any. Plans with other numbers are
  /// void.
  std::uint64_t plan = 0;
};

/// A submission: a task, or a call of a caller.
struct arrival {
  const poolsim::work* work = nullptr;
  caller* from = nullptr;
  /// Number of the call among the caller's calls, from 1.
  std::size_t call = 0;
  /// Service time at speed 1, if service times are drawn.
  duration service{0};
  /// Random bits for further draws, if times are drawn.
  std::uint64_t draw = 0;
  /// Sizes of the content and of the result, if they are sent to nodes.
  std::size_t bytes = 0;
  std::size_t result_bytes = 0;
  /// Time from the submission to the deadline; unset: no deadline.
  std::optional<duration> deadline;
  /// Random bits for the answers, if tasks may be answered with errors.
  std::uint64_t answers = 0;
};

/// Returns the index of the error with which the attempt number `attempt`,
/// counted from 1, is answered; unset: no error. The answer does not depend on
/// the policy, the worker and the time.
std::optional<std::size_t> error_of(const arrival& task, unsigned attempt);

/// Returns the arrival of the task `number` of a message, from 0. Each task has
/// its own service time, if service times are drawn, and its own answers.
arrival of_task(const arrival& message, std::size_t number);

/// Sequence of submissions. Submissions are not stored in advance, so a group
/// or a caller takes the same memory for any number of tasks.
///
/// Order: submissions at the same instant come in the order of the entries of
///        `tasks`, then in the order of clients and their threads.
/// Cost:  O(log groups), or O(log callers), for each submission.
class arrivals {
public:
  explicit arrivals(const scenario& scenario);

  /// Returns the time of the next submission; unset if none is planned.
  std::optional<duration> next();

  /// Removes and returns the next submission that is due; unset if none is.
  std::optional<arrival> take(duration now);

  // -- facts about calls ------------------------------------------------------

  /// Records that the call runs, and that its run ends at `ends`.
  void started(const arrival& call, duration now, duration ends);

  /// Records that the call does not run any more, and has not ended.
  void interrupted(const arrival& call);

  /// Records that the caller has an answer, which may be an error.
  void answered(const arrival& call, duration now);

private:
  struct group_turn {
    duration at;
    std::size_t group;
    std::size_t left;

    bool operator>(const group_turn& other) const {
      return std::tie(at, group) > std::tie(other.at, other.group);
    }
  };

  struct caller_turn {
    duration at;
    std::size_t caller;
    std::uint64_t plan;

    bool operator>(const caller_turn& other) const {
      return std::tie(at, caller) > std::tie(other.at, other.caller);
    }
  };

  template <class T>
  using earliest_first = std::priority_queue<T, std::vector<T>, std::greater<>>;

  void add_callers(std::size_t client);
  void plan(caller& caller, duration time);
  void drop_void_plans();
  arrival take_task();
  std::optional<duration> first_of(std::size_t group) const;
  std::optional<duration> time_after(std::size_t group, duration time,
                                     std::uint64_t draw,
                                     std::uint64_t number) const;
  arrival take_call();
  void draw_members(arrival& arrival, std::size_t entry, std::size_t thread,
                    std::size_t n) const;

  const scenario& scenario_;
  earliest_first<group_turn> groups_;
  std::vector<caller> callers_;
  earliest_first<caller_turn> calls_;
};

} // namespace poolsim
