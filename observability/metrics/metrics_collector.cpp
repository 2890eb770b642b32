#include "libpool/observability/metrics/metrics_collector.hpp"

#include "libpool/actors/actor_pool.hpp"
#include "libpool/actors/distributed.hpp"
#include "libpool/actors/pipeline.hpp"
#include "libpool/observability/metrics/families.hpp"
#include "libpool/observability/metrics/series.hpp"

#include <caf/abstract_actor.hpp>
#include <prometheus/text_serializer.h>

#include <stdexcept>
#include <utility>

namespace libpool {

namespace {

[[noreturn]] void refuse(const std::string& name, const char* why) {
  throw std::invalid_argument("libpool: metrics_collector: '" + name + "' "
                              + why);
}

bool is_alive(const caf::actor& who) {
  return who
         && !caf::actor_cast<caf::abstract_actor*>(who)->getf(
           caf::abstract_actor::is_terminated_flag);
}

detail::seen_pool look_at(const caf::actor& pool, const std::string& name,
                          const pool_metrics_options& options) {
  detail::seen_pool result{name, {}, {}};
  result.stats = options.workers ? actor_pool::stats(pool)
                                 : actor_pool::summary(pool);
  auto& flows = result.stats.flows;
  if (flows.size() > options.flows)
    flows.resize(options.flows);
  if (is_distributed(pool))
    result.nodes = nodes_of(pool);
  return result;
}

} // namespace

void metrics_collector::add(const pool_ref& pool, const std::string& name,
                            const pool_metrics_options& options) {
  try {
    actor_pool::summary(pool);
  } catch (const std::invalid_argument&) {
    refuse(name, "is not a pool of this node");
  }
  add_to(pools_, {pool.handle().address(), name, options});
}

void metrics_collector::add_pipeline(const caf::actor& pipeline,
                                     const std::string& name) {
  try {
    pipeline::stats(pipeline);
  } catch (const std::invalid_argument&) {
    refuse(name, "is not a pipeline of this node");
  }
  add_to(pipelines_, {pipeline.address(), name, {}});
}

void metrics_collector::add_to(list& all, shown next) {
  if (next.name.empty())
    refuse(next.name, "is not a name: it must not be empty");
  next.name = detail::label_text(next.name);
  std::vector<found> known; // let go of behind the mutex
  std::lock_guard<std::mutex> guard{mutex_};
  known = look_up(all);
  for (auto& each : known)
    if (is_alive(each.who) && each.name == next.name)
      refuse(next.name, "is already in use");
  all.push_back(std::move(next));
}

/// All that are known, and forgets those that have ended. The caller lets go of
/// the handles without the mutex: the last one may end a pool, which calls
/// functions of users.
/// @pre the mutex is held
std::vector<metrics_collector::found> metrics_collector::look_up(list& all) {
  std::vector<found> result;
  list left;
  for (auto& each : all) {
    result.push_back(
      {caf::actor_cast<caf::actor>(each.who), each.name, each.options});
    if (is_alive(result.back().who))
      left.push_back(std::move(each));
  }
  all = std::move(left);
  return result;
}

/// Calls `look` with each that has not ended.
template <class F>
void metrics_collector::for_each_alive(list& all, F look) const {
  std::vector<found> known;
  {
    std::lock_guard<std::mutex> guard{mutex_};
    known = look_up(all);
  }
  for (auto& each : known)
    if (is_alive(each.who))
      look(each);
}

std::vector<prometheus::MetricFamily> metrics_collector::Collect() const {
  std::vector<detail::seen_pool> pools;
  for_each_alive(pools_, [&](const found& each) {
    pools.push_back(look_at(each.who, each.name, each.options));
  });
  std::vector<detail::seen_pipeline> pipelines;
  for_each_alive(pipelines_, [&](const found& each) {
    pipelines.push_back({each.name, pipeline::stats(each.who)});
  });
  std::vector<prometheus::MetricFamily> result;
  detail::append_families(pools, result);
  detail::append_families(pipelines, result);
  return result;
}

std::string metrics_collector::exposition() const {
  return prometheus::TextSerializer{}.Serialize(Collect());
}

} // namespace libpool
