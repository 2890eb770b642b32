#pragma once

#include "libpool/core/errc.hpp"
#include "libpool/core/instant.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

namespace libpool {

/// The workers that a plan asks to handle a message.
struct scatter {
  /// `parts`: any workers, one task for each part of the message. `everybody`:
  /// each serving worker, one task each for the whole message. `some`: `asked`
  /// workers, one task each for the whole message.
  enum class target : std::uint8_t { parts, everybody, some };

  /// Which workers are asked.
  target to = target::some;
  /// Number of workers that are asked if `to` is `some`; all workers if there
  /// are fewer.
  std::size_t asked = 1;
  /// Minimum number of workers if `to` is `some`; with fewer workers, the
  /// message is refused.
  std::size_t needed = 1;
  /// Whether the votes may ask more workers later, see `verdict::ask`.
  bool asks_more = false;
  /// Whether tasks that have not begun are cancelled once the message is
  /// answered.
  bool stops_rest = true;
};

/// The result of the votes on a message.
struct verdict {
  /// The next step: `wait` for further results, `ask` another
  /// worker, `answer` with the results, or `fail`.
  enum class decision : std::uint8_t { wait, ask, answer, fail };

  /// Number of further workers to ask, or number of successes that were needed.
  std::size_t count = 0;
  /// Reason why the message fails.
  errc why{};
  /// Next step.
  decision is = decision::wait;

  /// Returns the verdict to wait for further results.
  static constexpr verdict wait() noexcept {
    return {};
  }

  /// Returns the verdict to ask `more` further workers that have not been asked
  /// yet.
  static constexpr verdict ask(std::size_t more) noexcept {
    return {more, {}, decision::ask};
  }

  /// Returns the verdict to answer with the joined results so far.
  static constexpr verdict answer() noexcept {
    return {0, {}, decision::answer};
  }

  /// Returns the verdict to answer with the error `why`.
  static constexpr verdict fail(errc why) noexcept {
    return {0, why, decision::fail};
  }

  /// Returns the verdict to answer with the errors so far, since `needed`
  /// successes were required.
  static constexpr verdict too_few(std::size_t needed) noexcept {
    return {needed, errc::too_few_answers, decision::fail};
  }
};

/// The votes on one message: count how its tasks have ended, and decide when
/// and how the message is answered. One object serves one message after the
/// other. Tasks are numbered from 0, in the order in which workers were asked
/// for them.
///
/// Time:    told only if the plan `is_timed`; otherwise all instants are equal.
/// Threads: one at a time, but not the thread of the plan; votes must not refer
///          to the state of the plan.
class gather_votes {
public:
  gather_votes() = default;
  gather_votes(const gather_votes&) = delete;
  gather_votes& operator=(const gather_votes&) = delete;
  virtual ~gather_votes() = default;

  // -- facts ------------------------------------------------------------------

  /// `tasks` tasks were made of a new message; may be 0. The previous message
  /// is forgotten.
  virtual void began(std::size_t tasks, instant now) noexcept = 0;

  /// One more worker was asked.
  virtual void asked_another(instant now) noexcept = 0;

  /// Fewer workers were asked than the votes wanted, and no more can be asked.
  virtual void found_nobody(instant) noexcept {
    // nop
  }

  /// The task succeeded.
  virtual void succeeded(std::size_t task, instant now) noexcept = 0;
  /// The task failed.
  virtual void failed(std::size_t task, instant now) noexcept = 0;

  /// The worker of the task was taken out of the pool before it began, so no
  /// result is to be expected. Told only if all serving workers were asked.
  /// Default: a failure.
  virtual void removed(std::size_t task, instant now) noexcept {
    failed(task, now);
  }

  /// The time of `next_tick` has come. May be told later, or without need.
  virtual void time_passed(instant) noexcept {
    // nop
  }

  // -- questions --------------------------------------------------------------

  /// Returns the verdict on the message. Called after each fact until the
  /// verdict is to answer or to fail; not called after `began` if there are
  /// tasks. Once all tasks have ended, the verdict must be to answer, to fail
  /// or to ask more workers; asking is not allowed after `found_nobody`. A
  /// verdict to answer without a success becomes a failure with the errors so
  /// far.
  virtual verdict decide() const noexcept = 0;

  /// Returns when `time_passed` has to be called; `never` if not at all.
  virtual instant next_tick() const noexcept {
    return never;
  }
};

/// How a pool has messages handled by several workers each. A plan serves one
/// pool and all of its messages; `gather_votes` serve one message at a time. A
/// plan stands above the dispatcher, which decides where and when the tasks
/// run.
///
/// Threads: one at a time; `make_votes` may be called at the same time as other
///          functions.
class gather_plan {
public:
  gather_plan() = default;
  gather_plan& operator=(const gather_plan&) = delete;
  virtual ~gather_plan() = default;

  /// Returns a plan with the same options and no history. Each pool has a plan
  /// of its own.
  virtual std::unique_ptr<gather_plan> clone() const = 0;

  /// Returns a new object that counts how the tasks of a message end, and
  /// decides when and how the message is answered.
  virtual std::unique_ptr<gather_votes> make_votes() const = 0;

  // -- questions with constant answers ----------------------------------------

  /// Returns which workers are asked.
  virtual scatter asks() const noexcept = 0;

  /// Whether votes are told the time.
  virtual bool is_timed() const noexcept {
    return false;
  }

  /// Whether the plan may ask one more worker when the first one has not
  /// answered for a while, see `patience`. If so, the times until workers
  /// answer are measured.
  virtual bool has_patience() const noexcept {
    return false;
  }

  // -- for plans with patience: facts and questions about all messages --------

  /// A message has come.
  virtual void message_came() noexcept {
    // nop
  }

  /// Returns how long the first worker may have a message before one more
  /// worker is asked to handle it; none: not known, so no other worker is
  /// asked.
  virtual std::optional<duration> patience() const noexcept {
    return std::nullopt;
  }

  /// The first worker has answered, that long after the message was sent to it.
  virtual void first_answered(duration) noexcept {
    // nop
  }

  /// Whether one more worker may be asked when `patience` has passed without an
  /// answer.
  virtual bool may_ask_another() const noexcept {
    return false;
  }

  /// One more worker was asked because `patience` had passed.
  virtual void asked_another() noexcept {
    // nop
  }

protected:
  /// Copies what all plans have.
  gather_plan(const gather_plan&) = default;
};

} // namespace libpool
