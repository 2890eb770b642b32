#include "reading_parts.hpp"

#include <algorithm>

namespace poolsim {

namespace {

struct worker_group : worker_settings {
  std::size_t count = 1;
  /// One for all, or one for each; none: never.
  std::vector<duration> crashes;
  bool is_weighted = false;
};

duration read_weight(const element& from) {
  auto result = from.time();
  if (result == duration{0})
    from.fail_bound("above 0");
  return result;
}

/// One time for all workers of the group, or one for each.
void read_crash(const element& from, worker_group& to) {
  auto check = [&](const element& time, duration crash) {
    if (crash < to.join)
      time.fail("must not be before join");
  };
  to.crashes = from.one_or(to.count, "worker of the group");
  for (std::size_t i = 0; i < to.crashes.size(); ++i)
    check(from.is_list() ? from.at(i) : from, to.crashes[i]);
}

void read_stay(const element& from, worker_group& to) {
  if (auto x = from.find("join"))
    to.join = x->time();
  if (auto x = from.find("leave")) {
    to.leave = x->time();
    if (*to.leave < to.join)
      x->fail("must not be before join");
  }
  if (auto x = from.find("crash")) {
    if (to.leave)
      x->fail("must not be given with the member leave");
    read_crash(*x, to);
  }
}

worker_group read_group(const element& from) {
  from.expect_keys(
    {"count", "weight", "speed", "seats", "join", "leave", "crash"});
  worker_group result;
  if (auto x = from.find("count"))
    result.count = x->count(1, most_workers);
  if (auto x = from.find("weight")) {
    result.weight = read_weight(*x);
    result.is_weighted = true;
  }
  if (auto x = from.find("speed"))
    result.speed = x->factor();
  if (auto x = from.find("seats"))
    result.seats = x->count(1, most_tasks);
  read_stay(from, result);
  return result;
}

/// Weights are given for all workers, or for none.
void check_weights(const element& from,
                   const std::vector<worker_group>& groups) {
  auto is_weighted = false;
  for (const auto& each : groups)
    is_weighted = is_weighted || each.is_weighted;
  for (std::size_t i = 0; i < groups.size(); ++i)
    if (groups[i].is_weighted != is_weighted)
      from.at(i).fail_at("weight", "must be given for all workers or for none");
}

void add(const worker_group& group, std::vector<worker_settings>& to) {
  for (std::size_t i = 0; i < group.count; ++i) {
    auto& added = to.emplace_back(group);
    if (!group.crashes.empty())
      added.crash = group.crashes[group.crashes.size() == 1 ? 0 : i];
  }
}

} // namespace

std::vector<worker_settings> read_workers(const element& from) {
  if (from.size() == 0)
    from.fail("must not be empty");
  std::vector<worker_group> groups;
  for (std::size_t i = 0; i < from.size(); ++i)
    groups.push_back(read_group(from.at(i)));
  check_weights(from, groups);
  std::vector<worker_settings> result;
  for (const auto& each : groups) {
    if (result.size() + each.count > most_workers)
      from.fail("must have at most " + std::to_string(most_workers)
                + " workers");
    add(each, result);
  }
  std::stable_sort(result.begin(), result.end(), joins_sooner);
  return result;
}

} // namespace poolsim
