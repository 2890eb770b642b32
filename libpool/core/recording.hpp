#pragma once

#include "libpool/core/errc.hpp"
#include "libpool/core/instant.hpp"
#include "libpool/core/outcome.hpp"
#include "libpool/core/worker_number.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace libpool {

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
  /// Number of the task in the order of acceptance, from 1. A task that was
  /// retried has several runs.
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
  /// Index of the name of the task's flow, or of its client, in
  /// `recording::flows`; 0: none.
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
  /// Whether `flows` names clients: of a pool that has no flows, the senders of
  /// messages. A client has the name under which it is in the registry of the
  /// actor system, or else "actor" and its id.
  bool flows_are_clients = false;
  /// Names of the kinds of tasks: the types of the elements of the message,
  /// such as "int32_t, std::string", or the result of `kind_of`. Index 0 has
  /// the empty name, for tasks whose kind is not known.
  std::vector<std::string> kinds;
  /// Number of runs that are not kept any more, because of the maximum number
  /// or the maximum age of runs.
  std::uint64_t forgotten = 0;
  /// Tasks that have not ended, at most `recorder_limits::runs`. First come the
  /// tasks that were sent to workers, in the order in which they were sent,
  /// then waiting tasks. A task that was sent together with an earlier one, and
  /// whose turn has not come, counts as waiting. If more than 4,096 tasks wait,
  /// every nth is listed.
  std::vector<recorded_run> open;
  /// Time at which the recording was taken.
  instant taken{};
  /// Time from which the recording is complete: no run that ended later is
  /// missing. This is the time that the caller requested, or a later time if
  /// recording began later or requested runs were dropped.
  instant since{};
};

} // namespace libpool
