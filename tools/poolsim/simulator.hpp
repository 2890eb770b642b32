#pragma once

#include "libpool/core/composition.hpp"
#include "libpool/core/errc.hpp"
#include "libpool/core/gather_plan.hpp"
#include "libpool/core/instant.hpp"
#include "libpool/core/ledger.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

/// The simulator behind `poolsim`, for tests of orders, placements, stealings
/// and gathers of one's own: the dispatcher of managed pools on a virtual
/// clock, with workers that are made up. Scenarios are JSON texts in the format
/// of docs/poolsim.md.
namespace libpool {

/// The error of a scenario that is none: its place, and what is wrong there, as
/// in "/workers/0/count: must be at least 1".
class invalid_scenario : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// The state of a task at the end of a simulation.
enum class simulated_state : std::uint8_t {
  waiting,
  assigned, ///< has a worker, and has not started
  running,
  completed,
  failed,
  cancelled,
  refused,
};

/// A task. Times are counted from the beginning of the simulation, and unset
/// where they have not come.
struct simulated_task {
  duration submitted{0};
  /// The last start, of a task that has run more than once.
  std::optional<duration> started;
  /// When the client had its answer.
  std::optional<duration> finished;
  /// Number of the worker that had the task last, from 0; unset if none had it.
  std::optional<std::size_t> worker;
  /// Index of the flow in `simulation::flows`.
  std::size_t flow = 0;
  /// Number of workers that have taken the task over from another one.
  std::size_t steals = 0;
  simulated_state state = simulated_state::waiting;
  /// The reason, of a task that failed, was cancelled or was refused.
  errc reason{};
};

struct simulated_worker {
  /// Number of tasks that the worker has completed in time.
  std::uint64_t completed = 0;
  /// Sum of the times that its tasks have run.
  duration busy{0};
};

/// The state of a message at the end of a simulation.
enum class simulated_answer : std::uint8_t { open, answered, failed, refused };

/// A message that is handled by several tasks.
struct simulated_message {
  duration submitted{0};
  /// Unset while the message is open.
  std::optional<duration> finished;
  simulated_answer state = simulated_answer::open;
  /// The reason, of a message that failed or was refused.
  errc reason{};
  /// Indices of its tasks in `simulation::tasks`.
  std::vector<std::size_t> tasks;
};

/// The result of a simulation.
struct simulation {
  /// When the clock stopped.
  duration ended{0};
  /// End of the last task; at most `ended`.
  duration makespan{0};
  /// In the order of their submission.
  std::vector<simulated_task> tasks;
  /// By their numbers: in the order in which they join.
  std::vector<simulated_worker> workers;
  /// Names, in the order in which the scenario has them.
  std::vector<std::string> flows;
  /// In the order of their submission; empty without a gather.
  std::vector<simulated_message> messages;
  /// Counts of tasks.
  ledger counts;
};

// Runs of a scenario. A scenario and parts that are equal give an equal result,
// on every machine.
//
// Cost:    O(log tasks + log workers) per event, besides the policy; some 100
//          bytes for each task.
// Threads: any number of simulations at a time, each with parts of its own.
// Errors:  invalid_scenario; std::invalid_argument for parts without an order
// or
//          a placement.

/// Runs the policy that the scenario names.
simulation simulate(std::string_view scenario);

/// Runs an order and a placement, and perhaps a stealing, of one's own. The
/// scenario names no policy, and no part of one. The `window` is 1 unless the
/// scenario has one, as in a pool of such parts.
simulation simulate(std::string_view scenario, composition parts);

/// Runs the policy that the scenario names under a gather of one's own. The
/// scenario names no `gather`.
simulation simulate(std::string_view scenario, const gather_plan& plan);

} // namespace libpool
