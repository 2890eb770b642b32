#pragma once

#include "libpool/core/errc.hpp"
#include "libpool/core/instant.hpp"
#include "libpool/export.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

namespace libpool {

/// Choice of the workers for a gathered message, that is, a message that
/// several workers handle, and whose results are joined into one answer.
struct scatter {
  /// Rules for the choice of workers. `parts`: the message is divided, and each
  /// part goes to any worker. `everybody`: all serving workers get the whole
  /// message. `some`: `asked` workers get the whole message.
  enum class target : std::uint8_t { parts, everybody, some };

  /// Rule for the choice of workers; default: `some`.
  target to = target::some;
  /// Number of workers that get the message if `to` is `some`; default: 1. If
  /// the pool has fewer workers, all of them get the message.
  std::size_t asked = 1;
  /// Minimum number of workers of the pool if `to` is `some`; default: 1. If
  /// the pool has fewer workers, the message is refused.
  std::size_t needed = 1;
  /// Whether further workers may be asked to handle the message later, when
  /// `gather_votes::decide` returns a verdict to ask.
  bool asks_more = false;
  /// Whether the tasks of the message that have not begun are cancelled once
  /// the client of the message has its answer.
  bool stops_rest = true;
};

/// Next step for a message that several workers handle, as `gather_votes`
/// decides it from the results so far.
struct verdict {
  /// Next steps. `wait`: wait for further results. `ask`: ask further workers
  /// to handle the message. `answer`: answer the client with the results so
  /// far. `fail`: answer the client with an error.
  enum class decision : std::uint8_t { wait, ask, answer, fail };

  /// If `is` is `ask`: number of further workers to ask. If `is` is `fail`:
  /// number of workers that had to succeed; 0: not known. Otherwise 0.
  std::size_t count = 0;
  /// Reason for the error if `is` is `fail`; otherwise errc{}.
  errc why{};
  /// Next step; default: wait for further results.
  decision is = decision::wait;

  /// Returns the decision to wait for further results of the message.
  static constexpr verdict wait() noexcept {
    return {};
  }

  /// Returns the decision to let `more` further workers handle the message.
  static constexpr verdict ask(std::size_t more) noexcept {
    return {more, {}, decision::ask};
  }

  /// Returns the decision to answer the client with the results so far, joined
  /// into one answer.
  static constexpr verdict answer() noexcept {
    return {0, {}, decision::answer};
  }

  /// Returns the decision to answer the client with the error `why`.
  static constexpr verdict fail(errc why) noexcept {
    return {0, why, decision::fail};
  }

  /// Returns the decision to answer the client with the errors so far, because
  /// not enough workers succeeded. `needed`: number of workers that had to
  /// succeed.
  static constexpr verdict too_few(std::size_t needed) noexcept {
    return {needed, errc::too_few_answers, decision::fail};
  }
};

/// Counts the results of a message that several workers handle, one task each,
/// and decides when and how the client is answered. One object serves one
/// message after the other. The tasks of a message are numbered from 0, in the
/// order in which workers were asked.
///
/// Time:    arguments are the current time only if `gather_plan::is_timed` is
///          true; otherwise all of them are equal.
/// Threads: one at a time, possibly another one than the thread of the plan.
///          Therefore the object must not refer to the state of the plan.
class LIBPOOL_EXPORT gather_votes {
public:
  gather_votes() = default;
  gather_votes(const gather_votes&) = delete;
  gather_votes& operator=(const gather_votes&) = delete;
  virtual ~gather_votes() = default;

  // -- facts ------------------------------------------------------------------

  /// Called when a new message was divided into `tasks` tasks, possibly 0. The
  /// object forgets the previous message.
  virtual void began(std::size_t tasks, instant now) noexcept = 0;

  /// Called when one more worker was asked to handle the message. Its task has
  /// the next number.
  virtual void asked_another(instant now) noexcept = 0;

