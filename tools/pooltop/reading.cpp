#include "reading.hpp"

#include "unicode.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace pooltop {

namespace {

using nlohmann::json;

const json nothing;

/// The member of that name; null where there is none.
const json& at(const json& from, const char* name) {
  if (!from.is_object())
    return nothing;
  const auto found = from.find(name);
  return found == from.end() ? nothing : *found;
}

void read(const json& from, value& to) {
  if (from.is_number() && std::isfinite(from.get<double>()))
    to = from.get<double>();
}

void read(const json& from, std::string& to) {
  if (from.is_string())
    to = escaped(from.get_ref<const std::string&>());
}

void read(const json& from, reasons& to) {
  if (!from.is_object())
    return;
  for (const auto& [name, count] : from.items())
    if (count.is_number() && count.get<double>() > 0)
      to.emplace_back(escaped(name), count.get<double>());
  std::stable_sort(to.begin(), to.end(), [](const auto& a, const auto& b) {
    return a.second > b.second;
  });
}

void read(const json& from, percentiles& to) {
  read(at(from, "p50"), to.p50);
  read(at(from, "p95"), to.p95);
  read(at(from, "p99"), to.p99);
}

void read(const json& from, window& to) {
  read(at(from, "seconds"), to.seconds);
  read(at(from, "arrived_per_s"), to.arrived_per_s);
  read(at(from, "completed_per_s"), to.completed_per_s);
  read(at(from, "failed_per_s"), to.failed_per_s);
  read(at(from, "refused_per_s"), to.refused_per_s);
  read(at(from, "wait_ms"), to.wait_ms);
  read(at(from, "service_ms"), to.service_ms);
}

void read(const json& from, finding& to) {
  read(at(from, "text"), to.sentence);
  to.loses_tasks = at(from, "loses_tasks") == true;
}

void read(const json& from, flow& to) {
  read(at(from, "name"), to.name);
  read(at(from, "waiting"), to.waiting);
  read(at(from, "running"), to.running);
  read(at(from, "served"), to.served);
  read(at(from, "seat_s"), to.seat_s);
  read(at(from, "share"), to.share);
  read(at(from, "lag_ms"), to.lag_ms);
  read(at(from, "mean_wait_ms"), to.mean_wait_ms);
  read(at(from, "waiting_for_s"), to.waiting_for_s);
}

void read(const json& from, member& to) {
  read(at(from, "number"), to.number);
  read(at(from, "name"), to.name);
  read(at(from, "state"), to.state);
  read(at(from, "in_flight"), to.in_flight);
  read(at(from, "busy_share"), to.busy_share);
  read(at(from, "completed"), to.completed);
  read(at(from, "failed"), to.failed);
  read(at(from, "stolen"), to.stolen);
  read(at(from, "mean_ms"), to.mean_ms);
  read(at(from, "max_ms"), to.max_ms);
  read(at(from, "running_for_s"), to.running_for_s);
}

void read(const json& from, node& to) {
  read(at(from, "name"), to.name);
  read(at(from, "slots"), to.slots);
  read(at(from, "in_flight"), to.in_flight);
  read(at(from, "round_trip_ms"), to.round_trip_ms);
  read(at(from, "bytes_per_s"), to.bytes_per_s);
}

void read(const json& from, stage& to) {
  read(at(from, "name"), to.name);
  read(at(from, "credit"), to.credit);
  read(at(from, "held"), to.held);
  read(at(from, "answered"), to.answered);
  read(at(from, "failed"), to.failed);
}

void read(const json& from, pipeline& to);
void read(const json& from, pool& to);

/// Reads the objects of a list, and passes over what else is in it.
template <class T>
void read(const json& from, std::vector<T>& to) {
  if (!from.is_array())
    return;
  for (const auto& each : from)
    if (each.is_object())
      read(each, to.emplace_back());
}

void read(const json& from, pipeline& to) {
  read(at(from, "name"), to.name);
  read(at(from, "matters"), to.matters);
  read(at(from, "accepted"), to.accepted);
  read(at(from, "completed"), to.completed);
  read(at(from, "failed"), to.failed);
  read(at(from, "in_line"), to.in_line);
  read(at(from, "waiting"), to.waiting);
  read(at(from, "stages"), to.stages);
}

void read_state(const json& from, pool& to) {
  read(at(from, "workers"), to.workers);
  read(at(from, "busy"), to.busy);
  read(at(from, "leaving"), to.leaving);
  read(at(from, "slots"), to.slots);
  read(at(from, "waiting"), to.waiting);
  value assigned; // waits as well, bound to a worker
  read(at(from, "assigned"), assigned);
  if (to.waiting && assigned)
    *to.waiting += *assigned;
  read(at(from, "running"), to.running);
  read(at(from, "held"), to.held);
  read(at(from, "overdue"), to.overdue);
  read(at(from, "capacity"), to.capacity);
  read(at(from, "oldest_waiting_s"), to.oldest_waiting_s);
  read(at(from, "longest_running_s"), to.longest_running_s);
}

void read_counts(const json& from, pool& to) {
  read(at(from, "accepted"), to.accepted);
  read(at(from, "refused"), to.refused);
  read(at(from, "completed"), to.completed);
  read(at(from, "failed"), to.failed);
  read(at(from, "cancelled"), to.cancelled);
  read(at(from, "answered_with_error"), to.answered_with_error);
  read(at(from, "refusals"), to.refusals);
  read(at(from, "errors"), to.errors);
  read(at(from, "retries"), to.retries);
  read(at(from, "restarts"), to.restarts);
  read(at(at(from, "left"), "removed"), to.removed);
  read(at(at(from, "left"), "crashed"), to.crashed);
  read(at(at(from, "left"), "ended"), to.ended);
  read(at(from, "stolen"), to.stolen);
  read(at(from, "gathered"), to.gathered);
  read(at(from, "hedged"), to.hedged);
}

void read(const json& from, pool& to) {
  read(at(from, "name"), to.name);
  read(at(from, "policy"), to.policy);
  read(at(from, "matters"), to.matters);
  read_state(from, to);
  read_counts(from, to);
  read(at(from, "window"), to.recent);
  read(at(from, "flows"), to.flows);
  read(at(from, "members"), to.members);
  read(at(from, "all_members"), to.all_members);
  read(at(from, "nodes"), to.nodes);
}

} // namespace

snapshot read_snapshot(std::string_view text) {
  const auto from = json::parse(text, nullptr, false);
  if (from.is_discarded())
    throw unreadable{"the answer is not JSON"};
  if (!at(from, "pools").is_array())
    throw unreadable{"the answer has no list of pools"};
  snapshot result;
  read(at(from, "version"), result.version);
  read(at(from, "pools"), result.pools);
  read(at(from, "pipelines"), result.pipelines);
  return result;
}

} // namespace pooltop
