#include "recommend.hpp"

#include "document.hpp"
#include "element.hpp"
#include "reading.hpp"
#include "report.hpp"
#include "simulation.hpp"

#include "libpool/policies/catalogue.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

namespace poolsim {

namespace {

using nlohmann::json;

constexpr std::uint64_t seeds = 3;

/// Figures of a policy: means over the seeds.
struct trial {
  std::string policy;
  double lost = 0;   ///< share of tasks or messages that did not complete
  double wasted = 0; ///< share of the time of runs that did not complete
  std::optional<double> fairness;
  spread response; ///< of tasks, or of messages of a gather
  duration makespan{0};
};

/// Returns why the policy is not worth a run: what it looks at, the scenario
/// does not have; empty if it fits.
std::string misfit(std::string_view policy, const scenario& scenario) {
  auto lacks = [&](auto has) {
    return std::none_of(scenario.tasks.begin(), scenario.tasks.end(), has)
           && std::none_of(scenario.clients.begin(), scenario.clients.end(),
                           has);
  };
  if (policy == "priority" && lacks([](auto& x) { return x.priority != 0; }))
    return "no task has a priority";
  if (policy == "earliest_deadline"
      && lacks([](auto& x) { return x.deadline || x.deadline_of; }))
    return "no task has a deadline";
  if ((policy == "fair_queuing" || policy == "consistent_hash")
      && scenario.flows.size() < 2)
    return "all tasks have the same flow";
  if (policy == "work_stealing" && lacks([](auto& x) { return !!x.home; }))
    return "no task has a home";
  if (policy.find("weighted") != std::string_view::npos
      && scenario.workers.front().weight == duration{0})
    return "no worker has a weight";
  return {};
}

/// Returns the scenario with the policy. Options that the scenario gives to
/// this policy are kept.
json with_policy(json document, std::string_view policy) {
  auto given = document.find("policy");
  auto is_given = given != document.end() && given->is_object()
                  && given->at("name") == policy;
  for (const char* key : {"order", "placement", "stealing", "assignment"})
    document.erase(key);
  if (policy != "fair_queuing")
    document.erase("shares");
  if (!is_given)
    document["policy"] = policy;
  return document;
}

/// Adds the part of a time that one seed has.
void add_part(duration& mean, duration time) {
  mean = mean == not_yet || time == not_yet
           ? not_yet
           : mean + time / static_cast<std::int64_t>(seeds);
}

void add_seed(const scenario& scenario, trial& trial) {
  std::vector<task_run> runs;
  const auto result =
    simulate(scenario, [&](const task_run& run) { runs.push_back(run); });
  double all_time = 0;
  double wasted = 0;
  for (const auto& each : runs) {
    auto time = static_cast<double>((each.ended - each.started).count());
    all_time += time;
    auto is_useful = each.how == task_run::ending::completed
                     || each.how == task_run::ending::still_running;
    wasted += is_useful ? 0 : time;
  }
  constexpr auto parts = static_cast<double>(seeds);
  if (all_time > 0)
    trial.wasted += wasted / all_time / parts;
  auto good = result.books.completed - result.errors.answered;
  auto all = result.tasks.size();
  if (result.messages) {
    good = result.messages->answered;
    all = result.messages->rows.size();
  }
  if (all > 0)
    trial.lost += (1 - static_cast<double>(good) / static_cast<double>(all))
                  / parts;
  if (auto index = fairness_of(result, runs))
    trial.fairness = trial.fairness.value_or(0) + *index / parts;
  const auto& response = result.messages ? result.messages->response
                                         : result.latency.response;
  for (auto quantile : {&spread::p50, &spread::p95, &spread::p99})
    add_part(trial.response.*quantile, response.*quantile);
  add_part(trial.makespan, result.makespan);
}

trial tried(json document, std::string_view policy, std::uint64_t first) {
  trial result;
  result.policy = policy;
  result.response = {duration{0}, duration{0}, duration{0}, duration{0}};
  for (std::uint64_t i = 0; i < seeds; ++i) {
    document["seed"] = first + i;
    add_seed(read_scenario(document.dump()), result);
  }
  return result;
}

/// Returns the policy to choose, see `write_recommendation`.
/// @pre not empty
const trial& best_of(const std::vector<trial>& all) {
  std::vector<const trial*> left;
  for (const auto& each : all)
    left.push_back(&each);
  auto keep = [&](auto badness, double slack, double factor = 1) {
    auto least = badness(*left.front());
    for (const auto* each : left)
      least = std::min(least, badness(*each));
    auto is_worse = [&](auto* x) {
      return badness(*x) > least * factor + slack;
    };
    left.erase(std::remove_if(left.begin(), left.end(), is_worse), left.end());
  };
  auto by = [](duration spread::*quantile) {
    return [quantile](const trial& x) {
      auto time = x.response.*quantile;
      return time == not_yet ? 1e19 : static_cast<double>(time.count());
    };
  };
  keep([](const trial& x) { return x.lost; }, 0.001);
  keep([](const trial& x) { return 1 - x.fairness.value_or(1); }, 0.05);
  keep(by(&spread::p95), 0, 1.01);
  keep(by(&spread::p99), 0, 1.01);
  return *left.front();
}

std::string percent(double share) {
  return with_decimals(share * 100) + " %";
}

void write_choice(std::ostream& out, const std::vector<trial>& all) {
  const auto& best = best_of(all);
  out << "\nChoose `" << best.policy << "`: " << percent(1 - best.lost)
      << " of the tasks complete, ";
  if (best.fairness)
    out << "Jain's index of the flows is " << with_decimals(*best.fairness)
        << ", ";
  out << "and the 95th percentile of responses is "
      << cell_of(best.response.p95)
      << ", the lowest of the policies that are as good in "
      << (best.fairness ? "both" : "this");
  const auto& other = all.front(); // shared_queue, the default of pools
  if (other.policy != best.policy)
    out << "; with `" << other.policy << "`, it is "
        << cell_of(other.response.p95);
  out << ".\n";
}

void write_trials(std::ostream& out, const std::vector<trial>& all) {
  std::vector<cells> rows{{"policy", "not completed", "response, p50", "p95",
                           "p99", "makespan", "Jain's index", "wasted"}};
  for (const auto& each : all)
    rows.push_back({each.policy, percent(each.lost), cell_of(each.response.p50),
                    cell_of(each.response.p95), cell_of(each.response.p99),
                    cell_of(each.makespan),
                    each.fairness ? with_decimals(*each.fairness) : "-",
                    percent(each.wasted)});
  write_aligned(out, rows);
}

} // namespace

void write_recommendation(std::ostream& out, std::string_view scenario) {
  const auto document = document_of(scenario);
  const auto given = read_scenario(scenario);
  std::vector<trial> all;
  std::string left_out;
  for (const auto& policy : libpool::managed_policies()) {
    auto why = misfit(policy.name, given);
    if (why.empty()) {
      try {
        all.push_back(
          tried(with_policy(document, policy.name), policy.name, given.seed));
      } catch (const invalid_scenario& error) {
        why = error.what();
      }
    }
    if (!why.empty())
      left_out += (left_out.empty() ? "" : "; ")
                  + ('`' + std::string{policy.name}) + "`, " + why;
  }
  write_trials(out, all);
  if (!left_out.empty())
    out << "\nNot tried: " << left_out << ".\n";
  write_choice(out, all);
}

} // namespace poolsim
