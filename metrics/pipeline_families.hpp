#pragma once

#include "libpool/actors/pipeline.hpp"

#include <prometheus/metric_family.h>

#include <string>
#include <vector>

namespace libpool::detail {

/// Name and state of a pipeline at a scrape.
struct seen_pipeline {
  static constexpr const char* label = "pipeline";

  std::string name;
  pipeline_stats stats;
};

void append_pipeline_families(const std::vector<seen_pipeline>& pipelines,
                              std::vector<prometheus::MetricFamily>& to);

} // namespace libpool::detail
