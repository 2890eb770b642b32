#pragma once

#include "libpool/core/errc.hpp"
#include "libpool/core/instant.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

namespace libpool {

/// Which workers a plan asks to handle a message.
struct scatter {
  /// Any workers, one task for each part of the message; or the whole message,
  /// one task for each worker that serves, or for each of some.
  enum class target : std::uint8_t { parts, everybody, some };

  target to = target::some;
  /// How many workers are asked, if some are: as many as there are, if fewer.
  std::size_t asked = 1;
  /// With fewer workers than that the message is refused, if some are asked.
  std::size_t needed = 1;
  /// Whether more workers may be asked later, for the votes or for patience.
  bool asks_more = false;
  /// Whether tasks that have not begun are cancelled once the message is
  /// answered.
  bool stops_rest = true;
};

/// The result of the votes on a message.
struct verdict {
  enum class decision : std::uint8_t { wait, ask, answer, fail };

  /// How many more workers to ask, or how many successes were needed.
  std::size_t count = 0;
  /// Why the message fails.
  errc why{};
  decision is = decision::wait;

  static constexpr verdict wait() noexcept {
    return {};
  }

  /// Ask so many more workers, each of which has not been asked.
  static constexpr verdict ask(std::size_t more) noexcept {
    return {more, {}, decision::ask};
  }

  /// Answer with the results that have come, joined.
  static constexpr verdict answer() noexcept {
    return {0, {}, decision::answer};
  }

  /// Answer with an error.
  static constexpr verdict fail(errc why) noexcept {
    return {0, why, decision::fail};
  }

  /// Answer with the errors that have come: so many successes were needed.
  static constexpr verdict too_few(std::size_t needed) noexcept {
    return {needed, errc::too_few_answers, decision::fail};
  }
};

/// The votes on one message: counts how its tasks have ended, and says when it
/// is answered, and how. One object serves one message after the other. Tasks
/// are counted from 0, in the order in which they were asked for.
///
/// Time:    told only where the plan `is_timed`; otherwise all instants are
///          equal.
/// Threads: one at a time, and not that of the plan, to whose state votes must
///          not refer.
class gather_votes {
public:
  gather_votes() = default;
  gather_votes(const gather_votes&) = delete;
  gather_votes& operator=(const gather_votes&) = delete;
  virtual ~gather_votes() = default;

  // -- facts ------------------------------------------------------------------

  /// So many tasks were made of a message, perhaps none; the message before is
  /// forgotten.
  virtual void began(std::size_t tasks, instant now) noexcept = 0;

  /// One more worker was asked.
  virtual void asked_another(instant now) noexcept = 0;

  /// Of the workers that the votes wanted, no more can be asked.
  virtual void found_nobody(instant) noexcept {
    // nop
  }

  virtual void succeeded(std::size_t task, instant now) noexcept = 0;
  virtual void failed(std::size_t task, instant now) noexcept = 0;

  /// The worker of the task, which was one of everybody, was taken out of the
  /// pool before it began: no result is to be expected. By default a failure.
  virtual void removed(std::size_t task, instant now) noexcept {
    failed(task, now);
  }

  /// As told by `next_tick`, perhaps later or for no reason.
  virtual void time_passed(instant) noexcept {
    // nop
  }

  // -- questions --------------------------------------------------------------

  /// Returns whether the gather is complete. Called after each fact until the
  /// gather answers or fails; not called after `began` if there are tasks.
  /// Once all tasks have ended, it must answer, fail, or want more workers;
  /// wanting more is allowed only until a search for a worker has failed.
  /// An answer without a success becomes a failure with the errors so far.
  virtual verdict decide() const noexcept = 0;

  /// When it has to be told the time.
  virtual instant next_tick() const noexcept {
    return never;
  }
};

/// How a pool has its messages handled by several workers each: a plan is for
/// one pool and all of its messages, `gather_votes` are for one message. One of
/// the seams of managed pools, above those of the dispatcher, which decides
/// where and when the tasks run.
///
/// Threads: one at a time; `make_votes` also at the same time as others.
class gather_plan {
public:
  gather_plan() = default;
  gather_plan& operator=(const gather_plan&) = delete;
  virtual ~gather_plan() = default;

  /// Another one, as this one was in the beginning: each pool has its own.
  virtual std::unique_ptr<gather_plan> clone() const = 0;

  virtual std::unique_ptr<gather_votes> make_votes() const = 0;

  // -- questions, always with the same answer ---------------------------------

  virtual scatter asks() const noexcept = 0;

  /// Whether votes are told the time.
  virtual bool is_timed() const noexcept {
    return false;
  }

  /// Whether it may ask one more worker after a while, for patience: then the
  /// time is measured until workers have answered.
  virtual bool has_patience() const noexcept {
    return false;
  }

  // -- where it has patience: facts and questions about all messages ----------

  /// A message has come.
  virtual void message_came() noexcept {
    // nop
  }

  /// For how long the first worker may have a message before another one is
  /// asked to handle it as well, if that is known.
  virtual std::optional<duration> patience() const noexcept {
    return std::nullopt;
  }

  /// The first worker has answered, that long after it was given the message.
  virtual void first_answered(duration) noexcept {
    // nop
  }

  /// Whether one more worker may be asked, now that patience is over.
  virtual bool may_ask_another() const noexcept {
    return false;
  }

  /// One more worker was asked, after patience was over.
  virtual void asked_another() noexcept {
    // nop
  }

protected:
  gather_plan(const gather_plan&) = default;
};

} // namespace libpool
