#include "libpool/actors/caf/port/pool_metrics.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/telemetry/metric_registry.hpp>

#include <string_view>

namespace libpool {

namespace {

caf::telemetry::int_counter* counter(caf::actor_system& system,
                                     std::string_view pool,
                                     std::string_view name,
                                     std::string_view help) {
  return system.metrics().counter_instance("libpool", name, {{"pool", pool}},
                                           help, "1", true);
}

caf::telemetry::int_gauge* gauge(caf::actor_system& system,
                                 std::string_view pool, std::string_view name,
                                 std::string_view help) {
  return system.metrics().gauge_instance("libpool", name, {{"pool", pool}},
                                         help);
}

/// A count may seem to go back for a moment: tasks of whose ends a worker has
/// not told yet are not known.
void advance(caf::telemetry::int_counter& counter, std::uint64_t& shown,
             std::uint64_t now) {
  if (now <= shown)
    return;
  counter.inc(static_cast<std::int64_t>(now - shown));
  shown = now;
}

void move(caf::telemetry::int_gauge& gauge, std::uint64_t& shown,
          std::uint64_t now) {
  if (now != shown)
    gauge.inc(static_cast<std::int64_t>(now)
              - static_cast<std::int64_t>(shown));
  shown = now;
}

} // namespace

std::unique_ptr<pool_metrics> pool_metrics::make(caf::actor_system& system,
                                                 const char* name) {
  return caf::get_or(caf::content(system.config()), "libpool.metrics", false)
           ? std::make_unique<pool_metrics>(system, name)
           : nullptr;
}

pool_metrics::pool_metrics(caf::actor_system& system, const char* name)
  : accepted_(counter(system, name, "accepted", "Number of accepted tasks.")),
    refused_(counter(system, name, "refused", "Number of refused messages.")),
    completed_(
      counter(system, name, "completed", "Number of completed tasks.")),
    failed_(counter(system, name, "failed", "Number of failed tasks.")),
    cancelled_(
      counter(system, name, "cancelled", "Number of cancelled tasks.")),
    restarts_(counter(system, name, "restarts", "Number of replaced workers.")),
    waiting_(gauge(system, name, "waiting", "Number of waiting tasks.")),
    running_(
      gauge(system, name, "running",
            "Number of tasks that are assigned to workers and not settled.")),
    workers_(gauge(system, name, "workers", "Number of workers.")) {
  // nop
}

/// The pool has nothing more, and its counts remain.
pool_metrics::~pool_metrics() {
  move(*waiting_, shown_.waiting, 0);
  move(*running_, shown_.running, 0);
  move(*workers_, shown_.workers, 0);
}

void pool_metrics::show(const ledger& tasks, std::size_t workers,
                        std::uint64_t restarts) {
  advance(*accepted_, shown_.accepted, tasks.accepted);
  advance(*refused_, shown_.refused, tasks.refused);
  advance(*completed_, shown_.completed, tasks.completed);
  advance(*failed_, shown_.failed, tasks.failed);
  advance(*cancelled_, shown_.cancelled, tasks.cancelled);
  advance(*restarts_, shown_.restarts, restarts);
  move(*waiting_, shown_.waiting, tasks.waiting);
  move(*running_, shown_.running, tasks.open() - tasks.waiting);
  move(*workers_, shown_.workers, workers);
}

} // namespace libpool
