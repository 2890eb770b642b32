#include "libpool/observability/live/sampler.hpp"

#include "libpool/observability/live/pool_json.hpp"
#include "libpool/observability/live/runs_json.hpp"
#include "libpool/version.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iterator>
#include <numeric>
#include <utility>
#include <vector>

namespace libpool::live {

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::size_t most_runs_in_all = 2000;
constexpr std::size_t most_sights = 120;

/// A second, and a bit less since timers do not come exactly on time.
constexpr milliseconds nearly_a_second{900};

/// Runs may be told a moment after they have ended.
constexpr milliseconds told_within{5};

json beginning_of(const sight& seen) {
  json result;
  result["number"] = seen.number;
  result["at_ms"] = milliseconds_of(seen.at - instant{});
  result["pools"] = json::array();
  return result;
}

/// Adds the numbers of waiting tasks: of each flow if the policy has flows,
/// else of each client if there are several, and of the tasks that are in no
/// row, such as tasks that wait for a retry.
void add_waiting(json& value, const pool_sample& now) {
  auto by_flow = json::array();
  auto others = now.stats.tasks.waiting + now.stats.tasks.assigned;
  auto add = [&](const auto& rows) {
    for (const auto& each : rows)
      if (each.waiting > 0) {
        by_flow.push_back({each.name, each.waiting});
        others -= std::min(others, each.waiting);
      }
  };
  if (now.stats.flows.empty())
    add(now.groups);
  else
    add(now.stats.flows);
  if (now.stats.flows.empty() && now.groups.empty())
    by_flow.push_back({"", std::exchange(others, 0)});
  value["waiting"] = std::move(by_flow);
  value["waiting_others"] = others;
}

/// The tasks that workers have begun.
std::vector<running_task> running_in(const recording& recorded) {
  std::vector<running_task> result;
  for (const auto& each : recorded.open)
    if (each.worker)
      result.push_back({static_cast<std::uint64_t>(*each.worker), each.task,
                        recorded.kinds[each.kind], recorded.flows[each.flow],
                        each.trace, each.accepted, each.started});
  return result;
}

/// Waiting tasks by flow or client, if there are several. A recording does not
/// list all tasks of a long queue.
std::vector<waiting_group> groups_in(const recording& recorded,
                                     const ledger& tasks) {
  constexpr std::size_t most = 32;
  std::vector<std::uint64_t> waiting(recorded.flows.size());
  for (const auto& each : recorded.open)
    if (!each.worker)
      ++waiting[each.flow];
  std::vector<waiting_group> result;
  for (std::size_t i = 0; i < waiting.size(); ++i)
    if (waiting[i] > 0)
      result.push_back({recorded.flows[i], waiting[i]});
  if (result.size() < 2)
    return {};
  auto listed = std::accumulate(waiting.begin(), waiting.end(), 0.0);
  auto all = static_cast<double>(tasks.waiting + tasks.assigned);
  for (auto& each : result)
    each.waiting = static_cast<std::uint64_t>(std::llround(
      static_cast<double>(each.waiting) * std::max(1.0, all / listed)));
  std::stable_sort(
    result.begin(), result.end(),
    [](const auto& x, const auto& y) { return x.waiting > y.waiting; });
  result.resize(std::min(result.size(), most));
  return result;
}

} // namespace

const sight& sampler::look() {
  auto now = now_();
  auto is_current = !sights_.empty() && !sights_.back().pools.empty()
                    && now - sights_.back().at < period;
  if (!is_current)
    look_again(next_sight(now));
  return sights_.back();
}

void sampler::keep() {
  auto now = now_();
  if (!sights_.empty() && now - sights_.back().at < nearly_a_second)
    return;
  auto& sight = next_sight(now);
  auto recent = beginning_of(sight);
  auto shown = shown_.pools();
  forget_gone(shown);
  for (const auto& each : shown)
    add_summary(*each, now, recent["pools"]);
  for (const auto& each : shown_.pipelines())
    if (auto handle = each->handle())
      each->past.add(watched_pipeline::look(handle, now));
  sight.recent = text_of(recent);
}

std::string sampler::recent() {
  look();
  std::string result = "[";
  for (const auto& each : sights_)
    if (sights_.back().at - each.at < seconds{60})
      result += (result.size() > 1 ? "," : "") + each.recent;
  return result + ']';
}

/// A sight without content is valid: an array of nothing, if a pool throws.
sight& sampler::next_sight(instant now) {
  sight next;
  next.number = sights_.empty() ? 1 : sights_.back().number + 1;
  next.at = now;
  next.recent = text_of(beginning_of(next));
  sights_.push_back(std::move(next));
  if (sights_.size() > most_sights)
    sights_.pop_front();
  return sights_.back();
}

