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

/// Optional metrics of a pool, which need time series for each flow or worker.
struct pool_metrics_options {
  /// Maximum number of flows to show; at most `flow_options::top_flows`. Flows
  /// with more waiting messages are preferred. Each flow has seven series.
  std::size_t flows = 0;
  /// Whether to show each worker. The cost of a scrape then grows with the
  /// number of workers.
  bool workers = false;
};

/// Provides the state and the counts of pools and pipelines to Prometheus, as
/// `libpool_tasks`, `libpool_task_wait_seconds` and so on. The label `pool` or
/// `pipeline` of each series has the name that is given here. A program that
/// serves other metrics with prometheus-cpp registers the collector beside
/// them. Any other program serves `exposition()` with its own HTTP server.
///
/// Pools are asked at each scrape, and have no cost in between. A pool that has
/// ended disappears, with all its series. The collector keeps no pool alive.
///
/// Nodes, flows or stages with the same name share their series: values are
/// added up, and of ages the largest is shown. Bytes of names that are not
/// UTF-8 are shown as U+FFFD.
///
/// Cost:    each scrape keeps a pool busy for about 10 us, and the scraping
///          thread for about 100 us, or 500 us with the text. A pool has about
///          110 series, for any number of workers, unless each worker is shown.
/// Threads: any, at any time while the actor system exists.
class metrics_collector : public prometheus::Collectable {
public:
  /// Adds a pool to the metrics. The metrics of a direct pool cover only its
  /// workers and refused messages.
  ///
  /// Errors: std::invalid_argument if `pool` is not a pool of this node, if the
  ///         name is empty, or if a pool that has not ended has that name.
  void add(const caf::actor& pool, const std::string& name,
           const pool_metrics_options& options = {});

  /// Adds a pool with a typed handle to the metrics.
  template <class... Signatures>
  void add(const caf::typed_actor<Signatures...>& pool, const std::string& name,
           const pool_metrics_options& options = {}) {
    add(caf::actor_cast<caf::actor>(pool), name, options);
  }

  /// Adds the stages of a pipeline to the metrics.
  ///
  /// Errors: std::invalid_argument if `pipeline` is not a pipeline of this
  ///         node, if the name is empty, or if a pipeline that has not ended
  ///         has that name.
  void add_pipeline(const caf::actor& pipeline, const std::string& name);

  /// Returns the metrics of all pools and pipelines. Called by prometheus-cpp.
  std::vector<prometheus::MetricFamily> Collect() const override;

  /// Returns the metrics as text in the format of Prometheus, with the content
  /// type "text/plain; version=0.0.4; charset=utf-8".
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
