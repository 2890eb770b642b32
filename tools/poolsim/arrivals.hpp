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
  /// Of the submission that is planned, if any; a plan with another is void.
  std::uint64_t plan = 0;
};

/// One submission: a task, or one call of a caller.
struct arrival {
  const poolsim::work* work = nullptr;
  caller* from = nullptr;
  /// Which of the caller's calls it is, from 1.
  std::size_t call = 0;
  /// How long it takes at speed 1, where that is drawn.
  duration service{0};
  /// The bits of which more is drawn, where times are drawn.
  std::uint64_t draw = 0;
  /// Of the content and of the result, where they travel.
  std::size_t bytes = 0;
  std::size_t result_bytes = 0;
};

/// The arrival of another task of a message, of which the first has number 0:
/// each has a time of its own, where that is drawn.
arrival of_task(const arrival& message, std::size_t number);

/// The times of submissions. Nothing is laid out beforehand: a group or a
/// caller costs the same, however many tasks it stands for.
///
/// Order: of several at one instant, the entries of `tasks` as written, then
///        the clients as written and their threads.
/// Cost:  O(log groups), or O(log callers), per submission.
class arrivals {
public:
  explicit arrivals(const scenario& scenario);

  /// When the next one comes, if any is planned.
  std::optional<duration> next();

  /// The next one that is due.
  std::optional<arrival> take(duration now);

  // -- facts about calls ------------------------------------------------------

  /// Runs, and is going to end then.
  void started(const arrival& call, duration now, duration ends);

  /// Does not run any more, and has not ended.
  void interrupted(const arrival& call);

  /// Its caller has an answer, whatever it is.
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
  void plan(caller& caller, duration at);
  void drop_void_plans();
  arrival take_task();
  duration gap_after(std::size_t group, std::size_t number) const;
  arrival take_call();
  void choose_sizes(arrival& of, std::size_t entry, std::size_t thread,
                    std::size_t n) const;

  const scenario& scenario_;
  earliest_first<group_turn> groups_;
  std::vector<caller> callers_;
  earliest_first<caller_turn> calls_;
};

} // namespace poolsim