void sampler::look_again(sight& sight) {
  auto recent = beginning_of(sight);
  json pools;
  pools["version"] = LIBPOOL_VERSION_STRING;
  pools["pools"] = json::array();
  auto shown = shown_.pools();
  forget_gone(shown);
  for (const auto& each : shown)
    add(*each, sight.at, most_runs_in_all / shown.size(), pools["pools"],
        recent["pools"]);
  pools["pipelines"] = pipelines_json(sight.at);
  sight.pools = text_of(pools);
  sight.recent = text_of(recent);
}

void sampler::add(watched_pool& pool, instant time, std::size_t most_runs,
                  json& pools, json& recent) {
  auto handle = pool.handle();
  if (!handle)
    return;
  auto now = pool.look(handle, time);
  if (!pool.is_managed) {
    pools.push_back(json_of_direct(pool.name, now));
    return;
  }
  auto& before = before_[pool.name];
  auto source = before.runs_until == instant{}
                  ? instant{}
                  : before.runs_until - told_within;
  auto recorded = pool.recorded_since(source);
  now.running = running_in(recorded);
  now.groups = groups_in(recorded, now.stats.tasks);
  now.groups_are_clients = recorded.flows_are_clients;
  now.kinds = std::max<std::size_t>(recorded.kinds.size(), 1) - 1; // named ones
  pools.push_back(json_of(pool.name, now, pool.past.recent(time)));
  auto drawn = recent_of(before, now);
  drawn["name"] = pool.name;
  for (const auto* times : {"wait_ms", "service_ms"})
    drawn[times] = pools.back()["window"][times];
  drawn["runs"] = json_of(recorded, source, time - told_within, most_runs);
  recent.push_back(std::move(drawn));
  pool.past.add(now);
  before = {time, now.stats.tasks, now.stats.error_answers, time};
}

void sampler::add_summary(watched_pool& pool, instant time, json& recent) {
  auto handle = pool.is_managed ? pool.handle() : caf::actor{};
  if (!handle)
    return;
  auto now = pool.glance(handle, time);
  auto& before = before_[pool.name];
  auto drawn = recent_of(before, now);
  drawn["name"] = pool.name;
  auto window = window_json(now, pool.past.recent(time).beginning);
  for (const auto* times : {"wait_ms", "service_ms"})
    drawn[times] = window[times];
  drawn["runs"] = json::object();
  recent.push_back(std::move(drawn));
  pool.past.add(now);
  before.at = time;
  before.tasks = now.stats.tasks;
  before.error_answers = now.stats.error_answers;
}

json sampler::pipelines_json(instant time) {
  auto result = json::array();
  for (const auto& each : shown_.pipelines())
    if (auto handle = each->handle()) {
      auto now = watched_pipeline::look(handle, time);
      result.push_back(json_of(each->name, now, each->past));
      each->past.add(std::move(now));
    }
  return result;
}

void sampler::forget_gone(
  const std::vector<std::shared_ptr<watched_pool>>& shown) {
  for (auto i = before_.begin(); i != before_.end();) {
    auto is_shown = std::any_of(shown.begin(), shown.end(), [&](const auto& x) {
      return x->name == i->first;
    });
    i = is_shown ? std::next(i) : before_.erase(i);
  }
}

/// The state, and rates since the look before.
json sampler::recent_of(const seen& before, const pool_sample& now) {
  const auto& tasks = now.stats.tasks;
  auto time = before.at == instant{} ? 0 : seconds_of(now.at - before.at);
  auto rate = [time](std::uint64_t count, std::uint64_t former) {
    return time > 0 && count >= former
             ? json(static_cast<double>(count - former) / time)
             : json{};
  };
  json result;
  add_waiting(result, now);
  result["arrived_per_s"] = rate(arrived(tasks), arrived(before.tasks));
  result["completed_per_s"] = rate(tasks.completed, before.tasks.completed);
  result["failed_per_s"] = rate(tasks.failed, before.tasks.failed);
  result["error_answers_per_s"] =
    now.stats.sees_answers ? rate(now.stats.error_answers, before.error_answers)
                           : json{};
  result["refused_per_s"] = rate(tasks.refused, before.tasks.refused);
  result["oldest_waiting_ms"] = milliseconds_since(now.stats.oldest_waiting,
                                                   now.stats.taken);
  result["longest_running_ms"] = milliseconds_since(now.stats.longest_running,
                                                    now.stats.taken);
  return result;
}

} // namespace libpool::live
