#include "poolsim/observed.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace test {

namespace {

using nlohmann::json;

template <class T>
std::optional<T> optional_of(const json& value) {
  if (value.is_null())
    return std::nullopt;
  return value.get<T>();
}

observed_task task_of(const json& row) {
  observed_task result;
  result.id = row.at("id").get<std::size_t>();
  result.flow = row.at("flow").get<std::string>();
  result.worker = optional_of<std::size_t>(row.at("worker"));
  result.submitted = row.at("submitted").get<std::int64_t>();
  result.started = optional_of<std::int64_t>(row.at("started"));
  result.finished = optional_of<std::int64_t>(row.at("finished"));
  result.outcome = row.at("outcome").get<std::string>();
  result.moves = row.at("moves").get<std::uint64_t>();
  result.attempts = row.at("attempts").get<std::uint64_t>();
  result.retried_errors = row.at("retried_errors").get<std::uint64_t>();
  result.has_joined = row.value("joined", false);
  return result;
}

/// The tasks that do not depend on others, in the order of their submission.
std::vector<std::pair<std::int64_t, const poolsim::work*>>
planned(const poolsim::scenario& scenario) {
  std::vector<std::pair<std::int64_t, const poolsim::work*>> result;
  for (const auto& each : scenario.tasks)
    for (std::size_t i = 0; i < each.count; ++i) {
      auto at = each.at + each.every * static_cast<std::int64_t>(i);
      result.emplace_back(at.count(), &each);
    }
  auto is_earlier = [](const auto& x, const auto& y) {
    return x.first < y.first;
  };
  std::stable_sort(result.begin(), result.end(), is_earlier);
  return result;
}

/// Whether it is not known beforehand when all tasks come.
bool draws_gaps(const poolsim::scenario& scenario) {
  return std::any_of(scenario.tasks.begin(), scenario.tasks.end(),
                     [](const auto& each) { return each.gaps.has_value(); });
}

std::vector<const poolsim::work*> clients_of(const poolsim::scenario& scenario,
                                             const std::string& flow) {
  std::vector<const poolsim::work*> result;
  for (const auto& each : scenario.clients)
    if (scenario.flows[each.flow] == flow)
      result.push_back(&each);
  return result;
}

} // namespace

bool has_cancels(const poolsim::scenario& scenario) {
  return std::any_of(scenario.events.begin(), scenario.events.end(),
                     [](const auto& each) {
                       return each.is == poolsim::user_event::action::cancel;
                     });
}

bool may_cancel(const poolsim::scenario& scenario) {
  auto has_one = [](const poolsim::work& each) {
    return each.deadline || each.deadline_of;
  };
  return scenario.time_limit || has_cancels(scenario)
         || std::any_of(scenario.tasks.begin(), scenario.tasks.end(), has_one)
         || std::any_of(scenario.clients.begin(), scenario.clients.end(),
                        has_one);
}

observed::observed(const std::string& scenario_text, const std::string& output)
  : asked(poolsim::read_scenario(scenario_text)), result(json::parse(output)) {
  if (!result.contains("tasks"))
    return;
  read_tasks();
  match_works();
  add_stand_ins();
}

/// A stand-in has the settings of the worker that it was made for.
void observed::add_stand_ins() {
  for (const auto& row : result.at("workers"))
    if (row.contains("stands_in_for")) {
      auto& added = asked.workers.emplace_back(
        asked.workers[row["stands_in_for"].get<std::size_t>()]);
      added.leave = added.crash = std::nullopt;
    }
}

std::size_t observed::like(std::size_t worker) const {
  const auto& row = result.at("workers").at(worker);
  return row.value("stands_in_for", worker);
}

void observed::read_tasks() {
  for (const auto& row : result.at("tasks"))
    tasks.push_back(task_of(row));
}

/// At each instant the planned tasks come before all calls. Where gaps are
/// drawn, a task may be any of its flow.
void observed::match_works() {
  if (draws_gaps(asked))
    return match_flows();
  auto plan = planned(asked);
  std::size_t next = 0;
  for (const auto& each : tasks)
    if (next < plan.size() && plan[next].first == each.submitted)
      works.push_back({plan[next++].second});
    else
      works.push_back(clients_of(asked, each.flow));
}

void observed::match_flows() {
  for (const auto& each : tasks) {
    auto& possible = works.emplace_back(clients_of(asked, each.flow));
    for (const auto& group : asked.tasks)
      if (asked.flows[group.flow] == each.flow)
        possible.push_back(&group);
  }
}

const json& observed::flow(const std::string& name) const {
  for (const auto& row : result.at("flows"))
    if (row.at("flow") == name)
      return row;
  throw std::out_of_range("no flow " + name);
}

} // namespace test
