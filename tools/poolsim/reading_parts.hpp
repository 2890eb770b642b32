#pragma once

#include "element.hpp"
#include "scenario.hpp"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace poolsim {

/// Returns the workers of all groups, in the order in which they join.
std::vector<worker_settings> read_workers(const element& element);

/// Reads `nodes` and `terms`. The window of the scenario must be known.
void read_nodes(const element& root, scenario& scenario);

/// Reads `autoscale` and `startup`. The workers of the scenario must be known.
void read_sizing(const element& root, scenario& scenario);

/// Rejects members of a task or client that have no meaning on nodes.
void check_work_of_nodes(const element& element);

/// Returns a number of bytes, or its distribution.
size_choice read_size(const element& element);

/// Reads the members of the scenario for tasks that do not end well, and
/// `throttles`.
void read_failures(const element& root, scenario& scenario);

libpool::throttles read_throttles(const element& element);

/// Rejects rates with eager assignment, and limits of flows that no task has.
/// The policy and the tasks of the scenario must be known.
void check_throttles(const element& throttles, const scenario& scenario);

/// Checks that the policy can drop tasks by `shed`, and that the flows exist.
void check_shed(const element& shed, const scenario& scenario);

/// Rejects `drop_hopeless` and `stand_ins` if they have no effect, and workers
/// that the pool makes if tasks may run on particular workers only. The tasks
/// of the scenario must be known.
void check_lateness(const element& root, const scenario& scenario);

/// Reads `retry_on`, `retry_budget` and `backoff`. The tasks of the scenario
/// and the retries after crashes must be known.
void read_retries(const element& root, scenario& scenario);

/// Reads `errors` of tasks or clients.
std::vector<error_share> read_errors(const element& element,
                                     scenario& scenario);

/// Reads `events`. Everything else of the scenario must be known.
void read_events(const element& root, scenario& scenario);

/// Rejects a time series whose last time is later than 2^60 ns: `count` times
/// that begin with `first` and are `step` apart.
void check_last(const element& element, duration first, duration step,
                std::size_t count);

/// Returns a time, or a distribution of times.
time_choice read_time_choice(const element& element);

/// Reads `policy`, `order`, `placement`, `stealing` and `assignment`. The seed
/// of the scenario must be known.
void read_policy(const element& root, scenario& scenario);

/// Rejects shares of flows that no task has. The tasks of the scenario must be
/// known.
void check_shares(const element& root, const scenario& scenario);

/// Reads `gather`. The policy of the scenario must be known.
void read_gather(const element& root, scenario& scenario);

/// Returns the distribution of times that an object describes.
distribution read_distribution(const element& element);

/// Reads tasks and clients. The workers of the scenario must be known.
class work_reader {
public:
  explicit work_reader(scenario& scenario);

  void read_tasks(const element& element);
  void read_clients(const element& element);

  /// Sets the maximum of each draw. All draws must be known.
  void bound_draws();

private:
  task_group read_task(const element& element);
  client read_client(const element& element);
  void read_every(const element& element, task_group& group);
  static void read_rates(const element& element, task_group& group);
  void read_common(const element& element, work& work);
  void read_sizes(const element& element, work& work) const;
  void read_places(const element& element, work& work);
  void check_places(const element& element) const;
  std::vector<std::size_t> read_numbers(const element& element) const;
  std::size_t flow_named(const std::string& name);
  std::size_t choice_of(std::vector<std::size_t> only, bool loose);
  void count(const element& element, const work& work, std::size_t many);
  duration longest_run(const work& work) const;

  scenario& to_;
  std::size_t slowest_ = 0; // index of the slowest worker
  std::map<std::string, std::size_t> flows_;
  std::map<std::pair<std::vector<std::size_t>, bool>, std::size_t> choices_;
  std::size_t tasks_ = 0;
  std::size_t drawn_ = 0; // number of tasks whose service is drawn
  duration work_{0};
};

} // namespace poolsim
