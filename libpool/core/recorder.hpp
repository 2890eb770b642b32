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

/// What a recorder keeps, at most.
struct recorder_limits {
  /// How far back it goes.
  duration last{0};
  std::size_t runs = 65'536;
  /// Names of flows; those beyond are of the flow "(others)".
  std::size_t flows = 1'024;
};

/// One run of a handler; or a task that was settled, or waits, without one.
struct recorded_run {
  /// The number of the task, as in `settled_task`; one that crashes its worker
  /// may run several times. 0 for a message of which no task was made yet.
  std::uint64_t task = 0;
  /// None if it did not run.
  std::optional<worker_number> worker;
  instant accepted{};
  /// `never` if it did not run.
  instant started = never;
  /// `never` if it goes on, or if the task waits.
  instant ended = never;
  /// Its number among the names of a recording.
  std::uint32_t flow = 0;
  std::uint16_t steals = 0;
  outcome how = outcome::completed;
  /// Why, unless it is completed.
  errc why{};
  /// The trace that it belongs to, see `trace_of`; empty if none.
  std::string trace;
};

/// A task that runs or waits.
struct open_run : recorded_run {
  /// The types of its message, as in `settled_task`; empty if not known, for
  /// example of a task that waits.
  std::string kind;
};

/// What a recorder has kept.
struct recording {
  /// In the order in which they ended.
  std::vector<recorded_run> runs;
  /// The names of flows; that of number 0 is of tasks without one.
  std::vector<std::string> flows;
  /// How many runs ended before those that are still kept: these were forgotten
  /// for the limit of runs or of time.
  std::uint64_t forgotten = 0;
  /// What has not ended: first the tasks that workers have, in the order in
  /// which they were sent, then those that wait, as many as the limit of runs.
  std::vector<open_run> open;
  /// When that was so.
  instant taken{};
  /// Moment from which on no run is missing: the one that was asked for, or
  /// later if the recorder is younger or has forgotten runs that ended then.
  instant since{};
};

/// Keeps the last runs of a pool, for pictures and traces of one that runs.
///
/// Cost:    O(1) for each run; memory for the runs that there were, at most as
///          many as the limit.
/// Threads: one at a time.
class recorder {
public:
  /// @param begun moment from which on runs are recorded
  explicit recorder(const recorder_limits& within, instant begun = {})
    : limits_(within), complete_since_(begun) {
    flows_.emplace_back();
  }

  /// The handler of the task has ended on that worker, with that fate.
  void ran(const task& task, worker_number on, instant ended, outcome how,
           errc why);

  /// The task was settled and never ran.
  void dropped(const task& task, instant now, outcome how, errc why);

  /// The runs that ended at `since` or later, as far as they are kept.
  recording since(instant since, instant now) const;

  /// Adds the task, which is not settled, or whose handler still runs. It began
  /// at `started`; `never` if it has not. Returns false, and does not, if there
  /// are as many as the limit.
  bool add_open(const task& task, instant started, recording& to);

  /// The same for a message of that flow that waits since then, of which no
  /// task was made.
  bool add_waiting(const flow_key& flow, instant accepted, recording& to);

private:
  recorded_run& next();
  void add_flows(recording& to) const;
  void describe(recorded_run& run, const task& task);
  std::uint32_t number_of(const flow_key& flow);

  const recorder_limits limits_;
  /// Where recording began, or the last run ended that was overwritten.
  instant complete_since_;
  std::vector<recorded_run> runs_; // a ring once it is full
  std::uint64_t noted_ = 0;        // all runs that there ever were
  std::vector<std::string> flows_;
  std::unordered_map<std::uint64_t, std::uint32_t> numbers_; // by hash
  std::uint64_t last_hash_ = flow_key{}.hash();
  std::uint32_t last_number_ = 0;
};

} // namespace libpool
