#pragma once

#include "libpool/core/errc.hpp"
#include "libpool/core/instant.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

namespace libpool {

/// The workers that a plan asks to handle a gathered message.
struct scatter {
  /// How the workers are chosen. `parts`: any workers, one task for each part
  /// of the message. `everybody`: all serving workers, one task each for the
  /// whole message. `some`: `asked` workers, one task each for the whole
  /// message.
  enum class target : std::uint8_t { parts, everybody, some };

  /// How the workers are chosen; default: `some`.
  target to = target::some;
  /// Number of workers to ask if `to` is `some`; default: 1. If there are fewer
  /// workers, all are asked.
  std::size_t asked = 1;
  /// Minimum number of workers if `to` is `some`; default: 1. With fewer
  /// workers, the message is refused.
  std::size_t needed = 1;
  /// Whether the votes may ask more workers later (`verdict::ask`).
  bool asks_more = false;
  /// Whether tasks that have not begun are cancelled once the message is
  /// answered.
  bool stops_rest = true;
};

/// Decision of the votes: the next step for a gathered message.
struct verdict {
  /// Next steps. `wait`: wait for further results. `ask`: ask further workers.
  /// `answer`: answer with the results so far. `fail`: answer with an error.
  enum class decision : std::uint8_t { wait, ask, answer, fail };

  /// For `ask`: number of further workers to ask. For `fail`: number of
  /// successes that were required.
  std::size_t count = 0;
  /// For `fail`: reason why the message fails; otherwise errc{}.
  errc why{};
  /// Next step.
  decision is = decision::wait;

  /// Returns the verdict to wait for further results.
  static constexpr verdict wait() noexcept {
    return {};
  }

  /// Returns the verdict to ask `more` workers that have not been asked yet.
  static constexpr verdict ask(std::size_t more) noexcept {
    return {more, {}, decision::ask};
  }

  /// Returns the verdict to answer with the results so far, joined.
  static constexpr verdict answer() noexcept {
    return {0, {}, decision::answer};
  }

  /// Returns the verdict to answer with the error `why`.
  static constexpr verdict fail(errc why) noexcept {
    return {0, why, decision::fail};
  }

  /// Returns the verdict to answer with the errors so far, because `needed`
  /// successes were required.
  static constexpr verdict too_few(std::size_t needed) noexcept {
    return {needed, errc::too_few_answers, decision::fail};
  }
};

/// Counts how the tasks of a gathered message have ended, and decides when and
/// how the message is answered. One object serves messages one after the other.
/// The tasks of a message are numbered from 0, in the order in which workers
/// were asked.
///
/// Time:    passed only if the plan `is_timed`; otherwise all instants are
///          equal.
/// Threads: one at a time, which can differ from the thread of the plan; votes
///          must not refer to the state of the plan.
class gather_votes {
public:
  gather_votes() = default;
  gather_votes(const gather_votes&) = delete;
  gather_votes& operator=(const gather_votes&) = delete;
  virtual ~gather_votes() = default;

  // -- facts ------------------------------------------------------------------

  /// Called when a new message has been split into `tasks` tasks; `tasks` may
  /// be 0. Forgets the previous message.
  virtual void began(std::size_t tasks, instant now) noexcept = 0;

  /// Called when one more worker was asked to handle the message.
  virtual void asked_another(instant now) noexcept = 0;

  /// Called when fewer workers were asked than the votes wanted, and no more
  /// workers can be asked.
  virtual void found_nobody(instant) noexcept {
    // nop
  }

  /// Called when the task has succeeded.
  virtual void succeeded(std::size_t task, instant now) noexcept = 0;
  /// Called when the task has failed.
  virtual void failed(std::size_t task, instant now) noexcept = 0;

  /// Called when the worker of the task was removed from the pool before the
  /// task began, so that the task will have no result. Called only if all
  /// serving workers were asked. Default: calls `failed`.
  virtual void removed(std::size_t task, instant now) noexcept {
    failed(task, now);
  }

  /// Called when the time that `next_tick` returned has come. Calls may be late
  /// or unneeded.
  virtual void time_passed(instant) noexcept {
    // nop
  }

  // -- questions --------------------------------------------------------------

  /// Returns the verdict on the message. Called after each fact until the
  /// verdict is to answer or to fail; not called after `began` if there are
  /// tasks. Once all tasks have ended, the verdict must not be to wait. After
  /// `found_nobody`, the verdict must not be to ask. A verdict to answer
  /// without a success becomes a failure with the errors so far.
  virtual verdict decide() const noexcept = 0;

  /// Returns the time at which `time_passed` must be called; `never` if no call
  /// is needed.
  virtual instant next_tick() const noexcept {
    return never;
  }
};

/// Rule by which several workers handle each message of a pool. A plan serves
/// all messages of one pool; a `gather_votes` object serves one message after
/// another. A plan does not dispatch: the dispatcher decides where and when the
/// tasks of a message run.
///
/// Threads: one at a time; `make_votes` may run concurrently with other
///          functions.
class gather_plan {
public:
  gather_plan() = default;
  gather_plan& operator=(const gather_plan&) = delete;
  virtual ~gather_plan() = default;

  /// Returns a plan with the same options and no history, for another pool.
  virtual std::unique_ptr<gather_plan> clone() const = 0;

  /// Returns new votes, which count how the tasks of a message end, and decide
  /// when and how the message is answered.
  virtual std::unique_ptr<gather_votes> make_votes() const = 0;

  // -- questions with constant answers ----------------------------------------

  /// Returns which workers are asked to handle a message.
  virtual scatter asks() const noexcept = 0;

  /// Whether the votes need the time.
  virtual bool is_timed() const noexcept {
    return false;
  }

  /// Whether the plan hedges: one more worker may be asked if the first worker
  /// has not answered after the time `patience`. If so, the times until workers
  /// answer are measured.
  virtual bool has_patience() const noexcept {
    return false;
  }

  // -- hedging: facts and questions about all messages ------------------------

  /// Called when the pool has received a message.
  virtual void message_came() noexcept {
    // nop
  }

  /// Returns the time after which one more worker is asked to handle a message
  /// that the first worker has not answered; none: not known, so no other
  /// worker is asked.
  virtual std::optional<duration> patience() const noexcept {
    return std::nullopt;
  }

  /// Called when the first worker has answered. The argument is the time from
  /// sending the message to the answer.
  virtual void first_answered(duration) noexcept {
    // nop
  }

  /// Whether one more worker may be asked when `patience` has passed without an
  /// answer.
  virtual bool may_ask_another() const noexcept {
    return false;
  }

  /// Called when one more worker was asked because `patience` had passed.
  virtual void asked_another() noexcept {
    // nop
  }

protected:
  /// Copies the base of a derived plan.
  gather_plan(const gather_plan&) = default;
};

} // namespace libpool
