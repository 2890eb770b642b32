#pragma once

#include "libpool/core/instant.hpp"
#include "libpool/core/restarts.hpp"
#include "libpool/export.hpp"

#include <cstddef>
#include <set>

namespace libpool {

/// Numbers of workers of a pool at one moment.
struct headcount {
  /// Number of workers that serve, stuck workers included.
  std::size_t serving = 0;
  /// Number of workers that are known to have ended, although their ends were
  /// not reported yet.
  std::size_t unreported = 0;
  /// Number of serving workers that are stuck: a handler runs past its deadline
  /// or time limit, or the worker waits for a request to its own pool that no
  /// worker can begin.
  std::size_t stuck = 0;

  /// Whether all numbers are equal.
  bool operator==(const headcount& other) const noexcept {
    return serving == other.serving && unreported == other.unreported
           && stuck == other.stuck;
  }
};

/// Limits on the number of workers of a pool.
struct staffing_limits {
  /// Maximum number of serving workers; at least 1.
  std::size_t most_workers = 1;
  /// Maximum number of stand-ins, which are workers beyond the wanted ones
  /// while others are stuck.
  std::size_t stand_ins = 0;
  /// Limits on the replacement of crashed workers.
  restart_limits restart = {};
};

/// Decision about the number of workers. At most one of `made` and `retired` is
/// above 0.
struct staffing_change {
  /// Number of workers to make.
  std::size_t made = 0;
  /// Number of workers among `made` that replace crashed workers.
  std::size_t replacements = 0;
  /// Number of workers that are too many. The owner retires idle ones, now or
  /// later.
  std::size_t retired = 0;
};

/// Decides how many workers a pool makes and retires. The pool reports facts
/// with its numbers of workers, and asks for a decision after each round.
///
/// The target is the number of wanted workers, which users set, plus one
/// stand-in for each stuck worker, within the limits. Workers below the target
/// are made, workers above it are retired. A crashed worker is replaced after a
/// pause; until then, it does not count as missing. With equal facts, the
/// decision to make workers is never followed by one to retire workers, or the
/// reverse. No worker knows for which other worker it stands in.
///
/// Cost: O(log n) for n pending replacements.
class LIBPOOL_EXPORT staffing {
public:
  /// Makes an object for a pool without workers and without a factory.
  explicit staffing(const staffing_limits& within)
    : limits_(within), restarts_(within.restart) {
    // nop
  }

  /// Records that the pool can make workers from now on.
  void begin() noexcept {
    can_make_ = true;
    is_settled_ = false;
  }

  /// Records that the pool makes no more workers.
  void end() noexcept {
    can_make_ = false;
    is_settled_ = false;
    due_.clear();
  }

  // -- orders of users --------------------------------------------------------

  /// Sets the number of wanted workers, at most `most_workers`.
  void resized(std::size_t wanted) noexcept;

  /// Records that a user has added a worker: one more worker is wanted, up to
  /// `most_workers`.
  void added() noexcept;

  /// Records that a user has removed a worker: one worker fewer is wanted, but
  /// at least one while a worker serves. `now_there`: numbers of workers after
  /// the removal.
  void removed(const headcount& now_there) noexcept;

  // -- facts ------------------------------------------------------------------

  /// Records that a worker has ended, and is not replaced: one worker fewer is
  /// wanted, or one stand-in fewer until a stuck worker goes on. `now_there`:
  /// numbers of workers after the end.
  void ended(const headcount& now_there) noexcept;

  /// Records that a worker has crashed, or that a worker could not be made, at
  /// the time `now`. If a worker is missing then, it is made after a pause;
  /// if the limits do not permit this, the worker has ended, see `ended`.
  void crashed(const headcount& now_there, instant now);

  // -- decisions --------------------------------------------------------------

  /// Records the numbers of workers. Returns whether a decision may be needed,
  /// so that the caller has to read the clock and call `decide`.
  bool compare(const headcount& now_there) noexcept;

  /// Whether `compare` would return false and change nothing: the last call
  /// returned false for the same numbers, and nothing else was recorded since
  /// then.
  bool is_settled(const headcount& now_there) const noexcept {
    return is_settled_ && now_there == last_;
  }

  /// Returns the number of workers to make or to retire at the time `now`.
  staffing_change decide(const headcount& now_there, instant now);

  /// Returns the number of workers to make at once for these numbers of
  /// workers. Pending replacements do not count.
  std::size_t missing(const headcount& now_there) const noexcept;

  /// Returns the number of workers that are too many for these numbers.
  std::size_t surplus(const headcount& now_there) const noexcept;

  // -- figures ----------------------------------------------------------------

  /// Returns the number of wanted workers, without stand-ins.
  std::size_t wanted() const noexcept {
    return wanted_;
  }

  /// Returns the number of serving workers that stand in for stuck ones,
  /// according to the last facts.
  std::size_t stand_ins() const noexcept;

  /// Whether replacements are pending.
  bool is_pending() const noexcept {
    return !due_.empty();
  }

  /// Returns the time at which the next replacement is due; `never` if none is
  /// pending.
  instant next() const noexcept {
    return due_.empty() ? never : *due_.begin();
  }

private:
  std::size_t permitted(const headcount& there) const noexcept;
  std::size_t needing(const headcount& there) const noexcept;
  std::size_t target(const headcount& there) const noexcept;
  std::size_t gap(const headcount& there) const noexcept;
  void note(const headcount& now_there) noexcept;
  void give_up_one() noexcept;

  const staffing_limits limits_;
  restarts restarts_;
  std::multiset<instant> due_; // of replacements
  headcount last_;
  std::size_t wanted_ = 0;
  std::size_t lost_ = 0; // stand-ins that ended, or could not be made
  bool can_make_ = false;
  bool is_settled_ = false; // no decision is needed for `last_`
};

} // namespace libpool
