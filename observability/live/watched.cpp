#include "libpool/observability/live/watched.hpp"

#include "libpool/actors/actor_pool.hpp"
#include "libpool/actors/pipeline.hpp"

#include <caf/actor_cast.hpp>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace libpool::live {

namespace {

constexpr std::size_t most_members = 2000;

[[noreturn]] void refuse(const char* caller, const std::string& why) {
  throw std::invalid_argument("libpool: live_view::" + std::string{caller}
                              + ": " + why);
}

using handles = std::vector<caf::actor>;

/// Does not keep those that are gone. The caller lets go of the handles without
/// the mutex: the last one may end a pool, which calls functions of users.
template <class Watched>
void forget_gone(std::vector<std::shared_ptr<Watched>>& list, handles& held) {
  auto is_gone = [&](const auto& x) {
    held.push_back(x->handle());
    return !held.back();
  };
  list.erase(std::remove_if(list.begin(), list.end(), is_gone), list.end());
}

template <class Watched>
void check_name(const std::vector<std::shared_ptr<Watched>>& list,
                const std::string& name, const char* caller) {
  if (name.empty())
    refuse(caller, "the name must not be empty");
  for (const auto& each : list)
    if (each->name == name)
      refuse(caller, "the name '" + name + "' is already in use");
}

/// Whether it does: a direct pool keeps nothing.
bool begin_recording(const caf::actor& pool, duration last) {
  recorder_limits limits;
  limits.last = last;
  try {
    actor_pool::record(pool, limits);
    return true;
  } catch (const std::invalid_argument&) {
    return false;
  }
}

/// Called without the mutex, since asking a pool may call functions of users.
std::shared_ptr<watched_pool>
watch(const caf::actor& pool, const std::string& name, duration recorded) {
  auto is_managed = begin_recording(pool, recorded);
  auto result = std::make_shared<watched_pool>(
    watched_pool{name, caf::actor_cast<caf::actor_addr>(pool), is_managed,
                 is_managed && is_distributed(pool), history{}});
  result->past.add(result->look(pool, std::chrono::steady_clock::now()));
  return result;
}

/// Handles of workers would keep them alive.
void let_go(pool_sample& sample) {
  for (auto& each : sample.stats.members)
    each.worker = caf::actor{};
  for (auto& each : sample.nodes)
    each.worker = caf::actor{};
}

} // namespace

caf::actor watched_pool::handle() const {
  return caf::actor_cast<caf::actor>(address);
}

caf::actor watched_pipeline::handle() const {
  return caf::actor_cast<caf::actor>(address);
}

pool_sample watched_pool::look(const caf::actor& pool, instant now) const {
  pool_sample result;
  result.stats = actor_pool::stats(pool);
  result.at = now;
  if (is_distributed) {
    auto seen = nodes_of(pool);
    result.nodes = std::move(seen.nodes);
    result.unreachable = std::move(seen.unreachable);
  }
  auto& members = result.stats.members;
  result.all_members = members.size();
  if (members.size() > most_members)
    members.resize(most_members);
  let_go(result);
  return result;
}

pool_sample watched_pool::glance(const caf::actor& pool, instant now) const {
  pool_sample result;
  result.stats = actor_pool::summary(pool);
  result.at = now;
  result.is_summary = true;
  result.all_members = result.stats.workers + result.stats.leaving;
  return result;
}

line_sample watched_pipeline::look(const caf::actor& line, instant now) {
  line_sample result;
  result.at = now;
  result.stats = pipeline::stats(line);
  for (const auto& each : pipeline::pools(line))
    result.pools.push_back(each ? std::optional{actor_pool::summary(each)}
                                : std::nullopt);
  return result;
}

recording watched_pool::recorded_since(instant since) const {
  auto pool = handle();
  return pool && is_managed ? actor_pool::recorded(pool, since) : recording{};
}

void watched::add(const caf::actor& pool, const std::string& name,
                  duration recorded) {
  actor_pool::summary(pool); // throws if it is none
  handles held;
  auto check = [&] {
    forget_gone(pools_, held);
    check_name(pools_, name, "add");
  };
  {
    std::lock_guard guard{mutex_};
    check();
  }
  auto added = watch(pool, name, recorded);
  std::lock_guard guard{mutex_};
  check(); // another thread may have been faster
  pools_.push_back(std::move(added));
}

void watched::add_pipeline(const caf::actor& pipeline,
                           const std::string& name) {
  libpool::pipeline::stats(pipeline); // throws if it is none
  handles held;
  std::lock_guard guard{mutex_};
  forget_gone(pipelines_, held);
  check_name(pipelines_, name, "add_pipeline");
  pipelines_.push_back(std::make_shared<watched_pipeline>(
    watched_pipeline{name, caf::actor_cast<caf::actor_addr>(pipeline), {}}));
}

std::vector<std::shared_ptr<watched_pool>> watched::pools() {
  handles held;
  std::lock_guard guard{mutex_};
  forget_gone(pools_, held);
  return pools_;
}

std::vector<std::shared_ptr<watched_pipeline>> watched::pipelines() {
  handles held;
  std::lock_guard guard{mutex_};
  forget_gone(pipelines_, held);
  return pipelines_;
}

std::shared_ptr<watched_pool> watched::pool(const std::string& name) {
  for (const auto& each : pools())
    if (each->name == name)
      return each;
  return nullptr;
}

void watched::stop_recording() {
  for (const auto& each : pools())
    if (auto pool = each->handle())
      if (each->is_managed)
        actor_pool::record(pool, {});
}

std::map<worker_number, std::string>
names_of(const std::vector<member_stats>& members) {
  std::map<worker_number, std::string> result;
  for (const auto& each : members)
    result.emplace(static_cast<worker_number>(each.number), describe(each));
  return result;
}

} // namespace libpool::live
