#pragma once

#include "libpool/actors/distributed.hpp"
#include "libpool/actors/pipeline.hpp"
#include "libpool/actors/pool_stats.hpp"

#include <prometheus/metric_family.h>

#include <optional>
#include <string>
#include <vector>

namespace libpool::detail {

/// Name and state of a pool at a scrape.
struct seen_pool {
  static constexpr const char* label = "pool";

  bool is_managed() const {
    return stats.taken != instant{};
  }

  instant taken() const {
    return stats.taken;
  }

  std::string name;
  pool_stats stats;
  /// Stats of the nodes; unset if the pool is not distributed.
  std::optional<nodes_stats> nodes;
};

/// Name and state of a pipeline at a scrape.
struct seen_pipeline {
  static constexpr const char* label = "pipeline";

  static instant taken() {
    return {};
  }

  std::string name;
  pipeline_stats stats;
};

void append_families(const std::vector<seen_pool>& pools,
                     std::vector<prometheus::MetricFamily>& families);

void append_families(const std::vector<seen_pipeline>& pipelines,
                     std::vector<prometheus::MetricFamily>& families);

} // namespace libpool::detail
