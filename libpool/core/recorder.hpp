#pragma once

#include "libpool/core/errc.hpp"
#include "libpool/core/flow.hpp"
#include "libpool/core/instant.hpp"
#include "libpool/core/outcome.hpp"
#include "libpool/core/worker_number.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace libpool {

struct task;

/// Limits on the runs of handlers that a `recorder` keeps. A pool records
/// nothing if `last` or `runs` is 0.
struct recorder_limits {
  /// Maximum age of a kept run, counted from the end of the run; default: 0, so
  /// that nothing is recorded.
  duration last{0};
  /// Maximum number of runs that are kept; default: 65,536.
  std::size_t runs = 65'536;
  /// Maximum number of names of flows that are kept, and of names of kinds, the
  /// empty name included; default: 1,024. The tasks of further flows and kinds
  /// are recorded under the name "(others)".
  std::size_t flows = 1'024;
};

/// One run of a handler, or a task that waits or was settled without a run.
struct recorded_run {
  /// Number of the task in the order of acceptance, from 1; 0: a waiting
  /// message that has no task yet. A task that was retried has several runs.
  std::uint64_t task = 0;
  /// Worker on which the handler ran or runs; none if it has not begun.
  std::optional<worker_number> worker;
  /// Acceptance time of the task.
  instant accepted{};
  /// Start of the handler; `never` if the handler did not run.
  instant started = never;
  /// End of the handler, or settlement time of a task without a run; `never` if
  /// the handler still runs or the task waits.
  instant ended = never;
  /// Index of the name of the task's flow in `recording::flows`; 0: no flow.
  std::uint32_t flow = 0;
  /// Index of the name of the task's kind in `recording::kinds`; 0: not known,
  /// for example because the task waits.
  std::uint32_t kind = 0;
  /// Number of times that an idle worker took the task over from another
  /// worker.
  std::uint16_t steals = 0;
  /// Outcome of this run. After `failed`, the task may have further runs, if it
  /// is retried. Without meaning while the task waits or runs.
  outcome how = outcome::completed;
  /// Reason for the outcome; errc{} if there is none.
  errc why{};
  /// Name of the larger request that the task belongs to, the result of
  /// `managed_options::trace_of`; empty: none.
  std::string trace;
};

/// The last runs of handlers in a pool, as a `recorder` has kept them.
struct recording {
  /// Runs that have ended, in the order in which they ended.
  std::vector<recorded_run> runs;
  /// Names of the flows; index 0 has the empty name, for tasks without a flow.
  std::vector<std::string> flows;
  /// Names of the kinds of tasks: the types of the elements of the message,
  /// such as "int32_t, std::string", or the result of `kind_of`. Index 0 has
  /// the empty name, for tasks whose kind is not known.
  std::vector<std::string> kinds;
  /// Number of runs that are not kept any more, because of the maximum number
  /// or the maximum age of runs.
  std::uint64_t forgotten = 0;
  /// Tasks that have not ended, at most `recorder_limits::runs`. First come the
  /// tasks that were sent to workers, in the order in which they were sent,
  /// then waiting tasks.
  std::vector<recorded_run> open;
  /// Time at which the recording was taken.
  instant taken{};
  /// Time from which the recording is complete: no run that ended later is
  /// missing. This is the time that the caller requested, or a later time if
  /// recording began later or requested runs were dropped.
  instant since{};
};

/// Keeps the last runs of a pool, for pictures and traces of a running pool.
///
/// Cost:    O(1) per run; memory for the kept runs, at most
///          `recorder_limits::runs`.
/// Threads: one at a time.
class recorder {
public:
  /// Makes a recorder with the limits `within`. `begun`: time at which
  /// recording begins.
  explicit recorder(const recorder_limits& within, instant begun = {})
    : limits_(within),
      complete_since_(begun),
      flows_(within.flows),
      kinds_(within.flows) {
    // nop
  }

  /// Records that the handler of the task has ended on the worker `on` at the
  /// time `ended`. `how`: outcome of the run. `why`: reason for the outcome;
  /// errc{}: none.
  void ran(const task& task, worker_number on, instant ended, outcome how,
           errc why);

  /// Records that the task got the outcome `how`, for the reason `why`, while
  /// its handler did not run.
  void dropped(const task& task, instant now, outcome how, errc why);

  /// Returns the kept runs that ended at the time `since` or later. `now`:
  /// current time, which limits the age of the runs.
  recording since(instant since, instant now) const;

  /// Adds a task that is not settled, or whose handler still runs, to
  /// `to.open`. `started`: start of the handler; `never` if the handler has not
  /// begun. `kind`: name of the kind of the task; nullptr: unknown. Returns
  /// false, and adds nothing, if `to.open` has `recorder_limits::runs` tasks.
  bool add_open(const task& task, instant started, const std::string* kind,
                recording& to);

  /// Adds a waiting message that has no task yet to `to.open`. `flow`: flow of
  /// the message. `accepted`: time from which it waits. Returns false, and adds
  /// nothing, if `to.open` has `recorder_limits::runs` tasks.
  bool add_waiting(const flow_key& flow, instant accepted, recording& to);

private:
  /// Names, numbered from 0 in the order of insertion; 0: the empty name. Names
  /// beyond a maximum number share the name "(others)".
  class names {
  public:
    explicit names(std::size_t most) : most_(most), all_(1) {
      // nop
    }

    /// Returns the number of the name with the hash `hash`.
    std::uint32_t number_of(std::uint64_t hash, const std::string& name);

    /// Adds to `to` the names that were inserted after the names in `to`.
    void add_new(std::vector<std::string>& to) const;

    const std::vector<std::string>& all() const noexcept {
      return all_;
    }

  private:
    std::size_t most_;
    std::vector<std::string> all_;
    std::unordered_map<std::uint64_t, std::uint32_t> numbers_; // by hash
    std::uint64_t last_hash_ = 0;
    std::uint32_t last_ = 0;
  };

  recorded_run& next();
  void add_names(recording& to) const;
  void describe(recorded_run& run, const task& task);
  std::uint32_t number_of(const flow_key& flow);
  std::uint32_t number_of(const std::string* kind);

  const recorder_limits limits_;
  /// Time after which no ended run is missing: the time at which recording
  /// began, or the latest end of a run that a newer run has replaced.
  instant complete_since_;
  std::vector<recorded_run> runs_; // ring buffer once it is full
  std::uint64_t noted_ = 0;        // number of runs recorded so far
  names flows_;
  names kinds_;
};

} // namespace libpool
