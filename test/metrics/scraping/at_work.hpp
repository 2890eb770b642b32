#pragma once

#include "libpool/metrics/collector.hpp"
#include "libpool/pool.hpp"

#include <caf/all.hpp>

#include <cstddef>
#include <string>

namespace scraping {

/// Pools and a pipeline of each kind that has metrics of its own, in an actor
/// system with real threads.
class pools_at_work {
public:
  pools_at_work();
  pools_at_work(const pools_at_work&) = delete;
  pools_at_work& operator=(const pools_at_work&) = delete;
  ~pools_at_work();

  /// Has all of them work, some of it in vain, until it is done.
  void work();

  /// Whether no number changes any more.
  bool are_at_rest() const;

  const libpool::metrics_collector& collector() const {
    return collector_;
  }

  /// Of a fair pool, with two flows, refusals, crashes and errors.
  libpool::pool_stats stats() const {
    return libpool::actor_pool::stats(fair_);
  }

private:
  caf::actor_system_config config_;
  caf::actor_system system_;
  libpool::metrics_collector collector_;
  caf::actor fair_;
  caf::actor direct_;
  caf::actor farm_;
  caf::actor agent_;
  caf::actor line_;
};

} // namespace scraping
