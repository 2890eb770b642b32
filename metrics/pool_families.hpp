#pragma once

#include "libpool/actors/distributed.hpp"
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

  std::string name;
  pool_stats stats;
  /// Stats of the nodes; unset if the pool is not distributed.
  std::optional<nodes_stats> nodes;
};

void append_pool_families(const std::vector<seen_pool>& pools,
                          std::vector<prometheus::MetricFamily>& to);

/// Appends the metric families about nodes. Called by `append_pool_families`.
void append_node_families(const std::vector<seen_pool>& pools,
                          std::vector<prometheus::MetricFamily>& to);

} // namespace libpool::detail
