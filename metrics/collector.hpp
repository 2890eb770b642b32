#pragma once

#include <caf/actor.hpp>
#include <caf/actor_addr.hpp>
#include <caf/actor_cast.hpp>
#include <caf/fwd.hpp>
#include <prometheus/collectable.h>
#include <prometheus/metric_family.h>

#include <cstddef>
#include <mutex>
#include <string>
#include <vector>

namespace libpool {

/// What is shown of a pool only if it is asked for, since it makes a series for
/// each.
struct pool_metrics_options {
  /// How many flows, those with the most waiting messages; no more than
  /// `flow_options::top_flows` says. Each has seven series.
  std::size_t flows = 0;
  /// Whether each worker is shown. A scrape looks at all workers then.
  bool workers = false;
};

/// Shows Prometheus the state and the counts of pools and pipelines, as
/// `libpool_tasks`, `libpool_task_wait_seconds` and so on, each with the label
/// `pool` or `pipeline`, which has the name given here. A program that serves
/// other metrics by prometheus-cpp registers it beside them; any other one
/// serves `exposition()` by the HTTP server that it has.
///
/// Pools are asked at each scrape, and pay nothing in between. Those that have
/// ended vanish, with all their series. None is kept alive.
///
/// Series of the same name, such as nodes that call themselves the same, add
/// up. Bytes of names that are no UTF-8 are shown as U+FFFD.
///
/// Cost:    a pool is busy for some 10 us with each scrape, and the thread that
///          scrapes for some 100 us, with the text 500 us. A pool has about 110
///          series, however many workers it has, unless they are asked for.
/// Threads: from any, at any time while the actor system is there.
class metrics_collector : public prometheus::Collectable {
public:
  /// Shows the pool from now on. A direct pool has but its workers and refused
  /// messages.
  ///
  /// Errors: std::invalid_argument if it is no pool of this node, the name is
  ///         empty, or a pool that has not ended has that name.
  void add(const caf::actor& pool, const std::string& name,
           const pool_metrics_options& options = {});

  template <class... Signatures>
  void add(const caf::typed_actor<Signatures...>& pool, const std::string& name,
           const pool_metrics_options& options = {}) {
    add(caf::actor_cast<caf::actor>(pool), name, options);
  }

  /// Shows the stages of the pipeline from now on.
  ///
  /// Errors: std::invalid_argument if it is no pipeline of this node, the name
  ///         is empty, or a pipeline that has not ended has that name.
  void add_pipeline(const caf::actor& pipeline, const std::string& name);

  std::vector<prometheus::MetricFamily> Collect() const override;

  /// The metrics as text, in the format of Prometheus: of the content type
  /// "text/plain; version=0.0.4; charset=utf-8".
  std::string exposition() const;

private:
  struct shown {
    caf::actor_addr who;
    std::string name;
    pool_metrics_options options;
  };

  struct found {
    caf::actor who;
    std::string name;
    pool_metrics_options options;
  };

  using list = std::vector<shown>;

  void add_to(list& all, shown next);
  static std::vector<found> look_up(list& all);
  template <class F>
  void for_each_alive(list& all, F look) const;

  mutable std::mutex mutex_; // not held while pools are asked
  mutable list pools_;
  mutable list pipelines_;
};

} // namespace libpool
