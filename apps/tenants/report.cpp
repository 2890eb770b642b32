#include "report.hpp"

#include "text.hpp"

#include <fmt/ostream.h>

#include <ostream>
#include <string>
#include <vector>

namespace tenants {

namespace {

using rows = std::vector<std::vector<std::string>>;

rows rows_of(const std::vector<experience>& all) {
  rows out{{"tenant", "answered", "refused", "gave up", "p50", "p99"}};
  for (const auto& each : all)
    out.push_back({each.wanted.tenant, fmt::to_string(each.answered),
                   fmt::to_string(each.refused), fmt::to_string(each.gave_up),
                   text_of(each.times.percentile(50)),
                   text_of(each.times.percentile(99))});
  return out;
}

/// How long the next waiting task has waited.
std::string wait_until(instant now, const libpool::flow_stats& stats) {
  return stats.waiting_since == libpool::never
           ? "-"
           : text_of(now - stats.waiting_since);
}

rows rows_of(const std::vector<libpool::flow_stats>& flows, instant now) {
  rows out{
    {"flow", "waiting", "so far", "running", "served", "mean wait", "lag"}};
  for (const auto& each : flows)
    out.push_back({each.name, fmt::to_string(each.waiting),
                   wait_until(now, each), fmt::to_string(each.running),
                   fmt::to_string(each.served), text_of(each.mean_wait),
                   text_of(each.lag)});
  return out;
}

void print_pool(std::ostream& out, const run_result& run) {
  const auto& seen = run.seen;
  fmt::print(
    out, "\n  The pool after {}: {} waiting, {} completed, median wait {}.\n",
    short_text_of(run.halfway), seen.tasks.waiting, seen.tasks.completed,
    text_of(seen.total.waits.percentile(50)));
  if (seen.flows.empty())
    out << "  The queue does not distinguish tenants: requests of all tenants "
           "wait in one line.\n";
  else
    out << aligned(rows_of(seen.flows, run.seen_at), "  ")
        << "  (so far: time for which the next request has waited; lag: "
           "service that the\n   tenant should have had by its share and has "
           "not had; negative: service\n   beyond its share)\n";
}

} // namespace

void print(std::ostream& out, const scenario& scenario) {
  fmt::print(out,
             "Workers: {}. Time for each policy: {}. Requests of each tenant, "
             "and the work per request:\n",
             scenario.workers, short_text_of(scenario.length));
  for (const auto& each : scenario.demands)
    fmt::print(out, "  {}: {}\n", each.tenant, text_of(each));
}

void print(std::ostream& out, const run_result& run) {
  out << '\n' << run.policy << '\n' << aligned(rows_of(run.tenants), "  ");
  print_pool(out, run);
}

} // namespace tenants
