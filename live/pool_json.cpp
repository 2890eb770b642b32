#include "libpool/live/pool_json.hpp"

#include "libpool/core/errc.hpp"
#include "libpool/live/matters.hpp"

#include <algorithm>
#include <vector>

namespace libpool::live {

namespace {

json reasons_json(const reason_counts& counts) {
  auto result = json::object();
  counts.for_each([&](errc why, std::uint64_t n) { result[name_of(why)] = n; });
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

/// What happened since the window began.
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
  result["refused_per_s"] = rate(changed.refused);
  result["wait_ms"] = percentiles_of(changed.total.waits);
  result["service_ms"] = percentiles_of(changed.total.services);
  return result;
}

/// The time that the flow has had since the window began.
duration had(const flow_stats& flow, const past_sample* beginning) {
  if (beginning == nullptr)
    return flow.seat_time;
  return std::max(flow.seat_time - beginning->seat_time_of(flow.name),
                  duration{0});
}

json flow_json(const flow_stats& flow, duration had, duration all,
               instant taken) {
  json result;
  result["name"] = flow.name;
  result["waiting"] = flow.waiting;
  result["running"] = flow.running;
  result["served"] = flow.served;
  result["refused"] = flow.refused;
  result["seat_s"] = seconds_of(flow.seat_time);
  result["share"] = all > duration{0} ? json(seconds_of(had) / seconds_of(all))
                                      : json{};
  result["lag_ms"] = milliseconds_of(flow.lag);
  result["mean_wait_ms"] = milliseconds_of(flow.mean_wait);
  result["waiting_for_s"] = seconds_since(flow.waiting_since, taken);
  return result;
}

json flows_json(const pool_sample& now, const past_sample* beginning) {
  auto result = json::array();
  duration all{0};
  for (const auto& each : now.stats.flows)
    all += had(each, beginning);
  for (const auto& each : now.stats.flows)
    result.push_back(
      flow_json(each, had(each, beginning), all, now.stats.taken));
  return result;
}

const char* state_of(const member_stats& member) {
  if (member.is_leaving)
    return "leaving";
  return member.in_flight > 0 ? "busy" : "idle";
}

json member_json(const member_stats& member, const pool_sample& now,
                 const past_sample* beginning) {
  json result;
  result["number"] = member.number;
  result["name"] = member.name;
  result["state"] = state_of(member);
  result["in_flight"] = member.in_flight;
  auto busy = busy_share(member, now, beginning);
  result["busy_share"] = busy ? json(*busy) : json{};
  result["completed"] = member.completed;
  result["failed"] = member.failed;
  result["stolen"] = member.stolen;
  result["mean_ms"] = milliseconds_of(member.mean_service);
  result["max_ms"] = milliseconds_of(member.max_service);
  result["running_for_s"] = seconds_since(member.running_since,
                                          now.stats.taken);
  return result;
}

json members_json(const pool_sample& now, const past_sample* beginning) {
  auto result = json::array();
  for (const auto& each : now.stats.members)
    result.push_back(member_json(each, now, beginning));
  return result;
}

json node_json(const node_stats& node) {
  json result;
  result["name"] = node.name;
  result["slots"] = node.slots;
  result["in_flight"] = node.in_flight;
  result["round_trip_ms"] = node.round_trip > duration{0}
                              ? json(milliseconds_of(node.round_trip))
                              : json{};
  result["silent_ms"] = milliseconds_of(node.silence);
  result["service_ms"] =
    node.service > duration{0} ? json(milliseconds_of(node.service)) : json{};
  result["bytes_per_s"] = node.bandwidth > 0 ? json(node.bandwidth) : json{};
  return result;
}

json nodes_json(const pool_sample& now) {
  auto result = json::array();
  for (const auto& each : now.nodes)
    result.push_back(node_json(each));
  return result;
}

void add_state(json& to, const pool_stats& stats) {
  to["policy"] = stats.policy;
  to["workers"] = stats.workers;
  to["busy"] = stats.busy;
  to["leaving"] = stats.leaving;
  to["slots"] = stats.slots;
  to["waiting"] = stats.tasks.waiting;
  to["assigned"] = stats.tasks.assigned;
  to["sent"] = stats.tasks.sent;
  to["running"] = stats.tasks.running;
  to["held"] = stats.held;
  to["overdue"] = stats.overdue;
  to["capacity"] =
    stats.capacity == pool_stats::unlimited ? json{} : json(stats.capacity);
}

void add_counts(json& to, const pool_stats& stats) {
  to["accepted"] = stats.tasks.accepted;
  to["refused"] = stats.refused;
  to["completed"] = stats.tasks.completed;
  to["failed"] = stats.tasks.failed;
  to["cancelled"] = stats.tasks.cancelled;
  to["answered_with_error"] = stats.answered_with_error;
  to["refusals"] = reasons_json(stats.refusals);
  to["errors"] = reasons_json(stats.errors);
  to["retries"] = stats.retries;
  to["restarts"] = stats.restarts;
  to["left"] = {{"removed", stats.departed.removed},
                {"crashed", stats.departed.crashed},
                {"ended", stats.departed.ended}};
  to["stolen"] = stats.total.stolen;
  to["gathered"] = stats.gathered;
  to["hedged"] = stats.hedged;
}

void add_ages(json& to, const pool_stats& stats) {
  to["oldest_waiting_s"] = seconds_since(stats.oldest_waiting, stats.taken);
  to["longest_running_s"] = seconds_since(stats.longest_running, stats.taken);
}

json matters_json(const std::vector<finding>& of) {
  auto result = json::array();
  for (const auto& each : of)
    result.push_back({{"text", each.text},
                      {"cure", each.cure},
                      {"loses_tasks", each.loses_tasks}});
  return result;
}

json stage_json(const stage_stats& stage) {
  return {{"name", stage.name},
          {"credit", stage.credit},
          {"held", stage.held},
          {"answered", stage.answered},
          {"failed", stage.failed}};
}

} // namespace

json json_of(const std::string& name, const pool_sample& now,
             const recent_past& before) {
  const auto* beginning = before.beginning;
  json result;
  result["name"] = name;
  result["matters"] = matters_json(matters_of(now, before));
  add_state(result, now.stats);
  add_counts(result, now.stats);
  add_ages(result, now.stats);
  result["window"] = window_json(now, beginning);
  result["flows"] = flows_json(now, beginning);
  result["all_members"] = now.all_members;
  result["members"] = members_json(now, beginning);
  result["nodes"] = nodes_json(now);
  result["unreachable"] = now.unreachable;
  return result;
}

json json_of_direct(const std::string& name, const pool_sample& now) {
  auto result = json_of(name, pool_sample{}, recent_past{});
  for (auto& [field, value] : result.items())
    if (value.is_number())
      value = nullptr;
  result["name"] = name;
  result["matters"] = json::array();
  result["policy"] = "direct";
  result["workers"] = now.stats.workers;
  result["refused"] = now.stats.refused;
  return result;
}

json json_of(const std::string& name, const pipeline_stats& now) {
  json result;
  result["name"] = name;
  result["matters"] = matters_json(matters_of(now));
  result["accepted"] = now.accepted;
  result["refused"] = now.refused;
  result["completed"] = now.completed;
  result["failed"] = now.failed;
  result["cancelled"] = now.cancelled;
  result["in_line"] = now.in_line;
  result["waiting"] = now.waiting;
  result["stages"] = json::array();
  for (const auto& each : now.stages)
    result["stages"].push_back(stage_json(each));
  return result;
}

} // namespace libpool::live
