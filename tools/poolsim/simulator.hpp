#pragma once

#include "libpool/core/composition.hpp"
#include "libpool/core/errc.hpp"
#include "libpool/core/gather_plan.hpp"
#include "libpool/core/instant.hpp"
#include "libpool/core/ledger.hpp"
#include "libpool/export.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

/// Simulator of `poolsim`, also for tests of user-defined orders, placements,
/// stealings and gathers. The simulator runs the dispatcher of managed pools on
/// a virtual clock, with simulated workers. Scenarios are JSON texts in the
/// format of docs/poolsim.md.
namespace libpool {

/// Exception for an invalid scenario. The text names the place in the scenario
/// and the problem, such as "/workers/0/count: must be at least 1".
class invalid_scenario : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// State of a task at the end of a simulation.
enum class simulated_state : std::uint8_t {
  waiting,
  assigned, ///< Assigned to a worker, and not started.
  running,
  completed,
  failed,
  cancelled,
  refused,
};

/// Task of a simulation. Times are counted from the beginning of the
/// simulation.
struct simulated_task {
  /// Time of submission.
  duration submitted{0};
  /// Start time of the last run; unset if the task has not started, or waits
  /// for a retry.
  std::optional<duration> started;
  /// Time of settlement; for a task that missed its deadline, the deadline.
  /// Unset if the task is not settled or was refused.
  std::optional<duration> finished;
  /// Number of the last worker that had the task, from 0. Unset if no worker
  /// had the task; can also be unset if the last worker gave the task back to
  /// the pool.
  std::optional<std::size_t> worker;
  /// Index of the flow in `simulation::flows`.
  std::size_t flow = 0;
  /// Number of times that an idle worker took over the task from another
  /// worker.
  std::size_t steals = 0;
  /// State of the task at the end of the simulation.
  simulated_state state = simulated_state::waiting;
  /// Reason of the outcome, if the task failed, was cancelled or was refused.
  errc reason{};
  /// Number of times that a worker began the task. Runs that were interrupted
  /// because their workers left do not count.
  std::size_t attempts = 0;
  /// Number of errors after which the task was tried again.
  std::size_t retried_errors = 0;
  /// Name of the error that was the last answer; empty: the last answer was no
  /// error, or there was none.
  std::string error = {};
};

/// Worker of a simulation.
struct simulated_worker {
  /// Number of tasks that the worker completed. Tasks that were cancelled while
  /// they ran do not count.
  std::uint64_t completed = 0;
  /// Sum of the times of all runs on the worker, including interrupted and
  /// unfinished runs.
  duration busy{0};
};

/// State of a gathered message at the end of a simulation.
enum class simulated_answer : std::uint8_t { open, answered, failed, refused };

/// Gathered message of a simulation: a message that several tasks handle.
struct simulated_message {
  /// Time of submission.
  duration submitted{0};
  /// Time at which the client was answered, with a result or an error. Unset if
  /// the message is open or was refused.
  std::optional<duration> finished;
  /// State of the message at the end of the simulation.
  simulated_answer state = simulated_answer::open;
  /// Reason of the state, if the message failed or was refused.
  errc reason{};
  /// Indices of the tasks of the message in `simulation::tasks`.
  std::vector<std::size_t> tasks;
};

/// Result of a simulation.
struct LIBPOOL_EXPORT simulation {
  /// Time at which the virtual clock stopped.
  duration ended{0};
  /// Time at which the last accepted task was settled; at most `ended`.
  duration makespan{0};
  /// Tasks, in the order of submission.
  std::vector<simulated_task> tasks;
  /// Workers by number, in the order in which workers join. In a scenario with
  /// nodes, these are the nodes.
  std::vector<simulated_worker> workers;
  /// Names of the flows: flows with tasks in the order of their first
  /// submissions, then flows without tasks in the order of the scenario.
  std::vector<std::string> flows;
  /// Gathered messages, in the order of submission; empty if the scenario has
  /// no gather.
  std::vector<simulated_message> messages;
  /// Numbers of tasks by state.
  ledger counts;
};

// Functions that run a scenario. Equal scenarios and parts give equal results,
// on every machine.
//
// Cost:    O(log tasks + log workers) per event, and the cost of the policy;
//          about 100 bytes for each task.
// Threads: simulations may run concurrently if each simulation has its own
//          parts.
// Errors:  invalid_scenario; std::invalid_argument if the parts lack an order
//          or a placement.

/// Runs the scenario with the policy that the scenario names, and returns the
/// result.
LIBPOOL_EXPORT simulation simulate(std::string_view scenario);

/// Runs the scenario with a user-defined order and placement, and optionally
/// with a user-defined rule for stealing. The scenario must not name a policy
/// or a part of a policy. If the scenario does not set `window`, each worker
/// has at most one task in flight, as in a pool with a user-defined order and
/// placement.
LIBPOOL_EXPORT simulation simulate(std::string_view scenario,
                                   composition parts);

/// Runs the scenario with the policy that the scenario names and a user-defined
/// gather. The scenario must not name a `gather`.
LIBPOOL_EXPORT simulation simulate(std::string_view scenario,
                                   const gather_plan& plan);

} // namespace libpool