  /// Called when `decide` has requested further workers, and the pool has fewer
  /// workers left that can be asked than requested.
  virtual void found_nobody(instant) noexcept {
    // nop
  }

  /// Called when the task with the number `task`, from 0, has succeeded.
  virtual void succeeded(std::size_t task, instant now) noexcept = 0;
  /// Called when the task with the number `task`, from 0, has failed.
  virtual void failed(std::size_t task, instant now) noexcept = 0;

  /// Called when the task with the number `task` will have no result, because
  /// its worker was removed from the pool before the task began. Called only if
  /// the message was sent to all serving workers. Default: calls `failed`.
  virtual void removed(std::size_t task, instant now) noexcept {
    failed(task, now);
  }

  /// Called when the time that `next_tick` returned has come. The call may be
  /// late or unneeded. Default: does nothing.
  virtual void time_passed(instant) noexcept {
    // nop
  }

  // -- questions --------------------------------------------------------------

  /// Returns the next step for the message. Called after each call of a
  /// function above, until the step is to answer or to fail; after `began` only
  /// if the message has no tasks. Must not wait once all tasks have ended, and
  /// must not ask for workers after `found_nobody`. If no task has succeeded,
  /// the step to answer becomes a failure with the errors so far.
  virtual verdict decide() const noexcept = 0;

  /// Returns the time at which `time_passed` must be called, such as the end of
  /// a timeout; `never` if no call is needed.
  virtual instant next_tick() const noexcept {
    return never;
  }
};

/// Rule by which several workers handle each message of a pool: which workers
/// get the message, and when the client is answered. A plan serves all messages
/// of one pool; a `gather_votes` object counts the results of one message after
/// another. Where and when the tasks of a message run is decided by the
/// dispatcher.
///
/// Threads: one at a time; `make_votes` may run concurrently with other
///          functions.
class LIBPOOL_EXPORT gather_plan {
public:
  gather_plan() = default;
  gather_plan& operator=(const gather_plan&) = delete;
  virtual ~gather_plan() = default;

  /// Returns a plan with the same options for another pool. The new plan does
  /// not know the answer times that this plan has measured.
  virtual std::unique_ptr<gather_plan> clone() const = 0;

  /// Returns a new object that counts the results of messages, one message
  /// after the other, and decides when and how the client is answered.
  virtual std::unique_ptr<gather_votes> make_votes() const = 0;

  // -- questions with constant answers ----------------------------------------

  /// Returns which and how many workers are asked to handle a message.
  virtual scatter asks() const noexcept = 0;

  /// Whether the `gather_votes` objects of this plan use the current time.
  virtual bool is_timed() const noexcept {
    return false;
  }

  /// Whether the plan hedges: sends a message to one more worker if the first
  /// worker has not answered after a delay (see `patience`). If so, the answer
  /// times of workers are measured.
  virtual bool has_patience() const noexcept {
    return false;
  }

  // -- hedging: facts and questions about all messages ------------------------

  /// Called for each message that the pool has received. Default: does nothing.
  virtual void message_came() noexcept {
    // nop
  }

  /// Returns the delay after which a message that the first worker has not
  /// answered is sent to one more worker; none: the delay is not known, and no
  /// other worker is asked.
  virtual std::optional<duration> patience() const noexcept {
    return std::nullopt;
  }

  /// Called when the first worker that got a message has answered. The argument
  /// is the time from sending the message to the answer. Default: does nothing.
  virtual void first_answered(duration) noexcept {
    // nop
  }

  /// Whether a message that the first worker has not answered after the delay
  /// `patience()` may be sent to one more worker.
  virtual bool may_ask_another() const noexcept {
    return false;
  }

  /// Called when a message was sent to one more worker, because the first
  /// worker had not answered after the delay `patience()`. Default: does
  /// nothing.
  virtual void asked_another() noexcept {
    // nop
  }

protected:
  /// Lets derived classes copy themselves in `clone`.
  gather_plan(const gather_plan&) = default;
};

} // namespace libpool
