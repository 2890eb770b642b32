#pragma once

#include "element.hpp"
#include "scenario.hpp"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace poolsim {

/// The workers of the groups, in the order in which they join.
std::vector<worker_settings> read_workers(const element& from);

/// `nodes` and `terms`, for a scenario of which the window is known.
void read_nodes(const element& root, scenario& to);

/// Refuses the members of a task or client that mean nothing on nodes.
void check_work_of_nodes(const element& from);

/// A number of bytes, or how it is drawn.
size_choice read_size(const element& from);

/// `policy`, `order`, `placement`, `stealing` and `assignment`, for a scenario
/// of which the seed is known.
void read_policy(const element& root, scenario& to);

/// Refuses shares of flows that no task has, for a scenario of which the tasks
/// are known.
void check_shares(const element& root, const scenario& of);

/// `gather`, for a scenario of which the policy is known.
void read_gather(const element& root, scenario& to);

/// How a time is drawn: an object that names a distribution.
distribution read_distribution(const element& from);

/// Reads tasks and clients, for a scenario of which the workers are known.
class work_reader {
public:
  explicit work_reader(scenario& to);

  void read_tasks(const element& from);
  void read_clients(const element& from);

  /// Says how long draws may be, since all that is to be drawn is known.
  void bound_draws();

private:
  task_group read_task(const element& from);
  client read_client(const element& from);
  void read_every(const element& from, task_group& to);
  void read_common(const element& from, work& to);
  void read_sizes(const element& from, work& to) const;
  void read_places(const element& from, work& to);
  void check_places(const element& from) const;
  std::vector<std::size_t> read_numbers(const element& from) const;
  std::size_t flow_named(const std::string& name);
  std::size_t choice_of(std::vector<std::size_t> only, bool loose);
  void count(const element& from, const work& work, std::size_t many);
  duration longest_run(const work& work) const;

  scenario& to_;
  std::size_t slowest_ = 0; // of the workers
  std::map<std::string, std::size_t> flows_;
  std::map<std::pair<std::vector<std::size_t>, bool>, std::size_t> choices_;
  std::size_t tasks_ = 0;
  std::size_t drawn_ = 0; // of these
  duration work_{0};
};

} // namespace poolsim
