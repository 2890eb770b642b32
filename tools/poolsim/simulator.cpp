#include "libpool/simulator/simulator.hpp"

#include "element.hpp"
#include "reading.hpp"
#include "simulation.hpp"

#include <memory>
#include <utility>

namespace libpool {

namespace {

std::optional<duration> time_if_come(duration time) {
  return time == poolsim::not_yet ? std::nullopt : std::optional{time};
}

simulated_state state_of(poolsim::fate is) {
  using poolsim::fate;
  switch (is) {
    case fate::waiting:
      return simulated_state::waiting;
    case fate::assigned:
      return simulated_state::assigned;
    case fate::running:
      return simulated_state::running;
    case fate::completed:
      return simulated_state::completed;
    case fate::failed:
      return simulated_state::failed;
    case fate::cancelled:
      return simulated_state::cancelled;
    case fate::refused:
      break;
  }
  return simulated_state::refused;
}

simulated_answer state_of(poolsim::message_fate is) {
  using poolsim::message_fate;
  switch (is) {
    case message_fate::open:
      return simulated_answer::open;
    case message_fate::answered:
      return simulated_answer::answered;
    case message_fate::failed:
      return simulated_answer::failed;
    case message_fate::refused:
      break;
  }
  return simulated_answer::refused;
}

simulated_task task_of(const poolsim::task_row& row,
                       const std::vector<std::string>& errors) {
  simulated_task task;
  task.submitted = row.submitted;
  task.started = time_if_come(row.started);
  task.finished = time_if_come(row.finished);
  if (row.worker != poolsim::nobody)
    task.worker = row.worker;
  task.flow = row.flow;
  task.steals = row.moves;
  task.state = state_of(row.is);
  task.reason = row.why;
  task.attempts = row.attempts;
  task.retried_errors = row.retried_errors;
  if (row.error > 0)
    task.error = errors[row.error - 1];
  return task;
}

simulated_message message_of(poolsim::message_row row) {
  return {row.submitted, time_if_come(row.finished), state_of(row.is), row.why,
          std::move(row.tasks)};
}

simulation simulation_of(poolsim::result result) {
  simulation target;
  target.ended = result.now;
  target.makespan = result.makespan;
  target.counts = result.books;
  target.tasks.reserve(result.tasks.size());
  for (const auto& each : result.tasks)
    target.tasks.push_back(task_of(each, result.error_names));
  for (const auto& each : result.workers)
    target.workers.push_back({each.completed, each.busy});
  for (auto& each : result.flows)
    target.flows.push_back(std::move(each.name));
  if (result.messages)
    for (auto& each : result.messages->rows)
      target.messages.push_back(message_of(std::move(each)));
  return target;
}

template <class Run>
simulation run(Run run) {
  try {
    return simulation_of(run());
  } catch (const poolsim::invalid_scenario& why) {
    throw invalid_scenario{why.what()};
  }
}

} // namespace

simulation simulate(std::string_view scenario) {
  return run(
    [&] { return poolsim::simulate(poolsim::read_scenario(scenario)); });
}

simulation simulate(std::string_view scenario, composition parts) {
  if (parts.order == nullptr || parts.placement == nullptr)
    throw std::invalid_argument(
      "libpool: simulate: the parts must have an order and a placement");
  return run([&] {
    auto read = poolsim::read_scenario(scenario, poolsim::given::parts);
    return poolsim::simulate(read, std::move(parts));
  });
}

simulation simulate(std::string_view scenario, const gather_plan& plan) {
  return run([&] {
    return poolsim::simulate(
      poolsim::read_scenario(scenario, poolsim::given::nothing, plan.clone()));
  });
}

} // namespace libpool
