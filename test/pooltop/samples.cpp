#include "pooltop/samples.hpp"

#include "pooltop/reading.hpp"

namespace test {

namespace {

constexpr auto text_of_busy_pools = R"json({
"version": "0.1.0",
"pools": [{
  "name": "images", "policy": "fair_queuing",
  "matters": [
    {"text": "12 messages were refused in the last 10 s: the queue of the flow is full (10); the queue is full (2)",
      "cure": "refused-messages", "loses_tasks": true},
    {"text": "worker 2 has run one task for 42 s: task 4711 (job) of flow batch",
      "cure": "a-stuck-handler", "loses_tasks": false},
    {"text": "flow batch floods the pool: 790 of 812 waiting tasks",
      "cure": "a-flooding-tenant", "loses_tasks": false}],
  "workers": 4, "busy": 4, "leaving": 1, "slots": 4,
  "waiting": 812, "running": 5, "held": 0, "overdue": 0, "capacity": 10000,
  "accepted": 1234567, "refused": 12, "completed": 1233600, "failed": 140,
  "cancelled": 10, "answered_with_error": 0,
  "refusals": {"the queue is full": 2, "the queue of the flow is full": 10},
  "errors": {"a worker crashed": 140},
  "retries": 3, "restarts": 2, "left": {"removed": 1, "crashed": 2, "ended": 0},
  "stolen": 0, "gathered": 0, "hedged": 0,
  "oldest_waiting_s": 1.25, "longest_running_s": 42.4,
  "window": {"seconds": 10, "arrived_per_s": 48000, "completed_per_s": 45210.5, "failed_per_s": 45,
    "refused_per_s": 0.4,
    "wait_ms": {"p50": 1.2, "p95": 3.4, "p99": 10.5},
    "service_ms": {"p50": 0.4, "p95": 1.4, "p99": 7.5}},
  "flows": [
    {"name": "batch", "waiting": 790, "running": 3, "served": 900000,
      "seat_s": 830.2, "share": 0.72, "lag_ms": -12.5, "mean_wait_ms": 310,
      "waiting_for_s": 1.25},
    {"name": "interactive", "waiting": 22, "running": 1, "served": 333600,
      "seat_s": 320, "share": 0.28, "lag_ms": 12.5, "mean_wait_ms": 1.7,
      "waiting_for_s": 0.02}],
  "members": [
    {"number": 0, "name": "hash_worker", "state": "busy", "in_flight": 1,
      "busy_share": 1, "completed": 400000, "failed": 40, "stolen": 0,
      "mean_ms": 0.42, "max_ms": 140, "running_for_s": 0.0004},
    {"number": 2, "name": "hash_worker", "state": "busy", "in_flight": 1,
      "busy_share": 0.981, "completed": 433600, "failed": 100, "stolen": 7,
      "mean_ms": 0.41, "max_ms": 97, "running_for_s": 42.4, "is_stuck": true},
    {"number": 3, "name": "a_worker_with_a_long_name", "state": "leaving",
      "in_flight": 1, "busy_share": 0.5, "completed": 9, "failed": 0,
      "stolen": 0, "mean_ms": 12, "max_ms": 13, "running_for_s": 0.25},
    {"number": 4, "name": "bl\u00f6d\u001b[31m", "state": "busy",
      "in_flight": 2, "busy_share": 0.005, "completed": 0, "failed": 0,
      "stolen": 0, "mean_ms": null, "max_ms": null, "running_for_s": 0}],
  "nodes": []
}, {
  "name": "mail", "policy": "", "workers": 1, "busy": 0, "waiting": 0,
  "capacity": null, "completed": 0, "failed": 0, "oldest_waiting_s": null,
  "window": {"seconds": 0, "completed_per_s": null}, "flows": [],
  "members": [{"number": 0, "name": "mailer", "state": "idle"}]
}],
"pipelines": [{
  "name": "files", "waiting": 7, "failed": 2,
  "matters": [{"text": "stage parse is full, 7 items wait to enter the pipeline",
    "cure": "a-full-stage", "loses_tasks": false}],
  "stages": [
    {"name": "read", "credit": 4, "held": 3},
    {"name": "parse", "credit": 8, "held": 8, "is_full": true},
    {"name": "count", "credit": 8, "held": 2}]
}]})json";

} // namespace

const std::string& busy_pools() {
  static const std::string text = text_of_busy_pools;
  return text;
}

pooltop::view view_of_busy_pools(std::size_t times) {
  pooltop::view result;
  result.address = "http://127.0.0.1:8080";
  result.told = pooltop::read_snapshot(busy_pools());
  result.was_told = true;
  auto before = result.told;
  for (std::size_t i = 1; i < times; ++i) {
    before.pools.front().numbers["waiting"] = static_cast<double>(200 * i);
    result.known.add(before);
    result.told_s += 1;
  }
  result.known.add(result.told);
  result.now_s = result.told_s;
  return result;
}

std::string text_of(const std::vector<pooltop::line>& lines) {
  std::string result;
  for (const auto& each : lines)
    result += each.text() + '\n';
  return result;
}

} // namespace test
