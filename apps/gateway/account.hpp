#pragma once

#include "libpool/actors/pool_stats.hpp"

#include <prometheus/metric_family.h>

#include <cstdint>
#include <map>
#include <string>
#include <utility>

namespace gateway {

/// Numbers of the answers to clients, by tenant and status; 499: the client had
/// gone before the answer. Requests without a tenant count for the tenant "".
class account {
public:
  void count(const std::string& tenant, unsigned status) {
    ++answers_[{tenant, status}];
  }

  /// Returns the counts as a metric.
  prometheus::MetricFamily metric() const;

  /// Returns the counts of the gateway and of the pool, as JSON in one line.
  /// `retries`: number of retries after errors.
  std::string ledger(const libpool::pool_stats& of_pool,
                     std::uint64_t retries) const;

private:
  std::map<std::pair<std::string, unsigned>, std::uint64_t> answers_;
};

} // namespace gateway
