/// The descriptions of figures are complete, and say what counts.

#include "support/figures.hpp"
#include "libpool/actors/node_stats.hpp"
#include "libpool/actors/pipeline_stats.hpp"
#include "libpool/actors/pool_stats.hpp"

#include <doctest/doctest.h>

#include <set>

using namespace std::chrono_literals;
using test::describes_all_fields;
using test::filled;

static_assert(describes_all_fields<libpool::ledger>());
static_assert(describes_all_fields<libpool::flow_stats>());
static_assert(describes_all_fields<libpool::worker_stats>());
static_assert(
  describes_all_fields<libpool::all_workers_stats, libpool::worker_stats>());
static_assert(
  describes_all_fields<libpool::member_stats, libpool::worker_stats>());
static_assert(describes_all_fields<libpool::departure_counts>());
static_assert(describes_all_fields<libpool::dispatcher_counts>());
static_assert(
  describes_all_fields<libpool::pool_figures, libpool::dispatcher_counts>());
static_assert(
  describes_all_fields<libpool::pool_stats, libpool::pool_figures>());
static_assert(describes_all_fields<libpool::stage_stats>());
static_assert(describes_all_fields<libpool::pipeline_stats>());
static_assert(describes_all_fields<libpool::node_stats>());
static_assert(describes_all_fields<libpool::nodes_stats>());

namespace {

/// Whether no two figures are one and the same field.
template <class Stats>
bool describes_each_field_once() {
  const Stats stats;
  std::set<const void*> fields;
  libpool::for_each_figure<Stats>(
    [&](const auto& each) { fields.insert(&(stats.*each.member)); });
  return fields.size() == test::figure_count<Stats>();
}

template <class... Stats>
bool all_describe_each_field_once() {
  return (describes_each_field_once<Stats>() && ...);
}

} // namespace

TEST_CASE("each field of stats is described once") {
  using namespace libpool;
  CHECK(
    all_describe_each_field_once<ledger, flow_stats, worker_stats,
                                 all_workers_stats, member_stats,
                                 departure_counts, pool_stats, stage_stats,
                                 pipeline_stats, node_stats, nodes_stats>());
}

TEST_CASE("the change of stats contains the growth of each counter, and the "
          "present values of other fields") {
  const auto earlier = filled<libpool::pool_stats>();
  const auto now = filled<libpool::pool_stats>(1000); // each counter has grown
  const auto changed = now.since(earlier);
  for (auto count :
       {changed.refused, changed.error_answers, changed.retries,
        changed.restarts, changed.leases, changed.lost_homes, changed.gathered,
        changed.hedged, changed.tasks.accepted, changed.tasks.refused,
        changed.tasks.completed, changed.tasks.failed, changed.tasks.cancelled,
        changed.departed.removed, changed.departed.crashed,
        changed.departed.ended, changed.total.completed, changed.total.failed,
        changed.total.stolen})
    CHECK(count == 1000);
  CHECK(changed.total.busy == 1s);
  CHECK(changed.total.waited == 1s);
  CHECK(changed.errors[libpool::errc::not_connected] == 1000);
  CHECK(changed.refusals[libpool::errc::not_connected] == 1000);
  CHECK(changed.taken == now.taken);
  CHECK(changed.is_timed);
  CHECK(changed.policy == now.policy);
  CHECK(changed.workers == now.workers);
  CHECK(changed.busy == now.busy);
  CHECK(changed.leaving == now.leaving);
  CHECK(changed.slots == now.slots);
  CHECK(changed.held == now.held);
  CHECK(changed.overdue == now.overdue);
  CHECK(changed.capacity == now.capacity);
  CHECK(changed.tasks.waiting == now.tasks.waiting);
  CHECK(changed.tasks.running == now.tasks.running);
  CHECK(changed.oldest_waiting == now.oldest_waiting);
  CHECK(changed.longest_running == now.longest_running);
  CHECK(changed.total.max_service == now.total.max_service);
  CHECK(changed.members.empty());
  CHECK(changed.flows.empty());
}

TEST_CASE("a counter that is smaller than before has not grown") {
  const auto changed =
    filled<libpool::pool_stats>().since(filled<libpool::pool_stats>(1000));
  CHECK(changed.retries == 0);
  CHECK(changed.total.busy == 0ns);
}
