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

/// The simulator of `poolsim`, for tests of user-defined orders, placements,
/// stealings and gathers. It runs the dispatcher of managed pools on a virtual
/// clock, with simulated workers. Scenarios are JSON texts in the format of
/// docs/poolsim.md.
namespace libpool {

/// The error of an invalid scenario. `what()` names the place in the scenario
/// and the problem there, such as "/workers/0/count: must be at least 1".
class invalid_scenario : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// The state of a task at the end of a simulation.
enum class simulated_state : std::uint8_t {
  waiting,
  assigned, ///< Has a worker, and has not started.
  running,
  completed,
  failed,
  cancelled,
  refused,
};

/// A task of a simulation. Times are counted from the beginning of the
/// simulation, and are unset if they were not reached.
struct simulated_task {
  /// Time of submission.
  duration submitted{0};
  /// Start of the last run; unset while the task waits to run again.
  std::optional<duration> started;
  /// Time at which the task was settled; for a task that missed its deadline,
  /// the deadline. Unset if the task is open or was refused.
  std::optional<duration> finished;
  /// Number of the last worker of the task, from 0; unset if no worker had the
  /// task, and possibly unset if a worker has given the task back.
  std::optional<std::size_t> worker;
  /// Index of the flow in `simulation::flows`.
  std::size_t flow = 0;
  /// Number of times that another worker took the task over.
  std::size_t steals = 0;
  /// State of the task at the end of the simulation.
  simulated_state state = simulated_state::waiting;
  /// Reason, if the task failed, was cancelled or was refused.
  errc reason{};
};

/// A worker of a simulation.
struct simulated_worker {
  /// Number of tasks completed on the worker, without tasks that were cancelled
  /// while they ran.
  std::uint64_t completed = 0;
  /// Sum of the run times of the worker's tasks; interrupted and unfinished
  /// runs count.
  duration busy{0};
};

/// The state of a message at the end of a simulation.
enum class simulated_answer : std::uint8_t { open, answered, failed, refused };

/// A message that several tasks handle.
struct simulated_message {
  /// Time of submission.
  duration submitted{0};
  /// Time of the answer; unset while the message is open.
  std::optional<duration> finished;
  /// State of the message at the end of the simulation.
  simulated_answer state = simulated_answer::open;
  /// Reason, if the message failed or was refused.
  errc reason{};
  /// Indices of the message's tasks in `simulation::tasks`.
  std::vector<std::size_t> tasks;
};

/// The result of a simulation.
struct simulation {
  /// Time at which the clock stopped.
  duration ended{0};
  /// Time at which the last accepted task was settled; at most `ended`.
  duration makespan{0};
  /// Tasks, in the order of submission.
  std::vector<simulated_task> tasks;
  /// Workers by number, which is the order in which they join. In a scenario
  /// with nodes, these are the nodes.
  std::vector<simulated_worker> workers;
  /// Names of flows, in the order of their first submissions, followed by flows
  /// without a submission, in the order of the scenario.
  std::vector<std::string> flows;
  /// Messages, in the order of submission; empty without a gather.
  std::vector<simulated_message> messages;
  /// Counts of tasks by state.
  ledger counts;
};

// Functions that run a scenario. Equal scenarios and parts give equal results,
// on every machine.
//
// Cost:    O(log tasks + log workers) per event, besides the policy; about 100
//          bytes for each task.
// Threads: any number of simulations at a time, each with its own parts.
// Errors:  invalid_scenario; std::invalid_argument if the parts lack an order
//          or a placement.

/// Runs the policy that the scenario names.
simulation simulate(std::string_view scenario);

/// Runs a user-defined order and placement, and optionally a stealing. The
/// scenario must not name a policy, or a part of one. The `window` is 1 unless
/// the scenario has one, as in a pool of such parts.
simulation simulate(std::string_view scenario, composition parts);

/// Runs the policy that the scenario names with a user-defined gather. The
/// scenario must not name a `gather`.
simulation simulate(std::string_view scenario, const gather_plan& plan);

} // namespace libpool
