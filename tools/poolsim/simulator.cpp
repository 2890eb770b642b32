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

simulated_task task_of(const poolsim::task_row& from,
                       const std::vector<std::string>& errors) {
  simulated_task to;
  to.submitted = from.submitted;
  to.started = time_if_come(from.started);
  to.finished = time_if_come(from.finished);
  if (from.worker != poolsim::nobody)
    to.worker = from.worker;
  to.flow = from.flow;
  to.steals = from.moves;
  to.state = state_of(from.is);
  to.reason = from.why;
  to.attempts = from.attempts;
  to.retried_errors = from.retried_errors;
  if (from.error > 0)
    to.error = errors[from.error - 1];
  return to;
}

simulated_message message_of(poolsim::message_row from) {
  return {from.submitted, time_if_come(from.finished), state_of(from.is),
          from.why, std::move(from.tasks)};
}

simulation simulation_of(poolsim::result from) {
  simulation to;
  to.ended = from.now;
  to.makespan = from.makespan;
  to.counts = from.books;
  to.tasks.reserve(from.tasks.size());
  for (const auto& each : from.tasks)
    to.tasks.push_back(task_of(each, from.error_names));
  for (const auto& each : from.workers)
    to.workers.push_back({each.completed, each.busy});
  for (auto& each : from.flows)
    to.flows.push_back(std::move(each.name));
  if (from.messages)
    for (auto& each : from.messages->rows)
      to.messages.push_back(message_of(std::move(each)));
  return to;
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
