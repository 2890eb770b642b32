#pragma once

#include "libpool/actors/pool_stats.hpp"
#include "libpool/core/throttle.hpp"

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

/// Returns after how many seconds the requests that wait now have begun, if the
/// limits and the mean service time so far hold; at least 1, at most 3600.
unsigned seconds_until_begun(std::uint64_t waiting,
                             const libpool::throttle& within,
                             const libpool::pool_stats& of_pool);

} // namespace gateway
