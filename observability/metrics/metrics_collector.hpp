#pragma once

#include "libpool/actors/pool_ref.hpp"
#include "libpool/export.hpp"

#include <caf/actor.hpp>
#include <caf/actor_addr.hpp>
#include <caf/fwd.hpp>
#include <prometheus/collectable.h>
#include <prometheus/metric_family.h>

#include <cstddef>
#include <mutex>
#include <string>
#include <vector>

namespace libpool {

/// Options of the metrics of a pool. Both options add time series.
struct pool_metrics_options {
  /// Maximum number of flows to show, at most `flow_options::top_flows`; 0: no
  /// flows. Flows with the most waiting messages are shown. Each flow has seven
  /// time series.
  std::size_t flows = 0;
  /// Whether each worker is shown. The cost of a scrape then grows with the
  /// number of workers.
  bool workers = false;
};

/// Collector that provides the state and the counters of pools and pipelines to
/// Prometheus, for example `libpool_tasks` and `libpool_task_wait_seconds`.
/// Each time series has a label `pool` or `pipeline` with the name that was
/// passed to `add` or `add_pipeline`. A program that uses prometheus-cpp
/// registers the collector like other metrics. Any other program serves the
/// result of `exposition` with its own HTTP server.
///
/// Pools are queried at each scrape, and have no cost between scrapes. A pool
/// that has ended disappears from the metrics. The collector does not keep
/// pools alive.
///
/// Nodes, flows or stages with the same name share a time series. Its value is
/// the sum of their values; for ages, the maximum. Bytes of names that
/// are not UTF-8 are replaced by U+FFFD.
///
/// Cost:    for each scrape, about 10 us of a pool, and about 100 us of the
///          scraping thread, or 500 us for `exposition`. A pool has about 110
///          time series, independent of the number of workers unless each
///          worker is shown.
/// Threads: any, while the actor system exists.
class LIBPOOL_EXPORT metrics_collector : public prometheus::Collectable {
public:
  /// Adds a pool to the metrics. The metrics of a direct pool cover only its
  /// workers and refused messages.
  ///
  /// Errors: std::invalid_argument if `pool` is not a pool of this process, if
  ///         the name is empty, or if another pool has the name and has not
  ///         ended.
  void add(const pool_ref& pool, const std::string& name,
           const pool_metrics_options& options = {});

  /// Adds the stages of a pipeline to the metrics.
  ///
  /// Errors: std::invalid_argument if `pipeline` is not a pipeline of this
  ///         process, if the name is empty, or if another pipeline has the name
  ///         and has not ended.
  void add_pipeline(const caf::actor& pipeline, const std::string& name);

  /// Returns the metrics of all pools and pipelines. Called by prometheus-cpp.
  std::vector<prometheus::MetricFamily> Collect() const override;

  /// Returns the metrics of all pools and pipelines as text in the format of
  /// Prometheus, with the content type "text/plain; version=0.0.4;
  /// charset=utf-8".
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

  mutable std::mutex mutex_; // not held while pools are queried
  mutable list pools_;
  mutable list pipelines_;
};

} // namespace libpool
