#include "libpool/observability/live/pool_json.hpp"

#include "libpool/core/errc.hpp"
#include "libpool/observability/live/answer_problems.hpp"
#include "libpool/observability/live/problems.hpp"

#include <algorithm>
#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

namespace libpool::live {

namespace {

json reasons_json(const reason_counts& counts) {
  auto result = json::object();
  counts.for_each([&](errc why, std::uint64_t n) { result[name_of(why)] = n; });
  return result;
}

/// Returns the value as JSON shows it under that name.
template <class T>
json json_of_value(const T& value, [[maybe_unused]] const std::string& name,
                   [[maybe_unused]] instant taken) {
  if constexpr (std::is_same_v<T, duration>)
    return name.size() > 3 && name.substr(name.size() - 3) == "_ms"
             ? milliseconds_of(value)
             : seconds_of(value);
  else if constexpr (std::is_same_v<T, instant>)
    return seconds_since(value, taken);
  else if constexpr (std::is_same_v<T, reason_counts>)
    return reasons_json(value);
  else if constexpr (std::is_arithmetic_v<T> || std::is_same_v<T, std::string>)
    return value;
  else
    return nullptr; // handles and lists, which are described as not in JSON
}

/// Adds the figures that are described as being in JSON.
template <class Stats>
void add_figures(json& target, const Stats& stats, instant taken = {}) {
  for_each_figure<Stats>([&](const auto& each) {
    if (each.json_name == nullptr)
      return;
    const std::string name = each.json_name;
    const auto& value = stats.*each.member;
    if constexpr (is_described<std::decay_t<decltype(value)>>)
      add_figures(name.empty() ? target : target[name], value, taken);
    else
      target[name] =
        each.is_unset_in(stats) ? json{} : json_of_value(value, name, taken);
  });
}

template <class Stats>
json figures_of(const Stats& stats, instant taken = {}) {
  json result;
  add_figures(result, stats, taken);
  return result;
}

json percentiles_of(const histogram& times) {
  json result;
  for (auto [name, percent] : {std::pair{"p50", 50}, {"p95", 95}, {"p99", 99}})
    result[name] = times.count() == 0
                     ? json{}
                     : json(milliseconds_of(times.percentile(percent)));
  return result;
}

/// The most frequent error answers since then.
json errors_json(const pool_sample& now, const past_sample* beginning) {
  constexpr std::size_t most = 5;
  auto rows = beginning == nullptr
                ? std::vector<error_answer_stats>{}
                : error_answers_since(now.stats, beginning->stats);
  rows.resize(std::min(rows.size(), most));
  auto result = json::array();
  for (const auto& each : rows)
    result.push_back(figures_of(each));
  return result;
}

} // namespace

json window_json(const pool_sample& now, const past_sample* beginning) {
  json result;
  auto time = beginning == nullptr ? 0 : seconds_of(now.at - beginning->at);
  auto changed = beginning == nullptr ? pool_stats{}
                                      : now.stats.since(beginning->stats);
  auto rate = [time](std::uint64_t count) {
    return time > 0 ? json(static_cast<double>(count) / time) : json{};
  };
  result["seconds"] = time;
  result["arrived_per_s"] = rate(arrived(changed.tasks));
  result["completed_per_s"] = rate(changed.tasks.completed);
  result["failed_per_s"] = rate(changed.tasks.failed);
  result["error_answers_per_s"] =
    now.stats.sees_answers ? rate(changed.error_answers) : json{};
  result["answered_errors"] = errors_json(now, beginning);
  result["cancelled_per_s"] = rate(changed.tasks.cancelled);
  result["refused_per_s"] = rate(changed.refused);
  result["retries_per_s"] = rate(changed.retries);
  result["crashed"] = changed.departed.crashed;
  result["wait_ms"] = percentiles_of(changed.total.waits);
  result["service_ms"] = percentiles_of(changed.total.services);
  return result;
}

namespace {

/// The time that the flow has had since the window began.
duration had(const flow_stats& flow, const past_sample* beginning) {
  if (beginning == nullptr)
    return flow.seat_time;
  return std::max(flow.seat_time - beginning->seat_time_of(flow.name),
                  duration{0});
}

json flows_json(const pool_sample& now, const past_sample* beginning) {
  auto result = json::array();
  duration all{0};
  for (const auto& each : now.stats.flows)
    all += had(each, beginning);
  for (const auto& each : now.stats.flows) {
    auto& shown = result.emplace_back(figures_of(each, now.stats.taken));
    shown["share"] = all > duration{0} ? json(seconds_of(had(each, beginning))
                                              / seconds_of(all))
                                       : json{};
  }
  return result;
}

const char* state_of(const member_stats& member) {
  if (member.is_leaving)
    return "leaving";
  return member.in_flight > 0 ? "busy" : "idle";
}

/// Returns what is known of the task that the worker runs; null if nothing is.
json task_json(const pool_sample& now, std::uint64_t worker) {
  auto i = std::find_if(now.running.begin(), now.running.end(),
                        [=](const auto& x) { return x.worker == worker; });
  if (i == now.running.end())
    return nullptr;
  return {{"number", i->task},
          {"kind", i->kind},
          {"flow", i->flow},
          {"trace", i->trace},
          {"wait_ms", i->started == never
                        ? json{}
                        : json(milliseconds_of(i->started - i->accepted))}};
}

json members_json(const pool_sample& now, const past_sample* since) {
  auto result = json::array();
  auto least = long_run(now.stats);
  for (const auto& each : now.stats.members) {
    auto& shown = result.emplace_back(figures_of(each, now.stats.taken));
    auto busy = busy_share(each, now, since);
    shown["state"] = state_of(each);
    shown["busy_share"] = busy ? json(*busy) : json{};
    shown["is_stuck"] = age(each.running_since, now.stats.taken) >= least;
    shown["task"] = task_json(now, each.number);
  }
  return result;
}

json problems_json(const std::vector<problem>& all) {
  auto result = json::array();
  for (const auto& each : all)
    result.push_back({{"text", each.text},
                      {"cure", each.cure},
                      {"loses_tasks", each.loses_tasks},
                      {"worker", each.worker ? json(*each.worker) : json{}}});
  return result;
}

} // namespace

json json_of(const std::string& name, const pool_sample& now,
             const recent_past& before) {
  const auto* beginning = before.beginning;
  json result;
  result["name"] = name;
  result["problems"] = problems_json(problems_of(now, before));
  add_figures<pool_figures>(result, now.stats, now.stats.taken);
  result["stolen"] = now.stats.total.stolen;
  result["window"] = window_json(now, beginning);
  result["flows"] = flows_json(now, beginning);
  result["limits"] = json::array();
  for (const auto& each : now.stats.limits)
    result["limits"].push_back(figures_of(each));
  result["flows_are_clients"] = now.groups_are_clients;
  result["all_members"] = now.all_members;
  result["members"] = members_json(now, before.workers);
  result["nodes"] = json::array();
  for (const auto& each : now.nodes)
    result["nodes"].push_back(figures_of(each));
  result["unreachable"] = now.unreachable;
  return result;
}

json json_of_direct(const std::string& name, const pool_sample& now) {
  auto result = json_of(name, pool_sample{}, recent_past{});
  for (auto& [field, value] : result.items())
    if (value.is_number())
      value = nullptr;
  result["name"] = name;
  result["problems"] = json::array();
  result["policy"] = "direct";
  result["workers"] = now.stats.workers;
  result["refused"] = now.stats.refused;
  return result;
}

namespace {

json stage_json(const stage_stats& stage, const stage_past& past) {
  auto result = figures_of(stage);
  auto known = [](const auto& x) { return x ? json(*x) : json{}; };
  result["is_full"] = is_full(stage, past);
  result["completed_per_s"] = known(past.completed_per_s);
  result["time_ms"] = past.time ? json(milliseconds_of(*past.time)) : json{};
  result["wait_ms"] = percentiles_of(past.waits);
  result["workers"] = past.workers;
  result["busy"] = known(past.busy);
  result["busy_share"] = known(past.busy_share);
  return result;
}

} // namespace

json json_of(const std::string& name, const line_sample& now,
             const line_history& past) {
  json result;
  result["name"] = name;
  const auto stages = past.stages(now);
  result["problems"] = problems_json(problems_of(now.stats, stages));
  add_figures(result, now.stats);
  const auto slowest = slowest_of(now.stats, stages);
  result["slowest"] = slowest ? json(now.stats.stages[*slowest].name) : json{};
  result["stages"] = json::array();
  for (std::size_t i = 0; i < stages.size(); ++i) {
    auto& shown =
      result["stages"].emplace_back(stage_json(now.stats.stages[i], stages[i]));
    shown["is_slowest"] = slowest == i;
  }
  return result;
}

} // namespace libpool::live
