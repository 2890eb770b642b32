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

/// Upper bounds on what a recorder keeps. A pool records nothing if `last` or
/// `runs` is 0.
struct recorder_limits {
  /// Maximum age of a run, counted from the end of the run.
  duration last{0};
  /// Maximum number of runs.
  std::size_t runs = 65'536;
  /// Maximum number of names of flows, the empty name included. Further flows
  /// are recorded as "(others)".
  std::size_t flows = 1'024;
};

/// One run of a handler; or a task that was settled or waits without a run.
struct recorded_run {
  /// Number of the task, as in `settled_task`. A task that was retried has
  /// several runs. 0: a message of which no task was made yet.
  std::uint64_t task = 0;
  /// The worker that ran the task; none if it did not run.
  std::optional<worker_number> worker;
  /// Time of acceptance.
  instant accepted{};
  /// Start of the handler; `never` if it did not run.
  instant started = never;
  /// End of the handler, or the time at which a task without a run was settled;
  /// `never` if the handler still runs or the task waits.
  instant ended = never;
  /// Index of the flow in `recording::flows`.
  std::uint32_t flow = 0;
  /// Number of times that another worker took the task over.
  std::uint16_t steals = 0;
  /// Outcome of the task.
  outcome how = outcome::completed;
  /// Reason of the outcome; not set if the task was completed.
  errc why{};
  /// Trace that the task belongs to, see `trace_of`; empty: none.
  std::string trace;
};

/// A task that runs or waits.
struct open_run : recorded_run {
  /// Types of the message, as in `settled_task`; empty: not known, for example
  /// of a task that waits.
  std::string kind;
};

/// The runs that a recorder has kept.
struct recording {
  /// Runs that have ended, in the order in which they ended.
  std::vector<recorded_run> runs;
  /// Names of the flows; index 0 is for tasks without a flow.
  std::vector<std::string> flows;
  /// Number of runs that are not kept any more, because of the maximum number
  /// of runs or their maximum age.
  std::uint64_t forgotten = 0;
  /// Tasks that have not ended: first the tasks at workers, in the order in
  /// which they were sent, then tasks that wait. At most
  /// `recorder_limits::runs` of them.
  std::vector<open_run> open;
  /// Time at which the recording was taken.
  instant taken{};
  /// Time from which on no run is missing: the time that was asked for, or
  /// later if the recorder began later or has dropped runs that ended since
  /// then.
  instant since{};
};

/// Keeps the last runs of a pool, for pictures and traces of a running pool.
///
/// Cost:    O(1) per run; memory for the runs so far, up to the maximum number.
/// Threads: one at a time.
class recorder {
public:
  /// Makes a recorder with these limits, which records runs from the time
  /// `begun` on.
  explicit recorder(const recorder_limits& within, instant begun = {})
    : limits_(within), complete_since_(begun) {
    flows_.emplace_back();
  }

  /// The handler of the task has ended on the worker `on`, with this outcome.
  void ran(const task& task, worker_number on, instant ended, outcome how,
           errc why);

  /// The task was settled while its handler did not run.
  void dropped(const task& task, instant now, outcome how, errc why);

  /// Returns the runs that ended at `since` or later, as far as they are kept.
  recording since(instant since, instant now) const;

  /// Adds the task, which is not settled or whose handler still runs.
  /// `started`: start of the handler; `never` if it has not begun. Returns
  /// false, and adds nothing, if `to` has the maximum number of open runs.
  bool add_open(const task& task, instant started, recording& to);

  /// Adds a message of this flow that has waited since `accepted`, and of which
  /// no task was made. Returns false, and adds nothing, if `to` has the maximum
  /// number of open runs.
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
  std::unordered_map<std::uint64_t, std::uint32_t> numbers_; // by hash
  std::uint64_t last_hash_ = flow_key{}.hash();
  std::uint32_t last_number_ = 0;
};

} // namespace libpool
