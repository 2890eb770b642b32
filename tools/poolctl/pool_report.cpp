#include "pool_report.hpp"

namespace poolctl {

namespace {

const std::vector<std::string> worker_paths{
  "number",        "name",      "state",   "in_flight", "busy_share",
  "completed",     "failed",    "stolen",  "mean_ms",   "max_ms",
  "running_for_s", "is_paused", "is_stuck"};
const std::vector<std::string> flow_paths{
  "name",   "waiting", "running",      "served",        "refused",  "share",
  "seat_s", "lag_ms",  "mean_wait_ms", "waiting_for_s", "is_paused"};
const std::vector<std::string> node_paths{
  "name",          "slots",       "in_flight", "silent_ms",
  "round_trip_ms", "bytes_per_s", "is_paused"};
const std::vector<std::string> limit_paths{
  "name", "is_of_pool", "is_paused", "parked", "most_running", "per_second"};
const std::vector<std::string> stage_paths{
  "name",    "held",    "credit",    "workers", "completed_per_s",
  "time_ms", "is_full", "is_slowest"};
const std::vector<std::string> pool_paths{"name",
                                          "policy",
                                          "is_paused",
                                          "workers",
                                          "busy",
                                          "waiting",
                                          "running",
                                          "window/arrived_per_s",
                                          "window/completed_per_s",
                                          "window/failed_per_s",
                                          "window/wait_ms/p95",
                                          "window/service_ms/p95"};

json list_in(const json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_array() ? *found : json::array();
}

std::string problems_of(const json& object, const std::string& beginning) {
  std::string result;
  for (const auto& each : list_in(object, "matters"))
    result += beginning + (each.value("loses_tasks", false) ? "!! " : "!  ")
              + value_text("text", each) + '\n';
  return result;
}

std::string names_in(const json& list, const char* beginning) {
  std::string result;
  for (const auto& each : list)
    result += (result.empty() ? beginning : ", ")
              + (each.is_string() ? printable(each.get<std::string>()) : "-");
  return result.empty() ? result : result + '\n';
}

std::string section(const char* title, const std::string& text) {
  return text.empty() ? text : std::string{"\n  "} + title + '\n' + text;
}

} // namespace

std::string report_of_limits(const json& pool) {
  return table(list_in(pool, "limits"), limit_paths);
}

std::string report_of_pool(const json& pool) {
  auto numbers = pool;
  numbers.erase("window");
  return "pool " + value_text("name", pool) + " (" + value_text("policy", pool)
         + ")\n" + problems_of(pool, "  ")
         + names_in(list_in(pool, "unreachable"), "  unreachable nodes: ")
         + figures(numbers)
         + section("last ten seconds", figures(pool.value("window", json{})))
         + section("workers", table(list_in(pool, "members"), worker_paths))
         + section("flows", table(list_in(pool, "flows"), flow_paths))
         + section("nodes", table(list_in(pool, "nodes"), node_paths))
         + section("limits", report_of_limits(pool)) + '\n';
}

std::string report_of_pipeline(const json& pipeline) {
  return "pipeline " + value_text("name", pipeline) + '\n'
         + problems_of(pipeline, "  ")
         + table(list_in(pipeline, "stages"), stage_paths) + '\n';
}

std::string overview_of(const json& pools) {
  auto result = table(pools, pool_paths);
  for (const auto& each : pools)
    result += problems_of(each, "  " + value_text("name", each) + ": ");
  return result + '\n';
}

} // namespace poolctl
