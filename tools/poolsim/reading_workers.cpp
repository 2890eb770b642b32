#include "reading_parts.hpp"

#include <algorithm>
#include <chrono>

namespace poolsim {

namespace {

struct worker_group : worker_settings {
  std::size_t count = 1;
  /// One for all, or one for each; none: never.
  std::vector<duration> crashes;
  bool is_weighted = false;
};

duration read_weight(const element& element) {
  auto result = element.time();
  if (result == duration{0})
    element.fail_bound("above 0");
  return result;
}

/// One time for all workers of the group, or one for each.
void read_crash(const element& source, worker_group& group) {
  auto check = [&](const element& time, duration crash) {
    if (crash < group.join)
      time.fail("must not be before join");
  };
  group.crashes = source.one_or(group.count, "worker of the group");
  for (std::size_t i = 0; i < group.crashes.size(); ++i)
    check(source.is_list() ? source.at(i) : source, group.crashes[i]);
}

void read_stay(const element& element, worker_group& group) {
  if (auto x = element.find("join"))
    group.join = x->time();
  if (auto x = element.find("leave")) {
    group.leave = x->time();
    if (*group.leave < group.join)
      x->fail("must not be before join");
  }
  if (auto x = element.find("crash")) {
    if (group.leave)
      x->fail("must not be given with the member leave");
    read_crash(*x, group);
  }
}

worker_group read_group(const element& element) {
  element.expect_keys(
    {"count", "weight", "speed", "seats", "join", "leave", "crash"});
  worker_group result;
  if (auto x = element.find("count"))
    result.count = x->count(1, most_workers);
  if (auto x = element.find("weight")) {
    result.weight = read_weight(*x);
    result.is_weighted = true;
  }
  if (auto x = element.find("speed"))
    result.speed = x->factor();
  if (auto x = element.find("seats"))
    result.seats = x->count(1, most_tasks);
  read_stay(element, result);
  return result;
}

/// Weights are given for all workers, or for none.
void check_weights(const element& element,
                   const std::vector<worker_group>& groups) {
  auto is_weighted = false;
  for (const auto& each : groups)
    is_weighted = is_weighted || each.is_weighted;
  for (std::size_t i = 0; i < groups.size(); ++i)
    if (groups[i].is_weighted != is_weighted)
      element.at(i).fail_at("weight",
                            "must be given for all workers or for none");
}

void add(const worker_group& group, std::vector<worker_settings>& settings) {
  for (std::size_t i = 0; i < group.count; ++i) {
    auto& added = settings.emplace_back(group);
    if (!group.crashes.empty())
      added.crash = group.crashes[group.crashes.size() == 1 ? 0 : i];
  }
}

sizing_settings read_autoscale(const element& element) {
  sizing_settings result;
  auto rule = element.find("rule");
  if (rule && rule->one_of({"libpool", "poolifier"}) == "poolifier") {
    element.expect_keys({"rule", "least", "most", "idle", "one_by_one"});
    result.idle = std::chrono::minutes{1};
  } else {
    element.expect_keys(
      {"rule", "least", "most", "target_wait", "cooldown", "interval"});
  }
  auto read_time = [&](const char* key, duration& target) {
    if (auto x = element.find(key))
      target = x->time();
  };
  read_time("target_wait", result.target_wait);
  read_time("cooldown", result.cooldown);
  read_time("interval", result.interval);
  if (auto x = element.find("least"))
    result.least = x->count(0, most_workers);
  result.most = element.at("most").count(1, most_workers);
  if (auto x = element.find("idle"))
    result.idle = x->time_above_zero();
  if (auto x = element.find("one_by_one"))
    result.one_by_one = x->truth();
  if (auto why = libpool::objection_to(result))
    element.fail(*why);
  return result;
}

} // namespace

std::vector<worker_settings> read_workers(const element& element) {
  if (element.size() == 0)
    element.fail("must not be empty");
  std::vector<worker_group> groups;
  for (std::size_t i = 0; i < element.size(); ++i)
    groups.push_back(read_group(element.at(i)));
  check_weights(element, groups);
  std::vector<worker_settings> result;
  for (const auto& each : groups) {
    if (result.size() + each.count > most_workers)
      element.fail("must have at most " + std::to_string(most_workers)
                   + " workers");
    add(each, result);
  }
  std::stable_sort(result.begin(), result.end(), joins_sooner);
  return result;
}

/// The pool begins with the workers of the scenario if the bounds permit it,
/// otherwise with fewer or more.
void read_sizing(const element& root, scenario& scenario) {
  auto element = root.find("autoscale");
  auto startup = root.find("startup");
  if (startup && !element)
    startup->fail("has no effect without autoscale");
  if (!element)
    return;
  if (root.find("nodes"))
    element->fail("must not be given with nodes");
  scenario.autoscale = read_autoscale(*element);
  if (startup)
    scenario.autoscale->startup = startup->time();
  auto& workers = scenario.workers;
  workers.resize(std::clamp(workers.size(), scenario.autoscale->least,
                            scenario.autoscale->most),
                 worker_settings{workers.front()});
}

} // namespace poolsim
