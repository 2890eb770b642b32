#pragma once

#include "event_settings.hpp"
#include "times.hpp"

#include "libpool/core/errc.hpp"
#include "libpool/core/ledger.hpp"
#include "libpool/core/reason_counts.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace poolsim {

/// State of a task.
enum class fate : std::uint8_t {
  waiting,
  assigned, ///< has a worker, not started
  running,
  completed,
  failed,
  cancelled,
  refused,
};

/// A time that was not reached.
constexpr duration not_yet{-1};

constexpr auto nobody = std::numeric_limits<std::uint32_t>::max();

/// Row of a task. It is small, since there may be millions of rows.
struct task_row {
  duration submitted = not_yet;
  duration started = not_yet;
  duration finished = not_yet;
  std::uint32_t flow = 0; ///< index in the flows of the result
  std::uint32_t worker = nobody;
  std::uint32_t moves = 0;
  /// Number of times that a worker began the task, without the runs that were
  /// interrupted because their workers left.
  std::uint32_t attempts = 0;
  /// Number of errors after which the task was tried again.
  std::uint32_t retried_errors = 0;
  /// Index in the errors of the scenario, from 1, of the error that was the
  /// last answer; 0: the last answer was no error.
  std::uint32_t error = 0;
  fate is = fate::waiting;
  /// Whether the retry budget has refused a retry.
  bool is_over_budget = false;
  /// Whether the task has ended with the run of another one.
  bool has_joined = false;
  /// Reason, if the task failed, was cancelled or was refused.
  libpool::errc why{};
};

/// Mean and quantiles of times.
struct spread {
  duration mean = not_yet;
  duration p50 = not_yet;
  duration p95 = not_yet;
  duration p99 = not_yet;
};

/// Numbers of attempts of the tasks that have begun.
struct attempt_counts {
  double mean = 0;
  std::uint32_t most = 0;
  /// Number of tasks with 1, 2, 3 … attempts.
  std::vector<std::uint64_t> tasks;
};

/// Mean over time, and maximum, of a number of tasks.
struct level {
  double mean = 0;
  std::size_t most = 0;
};

/// Counts of answers with errors.
struct error_counts {
  /// Number of tasks that have completed with an error.
  std::uint64_t answered = 0;
  /// Number of errors after which tasks were tried again.
  std::uint64_t retried = 0;
  /// Number of errors after which the retry budget has refused a retry.
  std::uint64_t refused = 0;
};

/// Event of a user, and its result.
struct event_row {
  duration at{0};
  user_event::action is = user_event::action::pause;
  /// Numbers of cancelled tasks that no worker had begun, and of cancelled
  /// tasks that ran.
  std::uint64_t waiting = 0;
  std::uint64_t running = 0;
  /// Time from which no handler of the paused scope ran.
  duration quiet = not_yet;
};

/// Waiting times and response times of tasks.
struct latencies {
  /// Time from submission to start, of tasks that started.
  spread wait;
  /// Time from submission to the end, of tasks that completed.
  spread response;
};

struct worker_row {
  /// Worker of the scenario in whose place the worker was made; unset for the
  /// workers of the scenario.
  std::optional<std::size_t> stands_in_for;
  /// Number of tasks completed before their deadlines.
  std::uint64_t completed = 0;
  /// Sum of the durations of runs, including interrupted ones.
  duration busy{0};
  /// Time for which the worker was paused by events.
  duration paused{0};
  /// Numbers of running and of queued tasks.
  std::vector<std::size_t> running;
  std::vector<std::size_t> queued;
};

struct flow_row {
  std::string name;
  std::uint64_t submitted = 0;
  std::uint64_t completed = 0;
  std::uint64_t failed = 0;
  std::uint64_t cancelled = 0;
  std::uint64_t refused = 0;
  std::uint64_t waiting = 0;
  /// Numbers of failed and of cancelled tasks, by reason.
  libpool::reason_counts failed_by;
  libpool::reason_counts cancelled_by;
  attempt_counts attempts;
  error_counts errors;
  /// Waiting tasks of the flow that its limits and pauses hold back.
  level parked;
  /// Time for which the flow was paused.
  duration paused{0};
  /// Mean number of seats, one value for each window.
  std::vector<double> mean_seats;
  latencies latency;
};

