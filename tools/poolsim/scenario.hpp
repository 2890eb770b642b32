#pragma once

#include "distribution.hpp"
#include "event_settings.hpp"
#include "node_settings.hpp"
#include "sizing.hpp"
#include "times.hpp"

#include "libpool/core/joint_rule.hpp"
#include "libpool/core/retry_backoff.hpp"
#include "libpool/core/retry_budget.hpp"
#include "libpool/core/shed.hpp"
#include "libpool/core/throttle.hpp"
#include "libpool/policies/catalogue.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace poolsim {

/// Maximum number of workers and of tasks in a scenario.
constexpr std::size_t most_workers = 1'000'000;
constexpr std::size_t most_tasks = 100'000'000;

/// Maximum of the total duration of all tasks, so that sums of times do not
/// overflow.
constexpr duration longest_work{std::int64_t{1} << 62};

/// One worker.
struct worker_settings {
  /// Weight; zero: not given.
  duration weight{0};
  double speed = 1;
  std::size_t seats = 1;
  duration join{0};
  /// Time at which the worker leaves in good order, or crashes; at most one is
  /// set.
  std::optional<duration> leave;
  std::optional<duration> crash;
};

/// Returns the time at which the worker leaves or crashes; unset if it stays.
inline std::optional<duration> departure_of(const worker_settings& settings) {
  return settings.crash ? settings.crash : settings.leave;
}

/// Whether worker `x` joins before worker `y`.
inline bool joins_sooner(const worker_settings& x, const worker_settings& y) {
  return x.join < y.join;
}

/// Workers on which tasks may run.
struct worker_choice {
  /// Numbers of workers, ascending, without duplicates.
  std::vector<std::size_t> only;
  bool loose = false;
};

/// Members that all tasks of one entry have in common.
struct work {
  /// Index of the flow in the scenario.
  std::size_t flow = 0;
  /// Service time at speed 1: one value for all workers, or one for each;
  /// empty: drawn.
  std::vector<duration> service;
  std::optional<distribution> draws;
  std::size_t width = 1;
  /// Deadline, from submission.
  std::optional<duration> deadline;
  /// Further deadline of each task, from submission; the earlier one counts.
  std::optional<time_choice> deadline_of;
  /// Whether handlers end at once when they are asked to stop.
  bool obeys_stop = false;
  /// Errors with which attempts are answered; empty: none.
  std::vector<error_share> errors;
  std::int64_t priority = 0;
  std::string kind;
  /// Number of different results that the tasks ask for in turn; 0: each task
  /// asks for a result of its own.
  std::size_t results = 0;
  std::optional<duration> estimate;
  std::optional<std::size_t> home;
  /// Index of the choice of workers in the scenario.
  std::optional<std::size_t> where;
  /// Cost of a run away from the home: one value for all workers, or one for
  /// each; empty: no cost.
  std::vector<duration> move;
  /// Sizes of the content and of the result, if they are sent to nodes.
  size_choice bytes;
  size_choice result_bytes;
};

/// An entry of `tasks`.
struct task_group : work {
  duration at{0};
  std::size_t count = 1;
  duration every{0};
  /// Distribution that replaces `every`, if set.
  std::optional<distribution> gaps;
  /// Rate of arrivals that replaces `at`, `every` and `count`, if not empty.
  /// `count` is a bound then.
  rate_curve rates;
};

/// An entry of `clients`.
struct client : work {
  std::size_t threads = 1;
  std::size_t calls = 1;
  duration think{0};
  duration start{0};
  duration stagger{0};
};

/// A checked scenario.
struct scenario {
  std::uint64_t seed = 1;
  std::optional<duration> until;
  /// Nodes, if the workers live on nodes.
  std::optional<node_settings> nodes;
  std::vector<worker_settings> workers = {worker_settings{}};
  libpool::recipe how;
  /// Plan by which each message is handled by several tasks; nullptr if it is
  /// one task. The plan is cloned for each simulation. `parts` is the number of
  /// parts, if the plan asks for parts.
  std::shared_ptr<const libpool::gather_plan> gather;
  std::size_t parts = 1;
  std::optional<std::size_t> window;
  std::size_t capacity = std::numeric_limits<std::size_t>::max();
  /// Number of retries of a task that crashed with its worker, and number of
  /// crashes after which it fails anyway; 0: no limit.
  unsigned retries = 0;
  unsigned poison_after = 0;
  /// Errors after which tasks are tried again; unset: none.
  std::optional<retry_rule> retry_on;
  /// Waiting times before retries; unset: retries are immediate.
  std::optional<libpool::retry_backoff> backoff;
  /// Maximum number of tasks that are retried after errors at the same time.
  std::optional<libpool::retry_budget> budget;
  /// Limits on the tasks at workers.
  libpool::throttles throttles;
  /// Deadline of tasks without their own.
  std::optional<duration> deadline;
  /// Maximum time of a run of a task; later the task is cancelled.
  std::optional<duration> time_limit;
  /// Rule by which tasks are dropped while the pool is overloaded; unset: none
  /// is.
  std::optional<libpool::shed> shed;
  /// Rule by which tasks share runs; unset: each task runs alone.
  std::optional<libpool::joint_rule> joint;
  /// Part of the service times of tasks that a batch takes only once.
  duration shared{0};
  /// Whether waiting tasks that would end after their deadlines are cancelled.
  bool drop_hopeless = false;
  /// Maximum number of workers that stand in for workers that hang.
  std::size_t stand_ins = 0;
  /// How the number of workers follows the load; unset: it does not.
  std::optional<sizing_settings> autoscale;
  bool pay_moves = false;
  /// Whether workers of a busy pool get several tasks together (a lease).
  bool leases = false;
  std::vector<task_group> tasks;
  std::vector<client> clients;
  /// Events of users, in the order of their times.
  std::vector<user_event> events;
  /// Windows of time; empty: the whole time.
  std::vector<std::pair<duration, duration>> measure;
  bool measures_all = true;

  /// Names of flows, in the order in which they are written.
  std::vector<std::string> flows;
  /// Names of errors, in the order in which they are written.
  std::vector<std::string> errors;
  std::vector<worker_choice> choices;
};

/// Returns the maximum number of tasks that are made of a message, unless
/// workers leave.
std::size_t most_tasks_of_message(const scenario& scenario);

/// Returns the duration of the task on the worker, at most `longest_work`.
///
/// @pre the service time is not drawn
duration run_time(const scenario& scenario, const work& task,
                  std::size_t worker);

/// Returns the duration of a task on the worker, for a task whose service time
/// `service` was drawn.
duration run_time(const scenario& scenario, const work& task, duration service,
                  std::size_t worker);

} // namespace poolsim
