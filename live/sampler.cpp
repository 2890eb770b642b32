#include "libpool/live/sampler.hpp"

#include "libpool/actors/pipeline.hpp"
#include "libpool/live/pool_json.hpp"
#include "libpool/live/runs_json.hpp"
#include "libpool/version.hpp"

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

namespace libpool::live {

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::size_t most_runs_in_all = 2000;
constexpr std::size_t most_sights = 120;

/// Runs may be told a moment after they have ended.
constexpr milliseconds told_within{5};

json pipelines_json(watched& shown) {
  auto result = json::array();
  for (const auto& each : shown.pipelines())
    if (auto handle = each->handle())
      result.push_back(json_of(each->name, pipeline::stats(handle)));
  return result;
}

/// Who waits, by flow; those without one, and those of whom only the number is
/// known, have no name.
json waiting_json(const pool_stats& stats) {
  auto result = json::array();
  auto others = stats.tasks.waiting + stats.tasks.assigned;
  for (const auto& each : stats.flows) {
    if (!each.name.empty() && each.waiting > 0) {
      result.push_back({each.name, each.waiting});
      others -= std::min(others, each.waiting);
    }
  }
  result.push_back({"", others});
  return result;
}

/// The tasks that workers have begun.
std::vector<running_task> running_in(const recording& recorded) {
  std::vector<running_task> result;
  for (const auto& each : recorded.open)
    if (each.worker)
      result.push_back({static_cast<std::uint64_t>(*each.worker), each.task,
                        each.kind, recorded.flows[each.flow], each.trace});
  return result;
}

} // namespace

const sight& sampler::look() {
  auto now = std::chrono::steady_clock::now();
  if (!sights_.empty() && now - sights_.back().at < period)
    return sights_.back();
  auto number = sights_.empty() ? 1 : sights_.back().number + 1;
  sights_.push_back(look_again(number, now));
  if (sights_.size() > most_sights)
    sights_.pop_front();
  return sights_.back();
}

std::string sampler::recent() {
  look();
  std::string result = "[";
  for (const auto& each : sights_)
    if (sights_.back().at - each.at < seconds{60})
      result += (result.size() > 1 ? "," : "") + each.recent;
  return result + ']';
}

sight sampler::look_again(std::uint64_t number, instant now) {
  sight result;
  result.number = number;
  result.at = now;
  json pools, recent;
  pools["version"] = LIBPOOL_VERSION_STRING;
  pools["pools"] = json::array();
  recent["number"] = result.number;
  recent["at_ms"] = milliseconds_of(now - instant{});
  recent["pools"] = json::array();
  auto shown = shown_.pools();
  for (const auto& each : shown)
    add(each, most_runs_in_all / shown.size(), pools["pools"], recent["pools"]);
  pools["pipelines"] = pipelines_json(shown_);
  result.pools = text_of(pools);
  result.recent = text_of(recent);
  return result;
}

void sampler::add(const std::shared_ptr<watched_pool>& pool,
                  std::size_t most_runs, json& pools, json& recent) {
  auto handle = pool->handle();
  if (!handle)
    return;
  auto now = pool->look(handle);
  if (!pool->is_managed) {
    pools.push_back(json_of_direct(pool->name, now));
    return;
  }
  auto& before = before_[pool->name];
  auto from = before.at == instant{} ? instant{} : before.at - told_within;
  auto recorded = pool->recorded_since(from);
  now.running = running_in(recorded);
  pools.push_back(json_of(pool->name, now, pool->past.recent(now.at)));
  auto drawn = recent_of(before, now);
  drawn["name"] = pool->name;
  for (const auto* times : {"wait_ms", "service_ms"})
    drawn[times] = pools.back()["window"][times];
  drawn["runs"] = json_of(recorded, from, now.at - told_within, most_runs);
  recent.push_back(std::move(drawn));
  pool->past.add(now);
  before = {now.at, now.stats.tasks};
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
  result["waiting"] = waiting_json(now.stats);
  result["arrived_per_s"] = rate(arrived(tasks), arrived(before.tasks));
  result["completed_per_s"] = rate(tasks.completed, before.tasks.completed);
  result["failed_per_s"] = rate(tasks.failed, before.tasks.failed);
  result["refused_per_s"] = rate(tasks.refused, before.tasks.refused);
  result["oldest_waiting_ms"] = milliseconds_since(now.stats.oldest_waiting,
                                                   now.stats.taken);
  result["longest_running_ms"] = milliseconds_since(now.stats.longest_running,
                                                    now.stats.taken);
  return result;
}

} // namespace libpool::live
