#pragma once

#include "libpool/core/decision.hpp"
#include "libpool/core/errc.hpp"
#include "libpool/core/flow.hpp"
#include "libpool/core/instant.hpp"
#include "libpool/core/worker_number.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace libpool {

struct task;

/// Upper bounds on the contents of a recorder. A pool records nothing if `last`
/// or `runs` is 0.
struct recorder_limits {
  /// Maximum age of a run, counted from the end of the run; default: 0.
  duration last{0};
  /// Maximum number of runs; default: 65,536.
  std::size_t runs = 65'536;
  /// Maximum number of names of flows, the empty name included; default: 1,024.
  /// Further flows are recorded as "(others)".
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
  /// Index of the flow in `recording::flows`.
  std::uint32_t flow = 0;
  /// Number of times that another worker took the task over.
  std::uint16_t steals = 0;
  /// How this run has ended. A task can be retried after `failed`. Without
  /// meaning while the task waits or runs.
  outcome how = outcome::completed;
  /// Reason for the outcome; errc{} if there is none.
  errc why{};
  /// Trace that the task belongs to, see `managed_options::trace_of`; empty:
  /// none.
  std::string trace;
};

/// A task that runs or waits.
struct open_run : recorded_run {
  /// Types of the message, as in `settled_task::kind`; empty: not known, for
  /// example because the task waits.
  std::string kind;
};

/// The runs that a recorder has kept.
struct recording {
  /// Runs that have ended, in the order in which they ended.
  std::vector<recorded_run> runs;
  /// Names of the flows; index 0 has the empty name, for tasks without a flow.
  std::vector<std::string> flows;
  /// Number of runs that are not kept any more, because of the maximum number
  /// or the maximum age of runs.
  std::uint64_t forgotten = 0;
  /// Tasks that have not ended, at most `recorder_limits::runs`: first the
  /// tasks at workers, in the order in which they were sent, then waiting
  /// tasks.
  std::vector<open_run> open;
  /// Time at which the recording was taken.
  instant taken{};
  /// Time from which the recording has all runs: the time that the caller
  /// requested, or a later time if recording began later or runs that ended
  /// since the requested time were dropped.
  instant since{};
};

/// Keeps the last runs of a pool, for pictures and traces of a running pool.
///
/// Cost:    O(1) per run; memory for the kept runs, at most
///          `recorder_limits::runs`.
/// Threads: one at a time.
class recorder {
public:
  /// Makes a recorder with the limits `within`, which records runs from the
  /// time `begun` on.
  explicit recorder(const recorder_limits& within, instant begun = {})
    : limits_(within), complete_since_(begun) {
    flows_.emplace_back();
  }

  /// Records that the handler of the task has ended on the worker `on`, with
  /// the outcome `how` and the reason `why`.
  void ran(const task& task, worker_number on, instant ended, outcome how,
           errc why);

  /// Records that the task was settled while its handler did not run.
  void dropped(const task& task, instant now, outcome how, errc why);

  /// Returns the kept runs that ended at the time `since` or later.
  recording since(instant since, instant now) const;

  /// Adds a task that is not settled, or whose handler still runs, to the
  /// recording `to`. `started`: start of the handler; `never` if the handler
  /// has not begun. Returns false, and adds nothing, if `to` has the maximum
  /// number of open runs.
  bool add_open(const task& task, instant started, recording& to);

  /// Adds a message of the flow that has no task and has waited since
  /// `accepted` to the recording `to`. Returns false, and adds nothing, if `to`
  /// has the maximum number of open runs.
  bool add_waiting(const flow_key& flow, instant accepted, recording& to);

private:
  recorded_run& next();
  void add_flows(recording& to) const;
  void describe(recorded_run& run, const task& task);
  std::uint32_t number_of(const flow_key& flow);

  const recorder_limits limits_;
  /// Time at which recording began, or latest end of an overwritten run.
  instant complete_since_;
  std::vector<recorded_run> runs_; // ring buffer once it is full
  std::uint64_t noted_ = 0;        // number of runs recorded so far
  std::vector<std::string> flows_;
  std::unordered_map<std::uint64_t, std::uint32_t>
    numbers_; // by hash of the flow
  std::uint64_t last_hash_ = flow_key{}.hash();
  std::uint32_t last_number_ = 0;
};

} // namespace libpool