/// Number of workers over time, including workers that start.
struct size_books {
  level workers;
  /// Sum of the times for which each worker was there, in hours.
  double worker_hours = 0;
  /// Number of workers that the pool has made, without the first ones.
  std::size_t starts = 0;
  /// Times of changes, each with the number of workers from then on.
  std::vector<std::pair<duration, std::size_t>> changes;
};

/// State of a message that is handled by several tasks.
enum class message_fate : std::uint8_t { open, answered, failed, refused };

struct message_row {
  duration submitted = not_yet;
  duration finished = not_yet;
  std::size_t flow = 0; ///< index in the flows of the result
  message_fate is = message_fate::open;
  /// Reason, if the message failed or was refused.
  libpool::errc why{};
  /// Numbers of the tasks of the message.
  std::vector<std::size_t> tasks;
};

/// Messages of a scenario with a gather.
struct message_books {
  std::vector<message_row> rows;
  std::uint64_t answered = 0;
  std::uint64_t failed = 0;
  std::uint64_t refused = 0;
  std::uint64_t open = 0;
  /// Number of workers that were asked after the first ones.
  std::uint64_t asked_again = 0;
  /// Time from submission to the answer, of answered messages.
  spread response;
};

/// Counts of events between a pool and its nodes.
struct node_books {
  std::uint64_t sessions = 0;
  /// Number of tasks lost with a node, and of tasks that came back without a
  /// start.
  std::uint64_t lost = 0;
  std::uint64_t given_back = 0;
  /// Number of message batches and of ends of tasks that were ignored.
  std::uint64_t strays = 0;
  /// Number of message batches that were sent, in both directions.
  std::uint64_t batches = 0;
  /// Number of bytes of contents and of results that were sent.
  std::uint64_t bytes = 0;
  std::uint64_t result_bytes = 0;
  /// Idle time of all slots together: counts the free slots, up to the number
  /// of tasks that had not begun.
  duration idle{0};
};

/// Result of a simulation.
struct result {
  duration now{0};
  duration makespan{0};
  std::uint64_t steals = 0;
  /// Number of tasks that have joined the runs of others, if they may.
  std::optional<std::uint64_t> joined;
  /// Number of leases, if leases are allowed.
  std::optional<std::uint64_t> leases;
  std::vector<task_row> tasks;
  std::vector<worker_row> workers;
  /// Flows in the order of their first submissions, followed by flows without a
  /// submission in the order of the scenario.
  std::vector<flow_row> flows;
  libpool::ledger books;
  latencies latency;
  /// Numbers of failed and of cancelled tasks, by reason.
  libpool::reason_counts failed_by;
  libpool::reason_counts cancelled_by;
  attempt_counts attempts;
  error_counts errors;
  /// Waiting tasks that limits and pauses of flows hold back, and waiting tasks
  /// that wait for the time of a retry.
  level parked;
  level retrying;
  /// Time for which the whole pool was paused.
  duration paused{0};
  /// Names of errors, as in the scenario.
  std::vector<std::string> error_names;
  /// Events of users that have happened.
  std::vector<event_row> events;
  /// Messages, if they are gathered.
  std::optional<message_books> messages;
  /// Counts about nodes, if the workers live on nodes.
  std::optional<node_books> nodes;
  /// Number of workers, if it follows the load.
  std::optional<size_books> size;
};

/// A run of a task on a worker, from `started` to `ended`. A task can have
/// several runs.
struct task_run {
  enum class ending : std::uint8_t {
    completed,
    interrupted, ///< the worker left
    crashed,     ///< the worker crashed
    overdue,     ///< the run went on after its task was cancelled
    stopped,     ///< the run ended because its task was cancelled
    error,       ///< the run ended with an error
    still_running,
  };

  std::size_t task = 0;
  std::size_t flow = 0; ///< index in the flows of the scenario
  std::size_t worker = 0;
  std::size_t seats = 1;
  duration submitted{0};
  duration started{0};
  duration ended{0};
  ending how = ending::completed;
  /// Number of times that another worker has taken the task over.
  std::uint32_t steals = 0;
};

/// Function that is called for each run, when the run or the simulation has
/// ended.
using run_listener = std::function<void(const task_run&)>;

} // namespace poolsim
